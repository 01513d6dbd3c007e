"""What shell commands change is recorded, for agents whose hooks run before a command and after it.

The commands really run; the inputs are worded as Codex words them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hkgit.sessions import homes as places
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.edit_session import EditSession
from tests.agents.streaming import Talk, change, session, statuses
from tests.support.cases import cases
from tests.support.commands import ROOT, git, start
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard

LINES = "".join(f"line {n}\n" for n in range(1, 21))
FILES: dict[str, str | bytes | None] = {
    "a.txt": LINES,
    "b.txt": LINES,
    "dir/c.txt": LINES,
    "d.bin": b"\x00\x01\n\xff\n",
    "empty.txt": "",
    "equal.txt": "a\n\n\n\nb\n\n" + "a\nb\n\n" * 5,
}


@pytest.fixture
def seeded(repo: Repo) -> Repo:
    repo.commit({**FILES, ".gitattributes": "* -text\n"})
    return repo


@contextmanager
def running(repo: Repo, command: str, *options: str) -> Iterator[list[str]]:
    """A command that has run between its hooks; what else happens meanwhile happens in the block.

    What the model is told of it stands in the list afterwards.
    """
    remarks: list[str] = []
    end = Talk(repo.path, "s", *options, agent="codex").begin("Bash", command=command)
    yield remarks
    done = start("sh", "-c", command, cwd=repo.path)
    remarks.append(end(done.stdout))


def call(repo: Repo, command: str, *options: str) -> str:
    """Run a command as the agent does; what the model is told."""
    with running(repo, command, *options) as remarks:
        pass
    return "".join(remarks)


def recorded(repo: Repo, session: str = "codex-s") -> list[list[str]]:
    """The paths that each call of a session has changed."""
    known = [each for each in statuses(repo) if each.session == session]
    return [sorted(each.files) for status in known for each in status.calls]


def blind(repo: Repo) -> int:
    """How many of the edits that wait have no evidence."""
    [status] = [each for each in statuses(repo) if each.session == "codex-s"]
    return status.blind


def test_lines_that_were_read_and_then_changed_are_covered(seeded: Repo) -> None:
    call(seeded, "cat a.txt")
    assert call(seeded, "sed -i s/5/five/ a.txt && cat a.txt") == ""
    assert recorded(seeded) == [["a.txt"]]
    assert blind(seeded) == 0


def test_the_model_is_told_of_lines_that_it_has_not_read(seeded: Repo) -> None:
    said = call(seeded, "sed -i s/line.5/five/ a.txt dir/c.txt")
    assert "this edit is blind: a.txt:5-5, dir/c.txt:5-5 was not read before it" in said
    assert recorded(seeded) == [["a.txt", "dir/c.txt"]]
    assert blind(seeded) == 2


@pytest.mark.sampled
@cases(
    "command, changed",
    {
        "a new file": ("printf 'new\\n' >new.txt", ["new.txt"]),
        "a deletion": ("rm a.txt", ["a.txt"]),
        "a rename": ("mv a.txt e.txt", ["a.txt", "e.txt"]),
        "git's rename": ("git mv a.txt e.txt", ["a.txt", "e.txt"]),
        "staged at once": ("echo 7 >>a.txt; git add a.txt", ["a.txt"]),
        "in a directory": ("cd dir && echo 7 >>c.txt", ["dir/c.txt"]),
        "a command that fails": ("echo 7 >>a.txt; exit 3", ["a.txt"]),
        "an odd name": ("echo 7 >'a bé'", ["a bé"]),
        "a mode": ("chmod +x a.txt", ["a.txt"]),
        "a mode and a line": ("chmod +x a.txt; echo 7 >>a.txt", ["a.txt"]),
        "a new program": ("echo 7 >n.sh; chmod +x n.sh", ["n.sh"]),
        "a new file without a line": ("touch n.txt", ["n.txt"]),
        "one removed": ("rm empty.txt", ["empty.txt"]),
        "one filled": ("echo 7 >empty.txt", ["empty.txt"]),
        "one of several blank lines": ("sed -i 3d equal.txt", ["equal.txt"]),
        "one of several blocks": ("sed -i 17s/b/c/ equal.txt", ["equal.txt"]),
        "one of them removed": ("sed -i 9,11d equal.txt", ["equal.txt"]),
        "a line put into one": ("sed -i '9a b' equal.txt", ["equal.txt"]),
        "a blank line put in": ("sed -i '3a\\\\' equal.txt", ["equal.txt"]),
        "two of them": ("sed -i '11s/b/c/;17,18d' equal.txt", ["equal.txt"]),
        "bytes beside": ("head -c 9 /dev/zero >d.bin; echo 7 >>a.txt", ["a.txt"]),
        "committed at once": ("echo 7 >>a.txt; git commit -qam Seven", ["a.txt"]),
        "committed one by one": (
            "echo 7 >>a.txt; git commit -qam Seven; echo 8 >n.txt; git add -A; git commit -qm 8",
            ["a.txt", "n.txt"],
        ),
    },
)
def test_what_a_command_does_to_files_is_recorded(
    seeded: Repo, command: str, changed: list[str]
) -> None:
    call(seeded, command)
    assert sorted({path for each in recorded(seeded) for path in each}) >= changed
    before = recorded(seeded)
    call(seeded, "true")
    assert recorded(seeded) == before


@pytest.mark.sampled
@cases(
    "command",
    {
        "a look": "ls; cat a.txt",
        "a touch": "touch a.txt",
        "made and taken back": "echo 7 >>a.txt; git checkout -q a.txt",
        "stashed": "echo 7 >>a.txt; git stash -q",
        "moved on": "echo 7 >>a.txt; git commit -qam Seven; git checkout -q other",
        "another branch": "git checkout -q other",
        "a merge with conflicts": "git merge -q other || true",
        "a cherry-pick with conflicts": "git cherry-pick -n other || true",
        "a link": "ln -s a.txt link",
        "a repository inside": "git init -q nested && touch nested/x",
        "what no edit takes": "mkdir big && head -c 70000000 /dev/zero >big/x",
        "hundreds of files": "for n in $(seq 300); do echo >new-$n; done",
        "ignored files": "echo /out >.git/info/exclude; echo 1 >out",
    },
)
def test_what_is_no_edit_is_not_recorded(seeded: Repo, command: str) -> None:
    seeded.git("checkout", "-q", "-b", "other")
    seeded.commit({"a.txt": LINES.replace("line 9", "nine")})
    seeded.git("checkout", "-q", "main")
    seeded.commit({"a.txt": LINES.replace("line 9", "neuf")})
    call(seeded, command)
    assert recorded(seeded) == []


@cases(
    "start, command, calls",
    {
        "another branch": ("main", "git checkout -q other", [["a.txt"]]),
        "a merge": ("main", "git merge -q other", [["a.txt"]]),
        "a commit undone": ("other", "git reset -q HEAD~1", [["a.txt"]]),
        "its files undone as well": ("other", "git reset -q --hard HEAD~1", []),
    },
)
def test_what_git_brings_before_an_edit_is_not_the_agents(
    seeded: Repo, start: str, command: str, calls: list[list[str]]
) -> None:
    seeded.git("checkout", "-q", "-b", "other")
    seeded.commit({"a.txt": LINES.replace("line 9\n", "nine\n")})
    seeded.git("checkout", "-q", start)
    said = call(seeded, f"{command} && sed -i s/line.5/five/ a.txt")
    assert recorded(seeded) == calls
    assert ("a.txt:5-5 was not read" in said) == bool(calls)
    assert "a.txt:9-9" not in said


@pytest.mark.sampled
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("reset", ["--soft", "--mixed", "--hard"])
@pytest.mark.parametrize("before", ["b.txt", "a.txt"], ids=["another file", "the same file"])
def test_an_edit_committed_past_the_hooks_after_a_reset_is_told(
    before: str, reset: str, seeded: Repo
) -> None:
    """What the commit undone had done is nobody's edit; where the two meet nothing is claimed."""
    seeded.commit({before: LINES.replace("line 9\n", "nine\n")})
    again = "sed -i s/line.5/five/ a.txt && git add -A && git commit -q --no-verify -m Again"
    said = call(seeded, f"git reset -q {reset} HEAD~1 && {again}")
    if (reset, before) == ("--hard", "a.txt"):
        assert recorded(seeded) == []
        return
    assert recorded(seeded) == [["a.txt"]]
    [session] = places.find_folders(seeded.path)
    [edit] = SessionJournal(session).load().effective
    [spec] = edit.entries
    assert "five" in str(spec.edits[0].edit)
    assert "nine" not in str([edit.edit for edit in spec.edits])
    assert "(Again) bypassed git's hooks" in said or "a.txt:5-5 was not read" in said
    assert "bypassed git's hooks" in run("doctor", cwd=seeded.path).out


def test_what_a_person_had_changed_before_is_not_the_agents(seeded: Repo) -> None:
    seeded.write("a.txt", LINES.replace("line 2\n", "two\n").encode())
    seeded.write("mine.txt", b"mine\n")
    call(seeded, "cat a.txt; sed -i s/line.5/five/ a.txt")
    assert recorded(seeded) == [["a.txt"]]
    seeded.git("add", "-A")
    assert run("record", "--staged", cwd=seeded.path).code == 0
    [entry] = (seeded.path / ".hkgit" / "ledger").rglob("*.json")
    said = entry.read_text()
    assert "five" in said
    assert "two" not in said
    assert "mine" not in said


def test_commands_that_run_at_once_have_each_their_own(seeded: Repo) -> None:
    with running(seeded, "sed -i s/line.5/five/ a.txt") as first:
        assert call(seeded, "sed -i s/line.7/seven/ b.txt")
        call(seeded, "sed -i s/line.8/eight/ a.txt")
    assert recorded(seeded) == [["b.txt"], ["a.txt"], ["a.txt"]]
    assert "a.txt:5-5 was" in "".join(first)


def test_what_another_agent_edits_meanwhile_is_its_own(seeded: Repo) -> None:
    words = ("--file", "b.txt", "--old", "line 7", "--new", "seven")
    with running(seeded, "sed -i s/line.5/five/ a.txt"):
        assert run("edit", "--session", "other", *words, cwd=seeded.path).code == 0
    assert recorded(seeded) == [["a.txt"]]
    assert recorded(seeded, "other") == [["b.txt"]]
    with running(seeded, "true"):
        assert run("undo", "--session", "other", cwd=seeded.path).code == 0
    assert recorded(seeded) == [["a.txt"]]


def test_a_tool_that_edits_while_a_command_runs_is_recorded_once(seeded: Repo) -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 3\n+three\n*** End Patch\n"
    with running(seeded, "sed -i s/line.5/five/ a.txt"):
        end = Talk(seeded.path, agent="codex").begin("apply_patch", command=patch)
        change(seeded.path / "a.txt", ("line 3\n", "three\n"))
        end("Done")
    assert recorded(seeded) == [["a.txt"], ["a.txt"]]
    seeded.git("add", "-A")
    assert run("record", "--staged", cwd=seeded.path).code == 0
    entries = [each.read_text() for each in (seeded.path / ".hkgit/ledger").rglob("*.json")]
    assert sum('"line 3\\n"' in entry for entry in entries) == 1


def test_where_it_steers_commands_are_recorded_all_the_same(seeded: Repo) -> None:
    call(seeded, "echo 7 >>a.txt", "--steer")
    assert recorded(seeded) == [["a.txt"]]


@pytest.fixture
def gated(seeded: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with hooks, in the shell of Codex."""
    guard(seeded)
    monkeypatch.setenv("CODEX_THREAD_ID", "1")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "codex")
    return seeded


def test_a_command_that_edits_and_commits_has_its_evidence(gated: Repo) -> None:
    call(gated, "cat a.txt b.txt")
    said = call(gated, "sed -i s/line.5/five/ a.txt && git commit -qam Five; echo 7 >>b.txt")
    assert said == ""
    assert gated.git("log", "-1", "--format=%s") == "Five"
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=gated.path)
    assert "strict" in judged.out
    gated.git("commit", "-qam", "Seven")
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=gated.path)
    assert "strict" in judged.out


def test_one_that_commits_what_was_not_read_is_refused(gated: Repo) -> None:
    before = gated.head
    call(gated, "sed -i s/line.5/five/ a.txt && git commit -qam Five")
    assert gated.head == before
    assert blind(gated) == 1


def test_another_agents_commit_takes_in_nothing(
    gated: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CODEX_THREAD_ID")
    monkeypatch.setenv("GEMINI_CLI", "1")
    with running(gated, "true"):
        gated.write("a.txt", LINES.replace("line 5\n", "five\n").encode())
        assert not git(gated, "commit", "-qam", "Five")[0]
        assert recorded(gated) == []


def test_a_commit_in_gooses_shell_is_known_by_its_session(
    gated: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its variable stands in terminals of people too: only while its command runs is it goose's."""
    monkeypatch.delenv("CODEX_THREAD_ID")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ada Tester")
    monkeypatch.setenv("AGENT_SESSION_ID", "20261123_1")
    gated.write("b.txt", "by hand\n")
    gated.git("commit", "-qam", "By hand")
    EditSession.open(gated.path, "goose-20261123_1", agent="goose").read("a.txt", 1, 20)
    command = "sed -i s/line.5/five/ a.txt && git commit -qam Five"
    end = Talk(gated.path, "20261123_1", agent="goose").begin("shell", command=command)
    start("sh", "-c", command, cwd=gated.path)
    end()
    assert "strict" in run("gate", "--range", "HEAD~1..HEAD", cwd=gated.path).out
    gated.write("b.txt", "by hand again\n")
    gated.git("commit", "-qam", "By hand again")


def test_with_the_cache_that_the_guide_names_git_opens_no_directory_for_a_hook(
    seeded: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a command makes in a directory that git remembers, and in a new one, is seen still."""
    guide = (ROOT / "docs/guide/costs.md").read_text()
    for line in re.findall(r"^git config .*", guide, re.MULTILINE):
        seeded.git(*line.split()[1:])
    for folder in (seeded.path, seeded.path / "dir"):
        os.utime(folder, (1, 1))  # git trusts no directory that is as young as its index
    seeded.git("status")
    seen = seeded.path / ".git/seen"
    monkeypatch.setenv("GIT_TRACE2_PERF", str(seen))
    call(seeded, "make")
    assert re.findall(r"opendir:(\d+)", seen.read_text()) == ["0", "0"]
    call(seeded, "echo 1 >dir/d.txt && mkdir -p new/er && echo 2 >new/er/e.txt")
    assert recorded(seeded) == [["dir/d.txt", "new/er/e.txt"]]


def test_a_command_with_half_a_character_is_recorded_like_others(seeded: Repo) -> None:
    end = Talk(seeded.path, agent="codex").begin("Bash", command="echo 7 >>a.txt # \ud83d")
    seeded.write("a.txt", LINES + "7\n")
    end()
    assert recorded(seeded) == [["a.txt"]]


def test_a_snapshot_that_is_damaged_claims_nothing(seeded: Repo) -> None:
    seeded.write("a.txt", LINES.replace("line 2\n", "two\n").encode())
    with running(seeded, "echo 7 >>a.txt"):
        for kept in (seeded.path / ".git/hkgit/sessions/codex-s/versions").rglob("*"):
            if kept.is_file():
                kept.write_bytes(b"")
    assert recorded(seeded) == []


def test_how_a_file_was_before_a_command_outlasts_what_its_session_forgets(seeded: Repo) -> None:
    """A long session forgets versions at a commit, which the command itself may make."""
    call(seeded, "echo 7 >>b.txt")
    seeded.write("a.txt", LINES.replace("line 2\n", "two\n"))
    with running(seeded, "echo 7 >>a.txt"):
        SessionJournal(seeded.path / ".git/hkgit/sessions/codex-s").load().forget([])
    assert recorded(seeded) == [["a.txt"]]


BLOCK = "".join(f"    step({n})\n" for n in range(40))
CHANGES_OF_EQUAL_PLACES = {
    "a blank line more at the end": ("x\n\n\n\n\n", "x\n\n\n\n\n\n"),
    "a blank line less": ("x\n\n\n\ny\n", "x\n\n\ny\n"),
    "a line like those above at the end": ("x\nx\nx\n", "x\nx\nx\nx\n"),
    "the same without an end of the last line": ("x\nx\nx", "x\nx\nx\nx"),
    "one more of equal lines": ("a\na\n\na\na\nx\n", "a\na\n\na\na\na\nx\n"),
    "between equal blocks": (BLOCK * 4, BLOCK * 2 + "    stop()\n" + BLOCK * 2),
    "an equal block more": (BLOCK * 4, BLOCK * 5),
    "in one of equal blocks": (BLOCK * 4, BLOCK * 2 + BLOCK.replace("(20)", "(0)") + BLOCK),
}


@pytest.mark.parametrize("is_read", [True, False], ids=["read", "unread"])
@cases("before, after", CHANGES_OF_EQUAL_PLACES)
def test_a_change_at_one_of_equal_places_is_recorded(
    before: str, after: str, is_read: bool, repo: Repo
) -> None:
    """Its words alone have several places, so all of the file around it is told."""
    repo.commit({"a.txt": before, "after.txt": after, ".gitattributes": "* -text\n"})
    if is_read:
        Talk(repo.path, agent="codex").tell("after", "Bash", before, command="cat a.txt")
    assert ("was not read before" in call(repo, "cp after.txt a.txt")) != is_read
    [made] = session(repo).calls
    assert (made.files, made.blind) == (("a.txt",), not is_read)
