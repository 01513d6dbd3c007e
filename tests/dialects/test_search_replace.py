"""Search-replace blocks: how models really write them, and what none of it can mean."""

from pathlib import Path
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit import apply_edits, dialects
from hkgit.dialects.search_replace import write_block
from hkgit.edits import Edit
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.notations import refusal_of
from tests.support.properties import examples

HEAD, DIVIDER, TAIL = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
PLAIN = f"{HEAD}a\n{DIVIDER}b\n{TAIL}"


def read(text: str) -> list[Edit]:
    edits = dialects.parse(text, "search-replace").edits
    return [edit for edit in edits if isinstance(edit, Edit)]


def block(old: str, new: str, path: str = "a.py") -> str:
    return f"{path}\n{HEAD}{old}{DIVIDER}{new}{TAIL}"


@cases(
    {
        "seven marks": PLAIN,
        "five marks": "<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE\n",
        "nine marks": "<<<<<<<<< SEARCH\na\n=========\nb\n>>>>>>>>> REPLACE",
        "twelve": f"{'<' * 12} SEARCH\na\n{'=' * 12}\nb\n{'>' * 12} REPLACE",
        "11, 7, 10": "----------- SEARCH\na\n=======\nb\n++++++++++ REPLACE",
        "other words": "<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n",
        "a fence behind": f"{PLAIN}```\n",
        "a mark after SEARCH": "<<<<<<< SEARCH>\na\n=======\nb\n>>>>>>> REPLACE",
        "blanks behind": "<<<<<<< SEARCH  \na\n======= \nb\n>>>>>>> REPLACE\t\n",
        "dashes and pluses": "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n",
        "mixed": "<<<<<<< SEARCH\na\n=======\nb\n+++++++ REPLACE\n",
        "CRLF markers": "<<<<<<< SEARCH\r\na\n=======\r\nb\n>>>>>>> REPLACE\r\n",
        "a divider for a tail": f"{HEAD}a\n{DIVIDER}b\n{DIVIDER}",
        "a tail for a divider": f"{HEAD}a\n{TAIL}b\n{TAIL}",
        "a divider behind the tail": f"{PLAIN}{DIVIDER}",
        "that in a fence": f"~~~\n{HEAD}a\n{DIVIDER}b\n{DIVIDER}~~~",
        "a fence of four": "````python\n" + PLAIN + "````\n",
        "small letters": PLAIN.lower(),
        "no blank": PLAIN.replace("< ", "<").replace("> ", ">"),
        "indented": "\nSo:\n\n" + indent(PLAIN, "   ") + "\nDone.\n",
    },
)
def test_markers_are_read_as_models_write_them(text: str) -> None:
    assert read("a.py\n" + text) == [Edit("a.py", "a\n", "b\n")]


APPEND = ":empty_search:append\n"


@cases(
    {
        "start": (":start_line:12\n-------\n", "a\n", 12),
        "start and end": (":start_line: 12\n:end_line:14\n-------\n", "a\n", 12),
        "no rule": (":start_line:12\n", "a\n", 12),
        "numbers in brackets": (":start_line: [12]\n:end_line:[14]\n-------\n", "a\n", 12),
        "a rule alone is text": ("-------\n", "-------\na\n", None),
        "no start": (":end_line:3\n", ":end_line:3\na\n", None),
        "escaped": ("\\:start_line:12\n", ":start_line:12\na\n", None),
        "a prefix is left to matching": ("12 | ", "12 | a\n", None),
        "an append above text": (APPEND, f"{APPEND}a\n", None),
    },
)
def test_a_stated_line_is_a_hint(hints: str, old: str, hint: int | None) -> None:
    edit = Edit("f.c", old, "b\n", line_hint=hint)
    assert read("f.c\n" + PLAIN.replace("SEARCH\n", f"SEARCH\n{hints}")) == [edit]
    in_head = PLAIN.replace("SEARCH\n", "SEARCH line=3\n")
    assert read(f"f.c\n{in_head}") == [Edit("f.c", "a\n", "b\n", line_hint=3)]


def test_an_append_is_said_in_the_place_of_the_old_text() -> None:
    assert read(block(APPEND, "b\n")) == [Edit("a.py", "", "b\n", at_end=True)]
    assert read(block(f"\\{APPEND}", "b\n")) == [Edit("a.py", APPEND, "b\n")]


def test_only_an_empty_search_becomes_an_append() -> None:
    spec = dialects.parse(block("", "b\n") + block("a\n", "b\n", "g.c"))
    assert dialects.append_at_end(spec).edits == (
        Edit("a.py", "", "b\n", at_end=True),
        Edit("g.c", "a\n", "b\n"),
    )


@cases(
    {
        "bare": ("src/app.py\n", "src/app.py"),
        "backticks": ("`src/app.py`\n", "src/app.py"),
        "bold": ("**src/app.py**\n", "src/app.py"),
        "bold, backticks, colon": ("**`src/app.py`**:\n", "src/app.py"),
        "heading": ("### src/app.py\n", "src/app.py"),
        "heading without a blank": ("#src/app.py\n", "src/app.py"),
        "colon": ("src/app.py:\n", "src/app.py"),
        "label": ("File: src/app.py\n", "src/app.py"),
        "bold label": ("**File:** `src/app.py`\n", "src/app.py"),
        "label before a name with blanks": ("# File: my notes.md\n", "my notes.md"),
        "backticks around a name with blanks": ("`my notes.md`\n", "my notes.md"),
        "blanks below a directory": ("src/my notes.md\n", "src/my notes.md"),
        "list": ("1. `a.py`\n", "a.py"),
        "numbered heading": ("### 1. `a.py`\n\nThis:\n\n```python\n", "a.py"),
        "quotes": ('"src/app.py"\n', "src/app.py"),
        "a title of the fence": ('```python title="src/app.py"\n', "src/app.py"),
        "outside the fence": ("src/app.py\n```python\n", "src/app.py"),
        "inside the fence": ("```python\nsrc/app.py\n", "src/app.py"),
        "a comment in the fence": ("```js\n// src/app.js\n", "src/app.js"),
        "three above": ("src/app.py\n\nNow this changes:\n\n```\n", "src/app.py"),
        "in the line of the fence": ("```src/app.py\n", "src/app.py"),
        "after the language": ("```python src/app.py\n", "src/app.py"),
        "a language is no name": ("src/app.py\n```php\n", "src/app.py"),
        "capitals": ("LICENSE\n", "LICENSE"),
        "a file by its word": ("Dockerfile\n", "Dockerfile"),
        "a dot in front": (".gitignore\n", ".gitignore"),
        "a leading dot": ("./src/app.py\n", "src/app.py"),
        "prose is no name": ("a.py\nThen, in `b.py`, this:\n", "a.py"),
        "a word is no name": ("a.py\nand\n", "a.py"),
        "a heading is no name": ("a.py\nChanges:\n", "a.py"),
        "an address is no name": ("a.py\nhttps://x.org/b.py\n", "a.py"),
        "dots are no name": ("a.py\n...\n", "a.py"),
        "what is quoted is no name": ('a.py\n"Said so."\n', "a.py"),
        "in prose, if that is all": ("In `b.py`, this:\n", "b.py"),
        "with a slash in prose": ("Now change src/b.py so.\n```\n", "src/b.py"),
    },
)
def test_the_file_is_named_above_the_head(above: str, path: str) -> None:
    assert read(above + PLAIN) == [Edit(path, "a\n", "b\n")]


def test_a_block_without_a_name_is_about_the_file_of_the_block_before() -> None:
    edits = read("a.py\n" + PLAIN + "\nand then\n" + PLAIN + "b.py\n" + PLAIN)
    assert [edit.path for edit in edits] == ["a.py", "a.py", "b.py"]


def test_a_name_is_not_looked_for_inside_the_block_before() -> None:
    edits = read(block("a\n", "src/a.py\n", "b.py") + PLAIN)
    assert [edit.path for edit in edits] == ["b.py", "b.py"]


CONFLICT = f"<<<<<<< HEAD\na\n{DIVIDER}b\n>>>>>>> branch\n"


@cases(
    {
        "nothing": ("", ""),
        "an empty SEARCH creates": ("", "b\n"),
        "an empty REPLACE deletes": ("a\n", ""),
        "a blank line is a line": ("\n", "b\n"),
        "elided": ("a\n...\nb\n", "c\n...\nd\n"),
        "CRLF content": ("a\r\n", "b\r\n"),
        "fences inside": ("```\na\n```\n", "b\n"),
        "other backslashes": ("\\alpha\n", "\\\\\n"),
        "a conflict's head": ("<<<<<<< HEAD\na\n", "|||||||\n"),
        "a merge conflict, solved": (CONFLICT, "b\n"),
        "two of them": (f"x\n{CONFLICT}y\n{CONFLICT}", "x\n"),
        "one that is written": ("a\n", CONFLICT),
        "one that is kept": (CONFLICT, CONFLICT.replace("b", "c")),
        "one half of it in each": ("<<<<<<< HEAD\na\n", "a\n>>>>>>> branch\n"),
        "an underline that is shorter": ("Title\n=====\n", "New\n=====\n"),
        "underlines of seven in both": (f"Title 1\n{DIVIDER}", f"Title 2\n{DIVIDER}"),
        "with text below": (f"Title 1\n{DIVIDER}text\n", f"Title 2\n{DIVIDER}text\n"),
        "only in the new": ("text\n", f"Title 2\n{DIVIDER}text\n"),
        "only in the old": (f"Title 2\n{DIVIDER}text\n", "more text\n"),
        "one title in both": (f"Intro\n{DIVIDER}\na\n", f"Intro\n{DIVIDER}\nb\n"),
        "a title of its length in the new": ("a\n", f"Modules\n{DIVIDER}\nb\n"),
        "nothing but the title": (f"Modules\n{DIVIDER}", f"Modules\n{DIVIDER}\nb\n"),
        "a shorter line at the end": ("a\n\n", "b\n\n=====\n"),
    },
)
def test_content_is_kept_line_by_line(old: str, new: str) -> None:
    assert read(block(old, new)) == [Edit("a.py", old, new)]


@cases(
    {
        "a divider": (f"\\{DIVIDER}", DIVIDER),
        "escaped twice": (f"\\\\{DIVIDER}", f"\\{DIVIDER}"),
        "head and tail": (f"\\{HEAD}\\{TAIL}", f"{HEAD}{TAIL}"),
    },
)
def test_a_backslash_in_front_of_a_marker_is_taken_away(text: str, meant: str) -> None:
    assert read(block(text, "b\n")) == [Edit("a.py", meant, "b\n")]


@cases(
    {
        "no name": (PLAIN, "line 1: expected the name of a file"),
        "no divider": (f"a.py\n{HEAD}a\n{TAIL}", "line 2: expected ======="),
        "no tail above a head": (f"a.py\n{HEAD}a\n{DIVIDER}{PLAIN}", "line 2: a block without"),
        "cut off at the divider": (f"a.py\n{HEAD}a\n=======\n", "line 2: a block without its tail"),
        "prose behind a block without a tail": (
            f"a.py\n```\n{HEAD}a\n=======\nb\n```\nDone.",
            "without its tail",
        ),
        "text below a divider": (f"a.py\n{HEAD}a\n=======\nb\n=======\nc\n", "without its tail"),
        "a tail alone": (f"a.py\n{PLAIN}{TAIL}", "line 7: a marker that belongs to no"),
        "indented, below one that is not": (
            f"a.py\n{PLAIN}  <<<<<<< SEARCH\n",
            "line 7: a marker that belongs",
        ),
        "four marks": ("a.py\n<<<< SEARCH\n", "line 2: a marker that belongs"),
        "a name behind the head": ("a.py\n<<<<<<< SEARCH a.py\na\n", "line 2: a marker that"),
        "two dividers": (
            f"a.py\n{HEAD}a\n=======\nb\n=======\nc\n{TAIL}",
            "line 2: the divider could be any of lines 4, 6",
        ),
        "a title between two lines": (
            f"a.py\n{HEAD}=======\nTitle 1\n=======\n\nx\n=======\ny\n{TAIL}",
            "line 2: the divider could be any of lines 3, 8",
        ),
        "six, five, six": (
            f"a.py\n{HEAD}a\n======\nb\n=====\nc\n======\nd\n{TAIL}",
            "line 2: the divider could be any of lines 4, 6, 8",
        ),
        "open fence": (f"```bash\necho\na.py\n{PLAIN}", "line 1: a fence of"),
        "no block": ("nothing here\n", "empty spec"),
        "a name four lines above": (f"a.py\none\ntwo\nthree\n{PLAIN}", "line 5: expected the name"),
        "two names": (f"As in `a.py`, so in `b.py`:\n{PLAIN}", "expected the name of a file"),
        "words with a dot": (f"With Node.js, e.g.:\n{PLAIN}", "expected the name of a file"),
        "a directory": (f"Now in src/parsers too:\n{PLAIN}", "expected the name of a file"),
        "blanks without a slash": (f"notes of May.md\n{PLAIN}", "expected the name of a file"),
        "a name not in the nearest line": (
            f"In `b.py`:\nthis changes\n{PLAIN}",
            "expected the name of a file",
        ),
    },
)
def test_what_cannot_be_read_is_refused_at_its_line(text: str, message: str) -> None:
    assert message in refusal_of(text, "search-replace")


def test_a_fence_of_commands_is_no_edit_but_a_block_right_inside_edits_a_script() -> None:
    text = "```bash\ncat <<X\n\n" + PLAIN + "```\na.py\n" + PLAIN
    assert read(text) == [Edit("a.py", "a\n", "b\n")]
    assert read("```bash\nrun.sh\n" + PLAIN + "```\n") == [Edit("run.sh", "a\n", "b\n")]


def test_bytes_that_are_not_utf8_survive() -> None:
    data = b"\xef\xbb\xbfa.py\n<<<<<<< SEARCH\n\xff\n=======\n\xfe\n>>>>>>> REPLACE\n"
    assert dialects.parse(data).edits == (Edit("a.py", "\udcff\n", "\udcfe\n"),)


@cases(
    {
        "old text without a line end": Edit("a.py", "x", "y\n"),
        "new text without a line end": Edit("a.py", "x\n", "y"),
        "a hash": Edit("a.py", "x\n", "y\n", expected_hash="0" * 12),
        "a path that is no line": Edit("a`b\nc", "x\n", "y\n"),
    },
)
def test_what_has_no_block_is_not_written_as_one(edit: Edit) -> None:
    assert write_block(edit) is None


@cases(
    {
        "below code": ("a\n=======\n    b\n=======\n", "    b\n"),
        "below a blank line": ("a\n=======\nb\n\n=======\n", "b\n\n"),
    },
)
def test_a_divider_again_right_above_the_tail_is_no_text(body: str, new: str) -> None:
    assert read(f"a.py\n{HEAD}{body}{TAIL}") == [Edit("a.py", "a\n", new)]


@cases({"a deletion": "", "new": "b\n"})
def test_a_divider_written_twice_may_underline_what_is_above(new: str) -> None:
    """The line may be part of the old text, or a slip: only a title of its length is clear."""
    with pytest.raises(InvalidInput, match="could be any of lines 4, 5"):
        read(block(f"a\n{DIVIDER}", new))
    old = f"Title 1\n{DIVIDER}"
    assert read(block(old, new)) == [Edit("a.py", old, new)]


NEAR = (
    ">>>>>>> END,<<<<<<< REPLACE,======= REPLACE,> REPLACE,>>>>>>>>>>>>> REPLACE,  >>>>>>> REPLACE,"
    ">>>>>>> REPLACE done,<<<<<<< HEAD,>>>>>>>,>>>>>>> a1b2c3,:start_line:3,:end_line:,++++ REPLACE"
)


@pytest.mark.parametrize("line", NEAR.split(","))
def test_what_nearly_looks_like_a_marker_is_text_only_where_the_file_has_it(line: str) -> None:
    cut_off = refusal_of(f"a.py\n{HEAD}a\n{DIVIDER}b\n{line}\nand more\n", "search-replace")
    assert "line 6: " in cut_off
    assert "looks like a marker but is not one" in cut_off
    spec, escaped = (block("a\n", f"b\n{mark}{line}\nc\n") for mark in ("", "\\"))
    [refused] = apply_edits(spec, {"a.py": "a\n"}).outcomes
    assert refused.status == "invalid"
    assert "contains the marker" in str(refused.error)
    there = apply_edits(spec, {"a.py": f"{line}\na\n"})
    assert there.files == {"a.py": f"{line}\nb\n{line}\nc\n"}
    assert apply_edits(escaped, {"a.py": "a\n"}).files == {"a.py": f"b\n{line}\nc\n"}


@pytest.mark.parametrize("hints", ["-------\n", ":start_line:2\n-------\n", ":end_line:3\n"])
def test_hints_in_the_new_text_never_land(hints: str) -> None:
    [refused] = apply_edits(block("a\n", f"{hints}b\n"), {"a.py": "a\n"}).outcomes
    assert refused.status == "invalid"


def test_an_underline_in_the_new_text_is_text() -> None:
    new = "Title\n-------\n"
    assert apply_edits(block("a\n", new), {"a.py": "a\n"}).files == {"a.py": new}


@pytest.mark.parametrize("heading", ["run", "`run`", "**run**", "run:", "```\nrun"])
def test_a_name_without_a_suffix_is_one_where_the_file_is(heading: str) -> None:
    assert apply_edits(block("a\n", "b\n", heading), {"run": "a\n"}).files == {"run": "b\n"}


def test_it_is_also_found_in_a_directory(tmp_path: Path) -> None:
    (tmp_path / "gradlew").write_text("a\n")
    assert apply_edits(block("a\n", "b\n", "gradlew"), tmp_path).ok
    assert (tmp_path / "gradlew").read_text() == "b\n"


@pytest.mark.parametrize("name", ["run", "x" * 400])
def test_no_word_is_a_name_where_no_file_is(tmp_path: Path, name: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "run").write_text("a\n")
    with pytest.raises(InvalidInput, match="expected the name of a file"):
        apply_edits(block("a\n", "b\n", name), tmp_path)


def test_the_name_above_a_block_is_the_nearest_that_is_a_file() -> None:
    two = block("a\n", "b\n", "a.py") + block("a\n", "b\n", "run")
    assert apply_edits(two, {"a.py": "a\n", "run": "a\n"}).files == {"a.py": "b\n", "run": "b\n"}


def test_no_line_of_text_becomes_a_name() -> None:
    spec = block("a\n", "run\n") + PLAIN.replace("a\n", "c\n")
    files = {"a.py": "a\nc\n", "run": "c\n"}
    assert apply_edits(spec, files).files == {"a.py": "run\nb\n"}


@cases(
    {
        "other titles": (f"Intro\n{DIVIDER}a\n", f"Other\n{DIVIDER}b\n"),
        "below a paragraph": (f"a\nHeading\n{DIVIDER}", "b\n"),
        "below a rule": (f"-------\n{DIVIDER}", "b\n"),
        "at the end of the new text": ("a\n", f"a\nHeading\n{DIVIDER}"),
    },
)
def test_what_titles_do_not_tell_is_refused(old: str, new: str) -> None:
    with pytest.raises(InvalidInput, match="the divider could be any of"):
        read(block(old, new))


SECTIONS = st.lists(
    st.builds(
        f"{{}}\n{DIVIDER}\n{{}}\n".format,
        st.sampled_from(["Modules", "Install", "License"]),
        st.lists(st.sampled_from(["some text", "    code()", "x"]), min_size=1).map("\n".join),
    ),
    max_size=3,
).map("\n".join)


@examples(100)
@given(SECTIONS, SECTIONS)
def test_titles_as_long_as_the_divider_are_always_text(old: str, new: str) -> None:
    assert read(block(old, new)) == [Edit("a.py", old, new)]
