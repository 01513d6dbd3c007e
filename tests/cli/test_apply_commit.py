"""`hkgit apply`: the commit is what `git commit` would make of it, with its evidence."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import Bench
from tests.cli.specs import SOURCE, protocol, replace_range, search_replace


def trailers(bench: Bench) -> dict[str, list[str]]:
    """The trailers of HEAD as `git log` reads them."""
    found: dict[str, list[str]] = {}
    for line in bench.repo.git("log", "-1", "--format=%(trailers:unfold)").splitlines():
        if line:
            key, value = line.split(": ", 1)
            found.setdefault(key, []).append(value)
    return found


def first_line(bench: Bench, **about: str) -> str:
    """A spec that replaces line 1 and quotes its hash."""
    expected = bench.hash(SOURCE, 1, 1)
    return protocol(replace_range(SOURCE, 1, 1, expected, '"""New."""'), **about)


def test_git_reads_the_trailers(bench: Bench) -> None:
    base, digits = bench.repo.head, bench.hash(SOURCE, 1, 1)[:12]
    assert bench.apply(first_line(bench), "--agent", "ada-agent/1.2").code == 0
    [added] = bench.repo.git("diff", "--name-only", "HEAD~1", "--", ".hkgit/ledger").split()
    assert trailers(bench) == {
        "Hkgit-Entry": ["sha256:" + re.sub(r"\.hkgit/ledger/|/|\.json", "", added)],
        "Hkgit-Base": [base],
        "Hkgit-Agent": ["ada-agent/1.2"],
        "Hkgit-Evidence": ["edits=1 hash=1 receipt=0 quote=0 tag=0 none=0 files=1"],
        "Hkgit-Tiers": ["range=1"],
        "Hkgit-Confidence": ["1.00"],
        "Hkgit-Edit": [f"{SOURCE}:1-1 {digits} range 1.00"],
    }


def test_each_kind_of_edit_has_its_line(bench: Bench) -> None:
    bench.repo.commit({"gone.py": "1\n", "old name.py": "2\n", "caf\udce9.py": "3\n"})
    digits = {name: bench.hash(name, 1, 1) for name in ("gone.py", "old name.py", SOURCE)}
    operations: list[dict[str, object]] = [
        {"op": "insert_after", "path": SOURCE, "after_line": 1, "new_lines": ["x"],
         "expected_hash": digits[SOURCE]},
        {"op": "create_file", "path": "new.py", "new_text": "1\n"},
        {"op": "delete_file", "path": "gone.py", "expected_hash": digits["gone.py"]},
        {"op": "rename_file", "path": "old name.py", "new_path": "é.py",
         "expected_hash": digits["old name.py"]},
    ]  # fmt: skip
    assert bench.apply(protocol(*operations)).code == 0
    assert trailers(bench)["Hkgit-Edit"] == [
        f"{SOURCE}:1+ {digits[SOURCE][:12]} range 1.00",
        "new.py:new - file 1.00",
        f"gone.py:gone {digits['gone.py'][:12]} file 1.00",
        rf'old name.py:-> "\303\251.py" {digits["old name.py"][:12]} file 1.00',
    ]


def test_at_most_ten_edits_have_a_line(bench: Bench) -> None:
    operations: list[dict[str, object]] = [
        {"op": "create_file", "path": f"new/{n}.py", "new_text": "1\n"} for n in range(12)
    ]
    assert bench.apply(protocol(*operations)).code == 0
    assert len(trailers(bench)["Hkgit-Edit"]) == 10
    assert bench.repo.git("log", "-1", "--format=%s") == "Apply 12 edits to 12 files"


@pytest.mark.parametrize(
    ("about", "options", "message"),
    [
        pytest.param({}, (), "Apply 1 edit to 1 file", id="by default"),
        pytest.param({"summary": "Say it anew"}, (), "Say it anew", id="as the spec says"),
        pytest.param({"summary": "x"}, ("-m", "Mine"), "Mine", id="as the command line says"),
        pytest.param(
            {}, ("-m", "Subject\n\n# not a comment\n"), "Subject\n\n# not a comment", id="verbatim"
        ),
    ],
)  # fmt: skip
def test_the_message_is_the_one_given(
    bench: Bench, about: dict[str, str], options: tuple[str, ...], message: str
) -> None:
    assert bench.apply(first_line(bench, **about), *options).code == 0
    raw = bench.repo.git("cat-file", "commit", "HEAD").split("\n\n", 1)[1]
    assert raw.split("\n\nHkgit-Entry:")[0] == message


def test_trailers_of_the_message_stay_trailers(bench: Bench) -> None:
    assert bench.apply(first_line(bench), "-m", "Subject\n\nFixes: #1\n").code == 0
    found = trailers(bench)
    assert (found["Fixes"], len(found["Hkgit-Entry"])) == (["#1"], 1)


@pytest.mark.parametrize(
    ("about", "options", "agent"),
    [
        pytest.param({}, (), "unknown", id="by default"),
        pytest.param({"agent": "ada/1"}, (), "ada/1", id="as the spec says"),
        pytest.param({"agent": "ada/1"}, ("--agent", "eve/2"), "eve/2", id="as asked"),
    ],
)
def test_the_agent_is_claimed(
    bench: Bench, about: dict[str, str], options: tuple[str, ...], agent: str
) -> None:
    assert bench.apply(first_line(bench, **about), *options).code == 0
    [entry] = bench.run("show", "--json").json()["ledger"]
    assert (entry["claims"]["agent"], trailers(bench)["Hkgit-Agent"]) == (agent, [agent])


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("-m", ""), id="no message"),
        pytest.param(("-m", " \n"), id="a blank message"),
        pytest.param(("-m", "Fake\n\nHkgit-Entry: sha256:" + "0" * 64), id="a trailer of ours"),
        pytest.param(("-m", "Fake\n\nhkgit-agent: me"), id="one in other letters"),
        pytest.param(("--agent", ""), id="no agent"),
        pytest.param(("--agent", "two\nlines"), id="an agent on two lines"),
        pytest.param(("--agent", "\x1b[2J"), id="an agent that drives the terminal"),
    ],
)
def test_a_message_or_agent_that_cannot_be_is_invalid(
    bench: Bench, options: tuple[str, ...]
) -> None:
    assert bench.apply(first_line(bench), *options, "--dry-run").code == 4


@pytest.mark.parametrize(
    ("env", "people"),
    [
        pytest.param(
            {}, "Ada Tester <ada@example.org>|Ada Tester <ada@example.org>", id="configuration"
        ),
        pytest.param(
            {"GIT_AUTHOR_NAME": "Alan", "GIT_AUTHOR_EMAIL": "alan@example.org",
             "GIT_COMMITTER_NAME": "Grace"},
            "Alan <alan@example.org>|Grace <ada@example.org>", id="environment",
        ),
    ],
)  # fmt: skip
def test_author_and_committer_are_git_s(bench: Bench, env: dict[str, str], people: str) -> None:
    assert bench.apply(first_line(bench), env=env).code == 0
    assert bench.repo.git("log", "-1", "--format=%an <%ae>|%cn <%ce>") == people


def test_a_commit_is_signed_where_git_would_sign_it(bench: Bench, tmp_path: Path) -> None:
    key = tmp_path / "key"
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(key)]
    subprocess.run(made, check=True)
    signers = tmp_path / "signers"
    signers.write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "gpg.format": "ssh", "user.signingKey": str(key), "commit.gpgSign": "true",
        "gpg.ssh.allowedSignersFile": str(signers),
    }.items():  # fmt: skip
        bench.repo.git("config", name, value)
    assert bench.apply(first_line(bench)).code == 0
    assert bench.repo.git("log", "-1", "--format=%G? %GS") == "G ada@example.org"


# --verify


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(f"grep -q 'more than one place' {SOURCE}", id="the edited file is there"),
        pytest.param("test -f vendor/click/core.py", id="and all others"),
        pytest.param(f'"{sys.executable}" -m py_compile {SOURCE}', id="what it writes is dropped"),
        pytest.param("echo chatter; test -z \"$GIT_DIR\"", id="it may talk"),
    ],
)
def test_a_verified_spec_is_committed_with_the_outcome_under_claims(
    bench: Bench, command: str
) -> None:
    result = bench.apply(search_replace(), "--verify", command, "--json")
    assert result.json()["status"] == "applied"
    assert "full checkout: --verify needs it" in result.err
    [entry] = bench.run("show", "--json").json()["ledger"]
    assert entry["claims"]["verify"] == {"command": command, "exit_code": 0}
    assert bench.repo.status() == []


@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param("exit 3", 3, id="it says no"),
        pytest.param("no-such-program-anywhere", 127, id="there is no such program"),
        pytest.param("kill -9 $$", 137, id="it dies"),
        pytest.param("touch left-behind; git add -A; git commit -qm x; exit 1", 1, id="it commits"),
    ],
)
def test_a_failed_verification_leaves_nothing_behind(
    bench: Bench, command: str, code: int
) -> None:
    with bench.untouched():
        result = bench.apply(search_replace(), "--verify", command)
    assert (result.code, f"exited with {code}" in result.err) == (5, True)


def test_what_will_be_refused_anyway_is_refused_before_the_command_runs(bench: Bench) -> None:
    bench.repo.write(SOURCE, "local changes\n")
    result = bench.apply(search_replace(), "--verify", f"touch {bench.scratch}/it-ran")
    assert result.code == 7
    assert not (bench.scratch / "it-ran").exists()


# Hooks


def test_a_foreign_hook_sees_a_full_checkout_and_that_is_said(bench: Bench) -> None:
    bench.repo.write_hook("pre-commit", "test -f vendor/click/core.py && test -f README.md")
    result = bench.apply(search_replace())
    assert (result.code, "full checkout" in result.err, "pre-commit" in result.err) == (
        0, True, True,
    )  # fmt: skip


def test_without_hooks_no_checkout_is_spoken_of(bench: Bench) -> None:
    assert "checkout" not in bench.apply(search_replace()).err


@pytest.mark.parametrize(
    ("hook", "body", "words"),
    [
        pytest.param("pre-commit", "echo 'not today' >&2; exit 1", "not today", id="pre-commit"),
        pytest.param("commit-msg", "echo 'no, no' >&2; exit 1", "no, no", id="commit-msg"),
        pytest.param(
            "pre-commit", f"echo '# added' >> {SOURCE}; git add {SOURCE}", SOURCE,
            id="one that changes a file",
        ),
        pytest.param(
            "pre-commit",
            "test -n \"$AGAIN\" || { echo x > extra; git add extra; AGAIN=1 git commit -qm x; }",
            "", id="one that commits",
        ),
    ],
)  # fmt: skip
def test_a_hook_that_says_no_or_changes_files_leaves_all_as_it_was(
    bench: Bench, hook: str, body: str, words: str
) -> None:
    bench.repo.write_hook(hook, body)
    with bench.untouched():
        result = bench.apply(search_replace())
    assert (result.code, words in result.err) == (7, True)


def test_a_hook_may_change_the_message_only_so_far_as_it_stays_true(bench: Bench) -> None:
    bench.repo.write_hook("commit-msg", 'sed -i "1s/^/[x] /" "$1"')
    assert bench.apply(search_replace(), "-m", "Subject").code == 0
    assert bench.repo.git("log", "-1", "--format=%s") == "[x] Subject"
    assert bench.run("show", "--json").json()["verdict"] == "strict"


@pytest.fixture
def gated(bench: Bench) -> Bench:
    """With hkgit's own hooks installed."""
    assert bench.run("init").code == 0
    bench.repo.git("add", "-A")
    bench.repo.git("commit", "-q", "-m", "Install the gate")
    return bench


def test_hkgit_s_own_hooks_pass_what_has_its_hash_and_need_no_full_checkout(gated: Bench) -> None:
    result = gated.apply(first_line(gated))
    assert (result.code, result.err) == (0, "")


def test_hkgit_s_own_hooks_reject_a_blind_edit(gated: Bench) -> None:
    with gated.untouched():
        result = gated.apply(search_replace(), "--json")
    assert (result.code, result.json()["status"]) == (6, "rejected")
    assert "hkgit read" in result.err


def test_a_commit_by_hand_may_pass_those_hooks(gated: Bench) -> None:
    gated.repo.commit({"README.md": "By hand\n"})
    assert gated.run("log", "-n1", "--json").json()[0]["verdict"] == "ungoverned"
