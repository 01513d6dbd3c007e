"""aider's histories as calls: what a request shows, and what of its answer aider has made."""

import re
from pathlib import Path

import pytest

from hkgit.agents.events import Editing, ToolReading
from hkgit.agents.logged_call import LoggedCall, join_calls
from hkgit.agents.programs.aider import read_chat, read_history
from hkgit.workflows.log_steps import Told
from tests.support.adopting import adopt, begin, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run

SHOWN = """\
I have *added these files to the chat* so you can go ahead and edit them.

*Trust this message as the true contents of these files!*
Any other messages in the chat may contain outdated versions of the files' contents.
"""


def block(path: str, old: str, new: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


def exchange(
    files: dict[str, str], answer: str, fence: tuple[str, str] = ("```", "```"), prompt: str = ""
) -> str:
    """A request that shows files, and its answer, as aider writes them down."""
    shown = SHOWN + "".join(
        f"\n{name}\n{fence[0]}\n{has}{fence[1]}\n" for name, has in files.items()
    )
    asked = [f"USER {line}\n" for line in shown.splitlines()]
    said = [f"ASSISTANT {line}\n" for line in answer.splitlines()]
    head = ["TO LLM 2026-11-23T03:01:02\n", "-------\n"]
    between = ["-------\n", "USER Mend it.\n", "LLM RESPONSE 2026-11-23T03:01:03\n"]
    system = [f"SYSTEM {prompt}\n", "-------\n"] if prompt else []
    return "".join([*head, *system, *asked, *between, *said])


def read(tmp_path: Path, text: str) -> tuple[list[ToolReading], list[Editing]]:
    place = tmp_path / ".aider.llm.history"
    place.write_text(text)
    made = [each.did for each in join_calls("aider", read_history(place))]
    shown = [each for each in made if isinstance(each, ToolReading)]
    return shown, [each for each in made if isinstance(each, Editing)]


def tell(edit: Editing) -> Told:
    """What a history tells of an edit."""
    assert edit.told is not None
    return edit.told


def test_files_of_a_request_are_shown_whole_to_its_answer(tmp_path: Path) -> None:
    files = {"a.py": "x = 1\n\ny = 2\n", "no end": "last", "empty": ""}
    shown, [edit] = read(tmp_path, exchange(files, block("a.py", "x = 1\n", "x = 2\n")))
    assert {each.path: each.answer for each in shown} == files
    assert (tell(edit).names, tell(edit).before) == (("a.py",), {"a.py": files["a.py"].encode()})


def test_another_fence_stands_around_files_that_hold_one(tmp_path: Path) -> None:
    files = {"a.md": "```\ncode\n```\nx = 1\n"}
    answer = block("a.md", "x = 1\n", "x = 2\n")
    [shown], _ = read(tmp_path, exchange(files, answer, ("<source>", "</source>")))
    assert shown.answer == files["a.md"]


def test_an_answer_whose_old_text_is_not_there_was_refused_by_aider(tmp_path: Path) -> None:
    files = {"a.py": "x = 1\ny = 2\n"}
    answer = block("a.py", "z = 1\n", "z = 2\n") + block("a.py", "y = 2\n", "y = 3\n")
    _, [edit] = read(tmp_path, exchange(files, answer))
    assert "z = 2" not in str(edit.text)
    assert "y = 3" in str(edit.text)


def test_an_answer_after_which_the_file_is_shown_as_it_was_has_changed_nothing(
    tmp_path: Path,
) -> None:
    files = {"a.py": "x = 1\n"}
    once = exchange(files, block("a.py", "x = 1\n", "x = 2\n"))
    _, edits = read(tmp_path, once + once)
    assert len(edits) == 1


def test_an_empty_old_text_makes_a_file_and_otherwise_nothing_is_said_of_it(tmp_path: Path) -> None:
    _, [edit] = read(tmp_path, exchange({}, block("new.txt", "", "Greets.\n")))
    assert (edit.dialect, tell(edit).before) == ("text-editor", None)


PROMPTS = {
    "whole": "You MUST use this *file listing* format:",
    "udiff": "Return edits similar to unified diffs that `diff -U0` would produce.",
    "patch": "Describe the changes using the V4A diff format, enclosed within markers.",
    "ask": "Describe code changes however you like. Don't use SEARCH/REPLACE blocks!",
}
FILES = {"src/a.py": "x = 1\ny = 2\n", "b.md": "# B\n"}
UDIFF = "```diff\n--- src/a.py\n+++ src/a.py\n@@ ... @@\n x = 1\n-y = 2\n+y = 3\n```\n"
PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n x = 1\n-y = 2\n+y = 3\n*** End Patch\n"
WHOLE = "So:\n\nsrc/a.py\n```python\nx = 1\ny = 3\n```\n"
WRONG = "*** Update File: b.md\n@@\n-# C\n+# D\n*** End Patch\n"


@cases(
    "form, answer, dialects",
    {
        "udiff": ("udiff", f"So:\n\n{UDIFF}", ["unified-diff"]),
        "one hunk refused": ("udiff", UDIFF + UDIFF.replace(" x", " z"), ["unified-diff"]),
        "patch": ("patch", f"So:\n\n{PATCH}", ["apply-patch"]),
        "a patch refused as a whole": ("patch", PATCH.replace("*** End Patch\n", WRONG), []),
        "a whole file": ("whole", WHOLE, ["text-editor"]),
        "marked name": ("whole", WHOLE.replace("src/a.py", "**src/a.py:**"), ["text-editor"]),
        "half written": ("whole", WHOLE.replace("```\n", ""), []),
        "a command": ("whole", "Run this:\n```\nmake\n```\n", []),
        "a question": ("ask", WHOLE + UDIFF + PATCH, []),
        "blocks as an answer": ("ask", block("src/a.py", "y = 2\n", "y = 3\n"), []),
    },
)
def test_each_format_is_read_where_the_request_asks_for_it(
    tmp_path: Path, form: str, answer: str, dialects: list[str]
) -> None:
    shown, edits = read(tmp_path, exchange(FILES, answer, prompt=PROMPTS[form]))
    assert [each.dialect for each in edits] == dialects
    assert bool(shown) == bool(dialects)
    for edit in edits:
        assert tell(edit).names == ("src/a.py",)
        assert tell(edit).before == {"src/a.py": FILES["src/a.py"].encode()}
        assert "y = 3" in str(edit.text)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return begin(tmp_path_factory.mktemp("aider"), FILES, {"src/a.py": "x = 1\ny = 3\n"})


@pytest.mark.parametrize(("form", "answer"), [("udiff", UDIFF), ("patch", PATCH), ("whole", WHOLE)])
def test_the_lines_of_each_format_are_explained(
    changed: Repo, tmp_path: Path, form: str, answer: str
) -> None:
    place = tmp_path / ".aider.llm.history"
    place.write_text(exchange(FILES, answer, prompt=PROMPTS[form]))
    told = adopt(changed, place, "--working-tree", "-n")
    assert explained(told) == [("src/a.py", [2, 2], "receipt")]


def test_a_whole_file_may_be_new_and_hold_fences(tmp_path: Path) -> None:
    answer = "docs/new.md\n````\n# New\n```\nx\n```\n````\n"
    _, [edit] = read(tmp_path, exchange(FILES, answer, prompt=PROMPTS["whole"]))
    assert (tell(edit).before, tell(edit).after) == (None, {"docs/new.md": b"# New\n```\nx\n```\n"})


@cases(
    "text",
    {
        "nothing": "",
        "an answer without a time or words": "LLM RESPONSE \n",
        "cut short in a request": "TO LLM 2026\nUSER x",
        "a whole file": exchange({"a.py": "x\n"}, "a.py\n```\ny\n```\n"),
        "cut short in a block": exchange({"a": "x\n"}, "a\n<<<<<<< SEARCH\nx\n"),
        "bytes": "\0\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
    },
)
def test_what_tells_no_edit_is_none(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == ([], [])


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


def fence(old: str, new: str, path: str = "src/a.py") -> str:
    return f"```python\n{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


def turn(answer: str, *said: str) -> str:
    return f"\n#### Mend it.  \n\nHere it is:\n\n{answer}\nThat mends it.\n\n{''.join(said)}"


def read_chats(tmp_path: Path, *turns: str, form: str = "diff-fenced") -> list[LoggedCall]:
    place = tmp_path / ".aider.chat.history.md"
    whole = START.format(form=form) + "".join(turns)
    place.write_text(re.sub("^(>.*)$", r"\1  ", whole, flags=re.MULTILINE))  # as aider ends them
    return [*join_calls("aider", read_chat(place))]


def words(found: list[LoggedCall]) -> str:
    return " ".join(str(getattr(each.did, "text", "")) for each in found)


def test_an_answer_that_was_applied_is_an_edit_a_block(tmp_path: Path) -> None:
    answer = fence("x = 1\n", "x = 2\n") + fence("y = 1\n", "y = 2\n")
    found = read_chats(tmp_path, turn(answer, APPLIED.format(path="src/a.py")))
    told = [each.did.told for each in found if isinstance(each.did, Editing)]
    assert [each and each.names for each in told] == [("src/a.py",)] * 2
    assert {each.agent for each in found} == {"aider/0.86.1"}
    assert {each.time for each in found} != {0}


def test_an_answer_that_was_not_applied_is_none(tmp_path: Path) -> None:
    other = fence("y = 1\n", "y = 2\n", "src/b.py")
    assert read_chats(tmp_path, turn(fence("x = 1\n", "x = 2\n"))) == []
    assert read_chats(tmp_path, turn(other, APPLIED.format(path="src/a.py"))) == []


def test_blocks_that_did_not_fit_are_left_to_the_files(tmp_path: Path) -> None:
    """aider makes the others, says so, and has the model answer again."""
    answer = fence("x = 1\n", "x = 2\n") + fence("z = 1\n", "z = 2\n")
    again = "\nOnce more:\n\n" + fence("y = 1\n", "y = 2\n") + APPLIED.format(path="src/a.py")
    found = read_chats(tmp_path, turn(answer, FAILED), again)
    assert [("z = 2" in words([each]), "y = 2" in words([each])) for each in found] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_what_aider_has_undone_counts_for_nothing(tmp_path: Path) -> None:
    commit = "> Commit c339495 fix: Mend it\n> You can use /undo to undo.\n"
    undo = "\n#### /undo\n> Removed: c339495 fix: Mend it\n> Now at:  1234567 Begin\n"
    made = turn(fence("x = 1\n", "x = 2\n"), APPLIED.format(path="src/a.py"), commit)
    assert read_chats(tmp_path, made, undo) == []
    assert len(read_chats(tmp_path, made)) == 1


def test_quotes_and_headings_within_a_fence_are_text_of_the_answer(tmp_path: Path) -> None:
    answer = fence("# A\n", "# A\n\n> quoted\n\n#### Small\n", "b.md")
    [call] = read_chats(tmp_path, turn(answer, APPLIED.format(path="b.md")))
    assert "> quoted  \n\n#### Small\n" in words([call])


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("udiff", "```diff\n--- src/a.py\n+++ src/a.py\n@@ ... @@\n x = 1\n-y = 2\n+y = 3\n```\n"),
        ("whole", "src/a.py\n```python\nx = 1\ny = 3\n```\n"),
        ("diff", fence("y = 2\n", "y = 3\n")),
        ("editor-diff", fence("y = 2\n", "y = 3\n")),
    ],
)
def test_adopt_finds_the_history_beside_the_work_and_explains_its_lines(
    repo: Repo, form: str, answer: str
) -> None:
    repo.commit({"src/a.py": "x = 1\ny = 2\n"})
    repo.write("src/a.py", b"x = 1\ny = 3\n")
    read_chats(repo.path, turn(answer, APPLIED.format(path="src/a.py")), form=form)
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
    whole = START.format(form="diff") + turn(fence("x = 1\n", "x = 2\n"))
    (place := tmp_path / ".aider.chat.history.md").write_text(whole[:cut])
    assert [*join_calls("aider", read_chat(place))] == []
