"""Notations whose meaning is plain are read; of any other the refusal says what is nearest."""

from __future__ import annotations

import pytest

from hkgit import apply_edits, parse_edits
from hkgit.errors import InvalidInput
from tests.support.cases import cases

FILES = {"src/f.c": "a\nb\n"}
DONE = {"src/f.c": "x\nb\n"}


@cases(
    "text",
    {
        "old and new": '{"path": "src/f.c", "old": "a", "new": "x"}',
        "search, replace": '[{"file": "src/f.c", "search": "a", "replace": "x"}]',
        "a list of them": '{"edits": [{"path": "src/f.c", "search": "a", "replace": "x"}]}',
        "in one file": '{"path": "src/f.c", "edits": [{"old": "a", "new": "x"}]}',
        "original": '{"file_path": "src/f.c", "original": "a", "updated": "x"}',
        "a diff below a bold name": "**src/f.c**\n```diff\n-a\n+x\n b\n```\n",
        "with dots": "**`src/f.c`**\n\n```diff\n@@ ... @@\n-a\n+x\n```\nDone.\n",
        "tildes": (
            "### src/f.c\n~~~patch\n a\n-b\n+c\n~~~\n\nand\n\n```diff\n-a\n+x\n```\n".replace(
                " a\n-b\n+c\n", "-a\n+x\n"
            ).split("\n\nand")[0]
        ),
        "ORIGINAL": "src/f.c\n<<<<<<< ORIGINAL\na\n=======\nx\n>>>>>>> UPDATED\n",
    },
)
def test_a_plain_notation_is_read(text: str) -> None:
    result = apply_edits(text, FILES)
    assert result.files == DONE, result.for_model()


def test_two_fences_are_of_two_files() -> None:
    text = "**f.c**\n```diff\n-a\n+x\n```\n\n**g.c**\n```diff\n-b\n+y\n```\n"
    assert [edit.path for edit in parse_edits(text)] == ["f.c", "g.c"]


@cases(
    "text, said",
    {
        "keys of nobody": (
            '{"target": "f.c", "find": "a", "put": "x"}',
            "JSON with the keys find, put",
        ),
        "a list of what nobody knows": (
            '{"edits": [{"target": "f.c", "from": "a", "to": "x"}]}',
            "harnesskit",
        ),
        "Python's quotes": ("{'file': 'f.c', 'old_text': 'a'}", "not JSON"),
        "words without marks": ("SEARCH\na\nREPLACE\nb\n", "<<<<<<< SEARCH"),
        "a patch ill spelt": ("*** Update f.c\n-a\n+b\n", "*** Update File: PATH"),
        "a hunk without a file": ("@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file"),
        "prose": ("please change it", "it begins with 'please change it'"),
    },
)
def test_an_unknown_notation_is_answered_with_the_nearest(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match="unknown dialect") as refusal:
        parse_edits(text)
    assert said in str(refusal.value)
    assert "Known dialects: protocol, harnesskit" in refusal.value.fix


@pytest.mark.parametrize(
    ("path", "meant"), [("src/F.c", "src/f.c"), ("lib/f.c", "src/f.c"), ("src/ff.c", "src/f.c")]
)
def test_a_path_that_is_not_there_is_answered_with_those_like_it(path: str, meant: str) -> None:
    text = f'{{"file": "{path}", "old_text": "a", "new_text": "x"}}'
    assert f"Did you mean {meant}?" in apply_edits(text, FILES).for_model()
