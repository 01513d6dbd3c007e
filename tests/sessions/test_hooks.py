"""The installed hooks: `git commit` in its forms, with a session's edits and the gate behind."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from hkgit.gate.entrypoints.hook_scripts import render_script
from hkgit.sessions.homes import may_wait
from tests.sessions.committing import LINES, PROVEN, Work, replacing
from tests.support.cases import cases
from tests.support.commands import AGENT, git, start
from tests.support.commits import TAKES_LATE
from tests.support.repos import Repo


@pytest.fixture
def template(hooked: Repo) -> Repo:
    return hooked


def test_a_commit_gets_its_evidence_and_says_so(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("add", "a.py")
    work.commit_with_hooks("-m", "Write numbers out")
    work.expect_clean()
    assert work.message[:2] == ["Write numbers out", ""]
    assert work.message[2].startswith("Hkgit-Entry: sha256:")
    assert str(work.message).count("Hkgit-Entry: ") == 1
    assert work.desk.status().uncommitted == 0


def test_a_commit_says_of_an_edit_that_its_hunk_was_miscounted(work: Work) -> None:
    work.desk.read("a.py")
    text = "```diff\n--- a/a.py\n+++ b/a.py\n@@ -5,9 +5,9 @@\n-line 5\n+five\n```\n"
    assert work.desk.edit(work.desk.parse(text)).ok
    work.commit(add="a.py")
    work.expect_clean()
    assert [edit.repairs for entry in work.entries for edit in entry.edits] == [("counts",)]


def test_hunks_picked_by_add_p_are_committed_and_the_rest_waits(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 25\n", "twenty-five\n")
    for answers, waiting in ((("n", "y"), 1), (("y",), 0)):
        work.pick(*answers)
        work.commit_with_hooks("-m", "One hunk")
        assert (work.verdict(), work.desk.status().uncommitted) == (PROVEN, waiting)
    assert [len(entry.edits) for entry in work.entries] == [1, 1]
    assert work.repo.status() == []


def test_an_amended_commit_names_old_and_new_evidence_once(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "One")
    work.edit("line 6\n", "six\n")
    work.commit_with_hooks("-a", "--amend", "--no-edit")
    work.expect_clean()
    assert str(work.message).count("Hkgit-Entry:") == 2


TAKE_BACK = "hkgit undo --session task --call 1 && hkgit read :/a.py:5-5 --session task"


@pytest.mark.parametrize("options", [("-a",), ()], ids=["-a", "staged"])
def test_what_the_gate_rejects_leaves_nothing_behind(work: Work, options: tuple[str, ...]) -> None:
    assert work.desk.edit(replacing("line 5\n", "five\n")).blind
    if not options:
        work.repo.git("add", "a.py")
    before = work.repo.status()
    said = work.commit_with_hooks(*options, "-m", "Blind", code=1)
    assert f"fix: {TAKE_BACK}  #" in said
    assert work.repo.status() == before


def test_a_blind_edit_is_made_again_as_is_said(work: Work) -> None:
    work.desk.edit(replacing("line 5\n", "five\n"))
    work.commit_with_hooks("-a", "-m", "Blind", code=1)
    work.follow(TAKE_BACK)
    assert work.repo.status() == []
    work.desk.edit(replacing("line 5\n", "five\n"))
    work.commit_with_hooks("-a", "-m", "Seen")
    assert work.verdict() == PROVEN


def test_where_late_evidence_counts_a_blind_edit_need_not_be_made_again(work: Work) -> None:
    work.repo.commit({".hkgit/config.toml": TAKES_LATE}, "Take what is read afterwards")
    work.desk.edit(replacing("line 5\n", "five\n"))
    said = work.commit_with_hooks("-a", "-m", "Blind", code=1)
    assert "fix: hkgit read :/a.py:5-5 --session task --before 1  #" in said


@cases(
    {
        "a person tells them apart": (True, "git reset -q && git add -p"),
        "an agent has no keyboard": (False, ".*hkgit redo --tree "),
    },
)
def test_lines_by_hand_beside_a_sessions_get_a_commit_too(
    is_person: bool, mend: str, work: Work
) -> None:
    work.repo.commit({".hkgit/config.toml": TAKES_LATE}, "Take what is read afterwards")
    work.desk.read("a.py")
    work.desk.edit(replacing("line 5\n", "five\n"))
    work.repo.write("a.py", b"by hand\n" + work.repo.read("a.py"))
    done, said = git(work.repo, "commit", "-am", "Mixed", env={} if is_person else AGENT)
    assert not done
    assert re.search(f"fix: {mend}", said)


def test_a_line_that_both_changed_is_committed_as_the_agents_text_first(work: Work) -> None:
    work.edit("line 5\n", "five  \n")
    work.repo.write("a.py", LINES.replace("line 5", "five"))
    done, said = git(work.repo, "commit", "-am", "Mixed")
    assert not done
    assert "fix: git reset -q && git add -p  # " in said
    assert "of a line that both changed, the agent's text first" in said
    work.repo.write("a.py", LINES.replace("line 5", "five  "))
    work.commit_with_hooks("-a", "-m", "The agent's text")
    assert work.verdict() == PROVEN
    work.repo.write("a.py", LINES.replace("line 5", "five"))
    assert git(work.repo, "commit", "-qam", "By hand")[0]


def test_whole_files_by_hand_and_blind_edits_are_mended_by_what_is_said(work: Work) -> None:
    """One file is gone, one is changed, and a session's edit of a third is blind."""
    work.repo.commit({"c.py": "c\n", ".hkgit/config.toml": TAKES_LATE}, "More")
    work.desk.edit(replacing("line 5\n", "five\n"))
    work.repo.write("c.py", "by hand\n")
    (work.repo.path / "b.py").unlink()
    work.repo.git("add", "-A")
    commands = []
    while said := git(work.repo, "commit", "-m", "Rest")[1].partition("fix: ")[2]:
        command = said.partition("  #")[0]
        commands.append(command.partition(" --")[0])
        work.follow(command, {})
    assert commands == ["git commit -q -m 'By hand'", "hkgit read :/a.py:5-5"]
    assert work.verdict().startswith("strict")
    assert work.repo.git("show", "--format=%s", "--name-only", "HEAD~1").split() == [
        *("By", "hand", "b.py", "c.py")
    ]
    assert work.repo.status() == []


def test_an_empty_message_still_stops_a_commit(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    said = work.commit_with_hooks("-a", code=1, editor="true")
    assert "empty commit message" in said


@pytest.mark.slow
def test_words_written_in_an_editor_get_their_trailers(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    write = 'f() { { echo Write numbers out; cat "$1"; } >"$1.new"; mv "$1.new" "$1"; }; f'
    work.commit_with_hooks("-a", "-v", editor=write)
    assert work.message[0] == "Write numbers out"
    assert work.verdict() == PROVEN
    assert work.message[2].startswith("Hkgit-Entry: sha256:")


def test_trailers_go_above_scissors_whatever_mark_git_has_chosen(work: Work) -> None:
    work.repo.git("config", "core.commentChar", "auto")
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-v", "-e", "-m", "Write\n\n#5 is done", editor="true")
    work.expect_clean()
    assert work.message[:4] == ["Write", "", "#5 is done", ""]
    assert work.message[4].startswith("Hkgit-Entry: sha256:")


def test_scissors_that_a_message_quotes_cut_nothing_off(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    quoted = f"    # {'-' * 24} >8 {'-' * 24}"
    work.commit_with_hooks("-a", "-m", f"Quote\n\n{quoted}\n\nMore words")
    work.expect_clean()
    assert work.message[:6] == ["Quote", "", quoted, "", "More words", ""]
    assert work.message[6].startswith("Hkgit-Entry: sha256:")


@pytest.mark.slow
def test_a_merge_names_no_evidence_of_its_parents(work: Work) -> None:
    work.repo.git("switch", "-q", "-c", "side")
    work.edit("line 5\n", "five\n")
    work.commit(add="a.py")
    work.repo.git("switch", "-q", "main")
    work.repo.commit({"b.py": "by hand\n"}, "By hand")
    work.repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side", env=AGENT)
    assert work.message == ["Merge"]


def test_without_sessions_nothing_is_recorded_or_said(work: Work) -> None:
    work.repo.write("a.py", "by hand\n")
    said = work.commit_with_hooks("-a", "-m", "By hand", "--author", "Ada <ada@example.org>")
    assert work.verdict() == "without evidence"
    assert "hkgit:" not in said


# Commits that are taken back: what was edited waits again, with its evidence


def commit_twice(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "Five")
    work.edit("line 25\n", "twenty-five\n")
    work.commit_with_hooks("-a", "-m", "Twenty-five")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "reset",
    [
        ["reset", "-q", "HEAD~1"],
        ["reset", "-q", "--soft", "HEAD~1"],
        ["reset", "-q", "HEAD~2"],
        ["reset", "-q", "--soft", "HEAD~2"],
    ],
    ids=" ".join,
)
def test_what_a_reset_gives_back_has_its_evidence_still(work: Work, reset: Sequence[str]) -> None:
    commit_twice(work)
    work.repo.git(*reset)
    assert work.desk.status().uncommitted == int(reset[-1][-1])
    work.commit_with_hooks("-a", "-m", "Again")
    work.expect_clean()
    assert work.desk.status().uncommitted == 0


def test_so_has_a_part_of_it(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 25\n", "twenty-five\n", "b.py")
    work.commit_with_hooks("-a", "-m", "Both")
    work.repo.git("reset", "-q", "HEAD~1")
    work.commit_with_hooks("-m", "One", "--", "b.py")
    work.commit_with_hooks("-a", "-m", "The other")
    assert [work.verdict("HEAD~1"), work.verdict()] == [PROVEN, PROVEN]
    assert work.repo.status() == []


def test_so_has_what_was_amended(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.commit_with_hooks("-a", "-m", "Five")
    work.edit("line 25\n", "twenty-five\n")
    work.commit_with_hooks("-a", "--amend", "-m", "Both")
    work.repo.git("reset", "-q", "HEAD~1")
    work.commit_with_hooks("-a", "-m", "Again")
    assert work.verdict() == PROVEN


def test_what_a_reset_throws_away_waits_for_nothing(work: Work) -> None:
    commit_twice(work)
    work.repo.git("reset", "-q", "--hard", "HEAD~1")
    assert work.desk.status().uncommitted == 0
    work.edit("line 9\n", "nine\n")
    work.commit_with_hooks("-a", "-m", "Nine")
    assert work.verdict() == PROVEN


def test_what_is_committed_is_gits_to_take_back(work: Work) -> None:
    commit_twice(work)
    work.edit("line 9\n", "nine\n")
    work.desk.undo(whole_session=True)
    assert work.repo.status() == []


def test_a_later_commit_finds_that_nothing_waits(work: Work) -> None:
    commit_twice(work)
    assert may_wait(work.repo.path)
    work.repo.write("b.py", "by hand\n")
    work.commit_with_hooks("-a", "-m", "By hand", "--author", "Ada <ada@example.org>")
    assert not may_wait(work.repo.path)


def run_post_commit(work: Work, folder: Path) -> str:
    """The hook on its own; what it starts as hkgit."""
    (folder / "post-commit").write_bytes(render_script())
    (folder / "hkgit").write_text('#!/bin/sh\necho "$*"\n')
    (folder / "hkgit").chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = start("sh", str(folder / "post-commit"), cwd=work.repo.path, env={"PATH": path})
    assert done.returncode == 0
    return done.stdout


def test_behind_a_commit_with_evidence_nothing_is_started(work: Work, tmp_path: Path) -> None:
    commit_twice(work)
    (tmp_path / "hook").mkdir()
    assert run_post_commit(work, tmp_path / "hook") == ""
    work.repo.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "Past")
    assert run_post_commit(work, tmp_path / "hook") == "record --committed\n"
