"""aider's chat history: the answers that it has carried out, as it writes them beside the work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hkgit.agents.events import Editing
from hkgit.agents.logged_call import LoggedCall, join_calls
from hkgit.agents.programs.aider import read_chat
from tests.support.adopting import adopt, explained
from tests.support.repos import Repo
from tests.support.running import run

WRITTEN = Path(__file__).parents[1] / "streams" / "logs" / "aider-chats.chat.history.md"

START = """
# aider chat started at 2025-05-04 17:02:36

> /home/ada/.venv/bin/aider
> Aider v0.86.1
> Main model: some-model with {form} edit format
> Added src/a.py to the chat.
"""
APPLIED = "> Tokens: 5.4k sent, 1.1k received.\n> Applied edit to {path}\n"
FAILED = """\
> Tokens: 1.4k sent, 100 received.
> The LLM did not conform to the edit format.
> https://aider.chat/docs/troubleshooting/edit-errors.html
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in src/a.py
<<<<<<< SEARCH
z = 1
=======
z = 2
>>>>>>> REPLACE

The SEARCH section must exactly match an existing block of lines

# The other 1 SEARCH/REPLACE block were applied successfully.
"""


def block(old: str, new: str, path: str = "src/a.py") -> str:
    return f"```python\n{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


def turn(answer: str, *said: str) -> str:
    return f"\n#### Mend it.  \n\nHere it is:\n\n{answer}\nThat mends it.\n\n{''.join(said)}"


def read(tmp_path: Path, *turns: str, form: str = "diff-fenced") -> list[LoggedCall]:
    place = tmp_path / ".aider.chat.history.md"
    whole = START.format(form=form) + "".join(turns)
    place.write_text(re.sub("^(>.*)$", r"\1  ", whole, flags=re.MULTILINE))  # as aider ends them
    return [*join_calls("aider", read_chat(place))]


def words(found: list[LoggedCall]) -> str:
    return " ".join(str(getattr(each.did, "text", "")) for each in found)


def test_an_answer_that_was_applied_is_an_edit_a_block(tmp_path: Path) -> None:
    answer = block("x = 1\n", "x = 2\n") + block("y = 1\n", "y = 2\n")
    found = read(tmp_path, turn(answer, APPLIED.format(path="src/a.py")))
    told = [each.did.told for each in found if isinstance(each.did, Editing)]
    assert [each and each.names for each in told] == [("src/a.py",)] * 2
    assert {each.agent for each in found} == {"aider/0.86.1"}
    assert {each.time for each in found} != {0}


def test_an_answer_that_was_not_applied_is_none(tmp_path: Path) -> None:
    other = block("y = 1\n", "y = 2\n", "src/b.py")
    assert read(tmp_path, turn(block("x = 1\n", "x = 2\n"))) == []
    assert read(tmp_path, turn(other, APPLIED.format(path="src/a.py"))) == []


def test_blocks_that_did_not_fit_are_left_to_the_files(tmp_path: Path) -> None:
    """aider makes the others, says so, and has the model answer again."""
    answer = block("x = 1\n", "x = 2\n") + block("z = 1\n", "z = 2\n")
    again = "\nOnce more:\n\n" + block("y = 1\n", "y = 2\n") + APPLIED.format(path="src/a.py")
    found = read(tmp_path, turn(answer, FAILED), again)
    assert [("z = 2" in words([each]), "y = 2" in words([each])) for each in found] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_what_aider_has_undone_counts_for_nothing(tmp_path: Path) -> None:
    commit = "> Commit c339495 fix: Mend it\n> You can use /undo to undo.\n"
    undo = "\n#### /undo\n> Removed: c339495 fix: Mend it\n> Now at:  1234567 Begin\n"
    made = turn(block("x = 1\n", "x = 2\n"), APPLIED.format(path="src/a.py"), commit)
    assert read(tmp_path, made, undo) == []
    assert len(read(tmp_path, made)) == 1


def test_quotes_and_headings_within_a_fence_are_text_of_the_answer(tmp_path: Path) -> None:
    answer = block("# A\n", "# A\n\n> quoted\n\n#### Small\n", "b.md")
    [call] = read(tmp_path, turn(answer, APPLIED.format(path="b.md")))
    assert "> quoted  \n\n#### Small\n" in words([call])


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("udiff", "```diff\n--- src/a.py\n+++ src/a.py\n@@ ... @@\n x = 1\n-y = 2\n+y = 3\n```\n"),
        ("whole", "src/a.py\n```python\nx = 1\ny = 3\n```\n"),
        ("diff", block("y = 2\n", "y = 3\n")),
        ("editor-diff", block("y = 2\n", "y = 3\n")),
    ],
)
def test_adopt_finds_the_history_beside_the_work_and_explains_its_lines(
    repo: Repo, form: str, answer: str
) -> None:
    repo.commit({"src/a.py": "x = 1\ny = 2\n"})
    repo.write("src/a.py", b"x = 1\ny = 3\n")
    read(repo.path, turn(answer, APPLIED.format(path="src/a.py")), form=form)
    found = run("adopt", "-n", "--json", cwd=repo.path, env={"HOME": str(repo.path.parent)})
    changed = {each["path"]: each for each in found.json()["changes"][0]["explained"]}
    assert changed["src/a.py"]["lines"] == [2, 2]
    assert changed["src/a.py"]["agent"] == "aider/0.86.1"


def test_what_aider_itself_has_written_is_read(repo: Repo) -> None:
    """Three answers: one fits, one no longer does, and the next one to that is made.

    Both that are made change one line, so the commit tells their net change.
    """
    repo.commit({"greet.py": 'def greet(name):\n    print("Helo, " + name)\n'})
    repo.write("greet.py", b'def greet(name):\n    print("Hi, " + name)\n')
    answer = adopt(repo, WRITTEN, "-n")
    [(_, lines, _, where)] = explained(answer, "where")
    assert (lines, where[-3:], answer["changes"][0]["entries"]) == ([2, 2], ":61", 1)


@pytest.mark.parametrize("cut", [0, 10, 60, 150, 230, 260, 300], ids=lambda at: f"cut at {at}")
def test_a_history_that_is_cut_short_tells_no_edit(tmp_path: Path, cut: int) -> None:
    whole = START.format(form="diff") + turn(block("x = 1\n", "x = 2\n"))
    (place := tmp_path / ".aider.chat.history.md").write_text(whole[:cut])
    assert [*join_calls("aider", read_chat(place))] == []
