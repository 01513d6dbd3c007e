"""aider's history as calls: what a request shows, and what of its answer aider has made."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.agents.events import Editing, ToolReading
from hkgit.agents.logged_call import join_calls
from hkgit.agents.programs.aider import read_history
from hkgit.workflows.log_steps import Told
from tests.support.adopting import adopt, begin, explained
from tests.support.cases import cases
from tests.support.repos import Repo

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
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return begin(tmp_path_factory.mktemp("aider"), FILES, {"src/a.py": "x = 1\ny = 3\n"})


@pytest.mark.parametrize(("form", "answer"), [("udiff", UDIFF), ("patch", PATCH), ("whole", WHOLE)])
def test_the_lines_of_each_format_are_explained(
    repo: Repo, tmp_path: Path, form: str, answer: str
) -> None:
    place = tmp_path / ".aider.llm.history"
    place.write_text(exchange(FILES, answer, prompt=PROMPTS[form]))
    told = adopt(repo, place, "--working-tree", "-n")
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
