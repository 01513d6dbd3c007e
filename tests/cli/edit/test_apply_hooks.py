"""`hkgit apply`: what runs before the commit: the --verify command and the hooks."""

import sys

from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import SOURCE, first_line, search_replace

ACCEPT = ("--accept-hook-changes",)


@cases(
    {
        "the edited file is there": f"grep -q 'more than one place' {SOURCE}",
        "and all others": f'"{sys.executable}" -m py_compile vendor/click/*.py',
        "it may talk": 'echo chatter; test -z "$GIT_DIR"',
    },
)
def test_a_verified_spec_is_committed_with_the_outcome_under_claims(
    command: str, bench: Bench
) -> None:
    elsewhere = {"GIT_DIR": "/nowhere"}
    result = bench.apply(search_replace(), "--verify", command, "--json", env=elsewhere)
    assert result.json()["status"] == "applied"
    assert "full checkout: --verify needs it" in result.err
    assert bench.entry["claims"]["verify"] == {"command": command, "exit_code": 0}
    assert bench.repo.status() == []


@cases(
    {
        "it says no": ("exit 3", 3),
        "it is killed": ("kill -9 $$", 137),
        "it commits": ("touch left-behind; git add -A; git commit -qm x; exit 1", 1),
    },
)
def test_a_failed_verification_leaves_nothing_behind(command: str, code: int, bench: Bench) -> None:
    bench.expect_refusal(5, f"exited with {code}", search_replace(), "--verify", command)


def test_what_will_be_refused_anyway_is_refused_before_the_command_runs(bench: Bench) -> None:
    bench.repo.write(SOURCE, "local changes\n")
    command = f"touch {bench.scratch}/it-ran"
    bench.expect_refusal(7, SOURCE, search_replace(), "--verify", command)
    assert not (bench.scratch / "it-ran").exists()


# Hooks


def test_a_foreign_hook_sees_a_full_checkout_and_that_is_said(bench: Bench) -> None:
    assert "full checkout" not in bench.apply(search_replace()).err
    bench.repo.write_hook("pre-commit", "test -f vendor/click/core.py && test -f README.md")
    result = bench.apply(first_line(bench))
    assert result.code == 0
    assert "full checkout" in result.err
    assert "pre-commit" in result.err


COMMITS = 'test -n "$AGAIN" || { echo x > extra; git add extra; AGAIN=1 git commit -qm x; }'
CHANGED = "a hook changed what was to be committed"


@cases(
    {
        "says no": ("echo 'not today' >&2; exit 1", "not today", ()),
        "changes a file": (f"echo '# added' >> {SOURCE}; git add {SOURCE}", "\n+# added\n", ()),
        "commits": (COMMITS, "HEAD", ()),
        "changes ever more": (f"echo '# more' >> {SOURCE}; git add {SOURCE}", CHANGED, ACCEPT),
        "makes a link": ("ln -s README.md made; git add made", CHANGED, ACCEPT),
    },
)
def test_a_hook_that_says_no_or_whose_changes_are_not_accepted_leaves_all_as_it_was(
    hook: str, words: str, options: tuple[str, ...], bench: Bench
) -> None:
    bench.repo.write_hook("pre-commit", hook)
    bench.expect_refusal(7, words, search_replace(), *options)


@cases(
    {
        "one that stages what it changes": (
            f"grep -q added {SOURCE} || echo '# added' >> {SOURCE}; git add {SOURCE}"
        ),
        "a formatter that says no the first time": (
            f"grep -q added {SOURCE} || {{ echo '# added' >> {SOURCE}; exit 1; }}"
        ),
        "one that makes and removes files": (
            f"echo made > made; chmod +x {SOURCE}; git rm -q README.md; git add made {SOURCE}"
        ),
    },
)
def test_what_hooks_change_can_be_accepted_and_is_recorded_as_theirs(
    hook: str, bench: Bench
) -> None:
    bench.repo.write_hook("pre-commit", hook.replace("git rm -q", "git rm -q --ignore-unmatch"))
    result = bench.apply(search_replace(), *ACCEPT)
    assert result.code == 0
    assert "recorded as theirs" in result.err
    assert bench.repo.status() == []
    shown = bench.run("show", "--json").json()
    assert shown["replay"] == "strict"
    assert len(shown["entries"]) == 2


def test_a_hook_may_change_the_message_only_so_far_as_it_stays_true(bench: Bench) -> None:
    bench.repo.write_hook("commit-msg", 'sed -i "1s/^/[x] /" "$1"')
    assert bench.apply(search_replace(), "-m", "Subject").code == 0
    assert bench.repo.git("log", "-1", "--format=%s") == "[x] Subject"
    assert bench.run("show", "--json").json()["replay"] == "strict"
