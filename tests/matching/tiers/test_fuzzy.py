"""The loosest tiers: most of the lines, and every line that is to be removed."""

from __future__ import annotations

import pytest

from hkgit.errors import Ambiguous, Conflict, NoMatch
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases

TEXT = """\
import sys

def area(width, height):
    # Both are in metres.
    check(width)
    check(height)
    result = width * height
    return result

def volume(width, height, depth):
    return area(width, height) * depth
"""
CHANGED = TEXT.replace("result = width * height", "result = abs(width * height)").encode()


@cases(
    "context, tier",
    {
        "a wrong name": ("    check(width)\n    check(heights)\n", "fuzzy"),
        "a reworded comment": (
            "    # They are in metres.\n    check(width)\n    check(height)\n",
            "fuzzy",
        ),
        "a line left out": ("    # Both are in metres.\n    check(height)\n", "line-block"),
        "a line too many": (
            "    check(width)\n    check(depth)\n    check(height)\n",
            "line-block",
        ),
    },
)
def test_context_may_differ_and_stays_as_the_file_has_it(context: str, tier: str) -> None:
    edit = edit_of(
        f"{context}    result = width * height\n    return result\n",
        f"{context}    result = abs(width * height)\n    return result\n",
    )
    assert edited(TEXT, edit) == CHANGED
    assert placed(TEXT, edit).tier == tier


@cases(
    "removed",
    {
        "a wrong name": "    result = width * heights\n",
        "a wrong number": "    result = 2 * width * height\n",
        "a comment that is not there": "    result = width * height  # m2\n",
    },
)
def test_a_line_to_be_removed_must_be_the_file_s(removed: str) -> None:
    context = "    check(width)\n    check(height)\n"
    with pytest.raises((Conflict, NoMatch)):
        edited(TEXT, edit_of(context + removed, context + "    result = 0\n"))


def test_a_conflict_names_the_line_with_both_versions() -> None:
    context = "    check(width)\n    check(height)\n"
    said = r"Line 7 says 'result = width \* height', the edit 'result = 1'"
    with pytest.raises(Conflict, match=said):
        edited(TEXT, edit_of(context + "    result = 1\n", context + "    result = 0\n"))


def test_anchors_alone_are_no_place() -> None:
    old = "def area(width, height):\n    one()\n    two()\n    three()\n    return result\n"
    with pytest.raises((Conflict, NoMatch)):
        edited(TEXT, edit_of(old, "def area(width, height):\n    return 0\n"))


def test_new_lines_between_which_the_file_has_others_are_refused() -> None:
    edit = edit_of(
        "    # Both are in metres.\n    check(height)\n    result = width * height\n",
        "    # Both are in metres.\n    log()\n    check(height)\n    result = width * height\n",
    )
    with pytest.raises(Conflict, match="which side"):
        edited(TEXT, edit)


TWINS = "start_one()\ncheck(a)\nvalue = 1\nstop()\n\nstart_two()\ncheck(a)\nvalue = 1\nstop()\n"


def test_of_two_like_places_the_one_that_says_more_wins() -> None:
    edit = edit_of(
        "start_two()\ncheck(b)\nvalue = 1\nstop()\n", "start_two()\ncheck(b)\nvalue = 2\nstop()\n"
    )
    assert edited(TWINS, edit) == TWINS[::-1].replace("1 = eulav", "2 = eulav", 1)[::-1].encode()


def test_two_places_that_say_as_much_are_ambiguous() -> None:
    edit = edit_of(
        "start_three()\ncheck(a)\nvalue = 1\nstop()\n",
        "start_three()\ncheck(a)\nvalue = 2\nstop()\n",
    )
    with pytest.raises(Ambiguous, match="at lines 1, 6"):
        edited(TWINS, edit)


def test_a_place_that_somebody_changed_is_not_replaced_by_one_that_looks_like_it() -> None:
    text = TWINS.replace("value = 1\nstop()\n\n", "value = 7\nstop()\n\n")
    edit = edit_of("start_one()\ncheck(a)\nvalue = 1\n", "start_one()\ncheck(a)\nvalue = 2\n")
    with pytest.raises((Conflict, Ambiguous)):
        edited(text, edit)


def test_the_threshold_bounds_the_similarity() -> None:
    context = "    check(width)\n    check(heights)\n"
    edit = edit_of(
        f"{context}    result = width * height\n", f"{context}    result = width + height\n"
    )
    with pytest.raises(NoMatch):
        placed(TEXT, edit, threshold=999)


def test_lines_that_are_moved_must_all_be_the_file_s() -> None:
    text = "a = compute(1)\nb = compute(2)\nc = compute(33)\nd = compute(4)\n"
    edit = edit_of(
        "a = compute(1)\nb = compute(2)\nc = compute(3)\nd = compute(4)\n",
        "b = compute(2)\nc = compute(3)\na = compute(1)\nd = compute(4)\n",
    )
    with pytest.raises(Conflict):
        edited(text, edit)


@cases(
    "unknown",
    {
        "among them": "import os\nimport re\nimport sys\nimport ast\n",
        "right beside them": "import os\nimport sys\nimport re\nimport ast\n",
    },
)
def test_a_line_that_the_author_did_not_know_is_not_left_among_moved_ones(unknown: str) -> None:
    edit = edit_of(
        "import os\nimport sys\nimport ast\ncall_the_function()\n",
        "import sys\nimport ast\nimport os\ncall_the_function()\n",
    )
    with pytest.raises(Conflict, match="'import re', which the edit does not have"):
        edited(f"{unknown}call_the_function()\n", edit)


def test_lines_that_are_wrapped_are_not_moved() -> None:
    edit = edit_of("first(one)\nthird(three)\n", "first(one)\nif three:\n    third(three)\n")
    text = edited("first(one)\nsecond(two)\nthird(three)\n", edit)
    assert text == b"first(one)\nsecond(two)\nif three:\n    third(three)\n"


def test_a_fence_around_text_that_differs_is_read_as_one() -> None:
    old, new = (
        f"```\n    check(width)\n    check(depths)\n    result = {what}\n```\n"
        for what in ("width * height", "height")
    )
    assert b"check(height)\n    result = height\n" in edited(TEXT, edit_of(old, new))


def test_a_place_that_lacks_more_than_a_fifth_of_the_quotation_is_none() -> None:
    known = ["alpha = compute(1)", "beta = alpha + 2", "gamma = beta * 3"]
    unknown = ["nobody_knows(this)", "for item in elsewhere:"]
    text = "".join(f"{line}\n" for line in [*known, "return gamma"])
    quoted = "".join(f"{line}\n" for line in [*known, *unknown])
    with pytest.raises(NoMatch):
        placed(text, edit_of(f"{quoted}return gamma\n", f"{quoted}return alpha\n"), threshold=500)


@cases(
    "text, old, new",
    {
        "another section": (
            "dev:\n  host: example.org\n  port: 80\n",
            "prod:\n  host: example.org\n  port: 80\n",
            "prod:\n  host: example.org\n  port: 443\n",
        ),
        "another function": (
            "def create_user(name):\n    check(name)\n    return save(name)\n",
            "def delete_user(name):\n    check(name)\n    return save(name)\n",
            "def delete_user(name):\n    check(name)\n    return drop(name)\n",
        ),
        "a function whose name is a letter shorter": (
            "def get_users(name):\n    check(name)\n    return load(name)\n",
            "def get_user(name):\n    check(name)\n    return load(name)\n",
            "def get_user(name):\n    check(name)\n    return read(name)\n",
        ),
        "another class": (
            "class Writer:\n    path = None\n    mode = 1\n",
            "class Reader:\n    path = None\n    mode = 1\n",
            "class Reader:\n    path = None\n    mode = 2\n",
        ),
        "two lines, one of them another": (
            "[tool.black]\nline-length = 88\n",
            "[tool.ruff]\nline-length = 88\n",
            "[tool.ruff]\nline-length = 99\n",
        ),
    },
)
def test_a_block_that_the_file_lacks_lands_in_no_other(text: str, old: str, new: str) -> None:
    with pytest.raises(NoMatch):
        placed(text, edit_of(old, new))


def test_a_new_line_is_indented_as_the_one_that_it_replaces_is_in_the_file() -> None:
    text = "a {\n  }\n}\n\n.b {\n  c: (1 * 2);\n}\n"
    old = "  }\n\n.b {\n  c: (1 * 2);\n}\n"
    after = text.replace("(1 * 2)", "calc(1 * 2)").encode()
    assert edited(text, edit_of(old, old.replace("(1 * 2)", "calc(1 * 2)"))) == after


def test_a_place_that_skips_lines_of_the_file_between_those_it_finds_is_none() -> None:
    head, file = "    same(\n        [f.src for f in files],\n", "['index.md', 'favicon.ico'"
    tail = "    # The theme does not override\n    same(\n        files.get('favicon.ico').abs,\n"
    quoted = f"        {file}, 'style.css'],\n    )\n{tail}"
    text = (
        f"def f():\n    files = get()\n{head}        {file}],\n    )\n    files.add(env)\n"
        f"    same(\n        self.no(f.js())\n{quoted}"
    )
    with pytest.raises(NoMatch):
        placed(text, edit_of(head + quoted, (head + quoted).replace("f.src", "f.uri", 1)))


@cases(
    "first",
    {"another word": "    verify(width)\n", "a line too many": "    prepare()\n    check(width)\n"},
)
def test_a_first_line_that_opens_no_block_may_be_misquoted(first: str) -> None:
    below = "    check(height)\n    result = width * height\n    return result\n"
    edit = edit_of(first + below, first + below.replace("width * height", "abs(width * height)"))
    assert edited(TEXT, edit) == CHANGED


ROWS = """\
def rows(path):  # of a file
    # Comments are left out.
    lines = open(path)
    return [line for line in lines if line[0] != "#"]

def load(path):
    table = rows(path)
    return table
"""


@cases(
    "old",
    {
        "the remark behind the line that opens a block is left out": (
            "def rows(path):\n    # Comments are left out.\n    lines = open(path)\n"
        ),
        "the remark is another": (
            "def rows(path):  # of a path\n    # Comments are left out.\n    lines = open(path)\n"
        ),
        "one that the file has not, and one left out": (
            "def rows(path):\n    lines = open(path)  # read\n"
            '    return [line for line in lines if line[0] != "#"]\n'
        ),
        "the first two lines as one": (
            "def rows(path):  # of a file     # Comments are left out.\n    lines = open(path)\n"
        ),
        "the last two lines as one": (
            '    return [line for line in lines if line[0] != "#"]\n\ndef load(path):\n'
            "    table = rows(path) return table\n"
        ),
        "a line that the file never had": (
            "def load(path):\n    path = expand(path)\n    table = rows(path)\n    return table\n"
        ),
    },
)
def test_remarks_behind_lines_and_line_ends_say_nothing_of_the_place(old: str) -> None:
    lines = old.splitlines(keepends=True)
    at = next(i for i in range(1, len(lines)) if lines[i] in ROWS)
    new = "".join([*lines[:at], "    log()\n" if at > 1 else "    # log\n", *lines[at:]])
    made = edited(ROWS, edit_of(old, new)).decode()
    added = {*made.splitlines()} - {*ROWS.splitlines()}
    assert added in ({"    log()"}, {"    # log"})
    assert "".join(line for line in made.splitlines(keepends=True) if "log" not in line) == ROWS


def test_two_lines_that_the_file_never_had_are_too_many() -> None:
    quoted = "def load(path):\n    path = expand(path)\n    check(path)\n    table = rows(path)\n"
    with pytest.raises(NoMatch):
        placed(ROWS, edit_of(f"{quoted}    return table\n", f"{quoted}    return rows\n"))


@cases(
    "old",
    {
        "it opens a block": (
            "def space(width, height):\n    # Both are in metres.\n    check(width)\n"
            "    check(height)\n"
        ),
        "three lines": "    verify(width)\n    check(height)\n    result = width * height\n",
        "another line is missing too": (
            "    verify(width)\n    check(depth)\n    result = width * height\n    return result\n"
        ),
    },
)
def test_another_first_line_may_be_another_place(old: str) -> None:
    with pytest.raises((Conflict, NoMatch)):
        edited(TEXT, edit_of(old, f"{old}    log(height)\n"))


CALLBACKS = """\
const onClick = () => {
  if (this.isLocked) {
    notify(this.element, LOCKED)
    return
  }

  this.close()
}

const rest = make(this.element)
"""


@cases("end", {"the end of a call": "})\n", "behind a blank line": "\n})\n}\n"})
def test_a_bracket_beside_the_change_that_the_place_lacks_is_another_block(end: str) -> None:
    context = "    notify(this.element, LOCKED)\n    return\n  }\n\n"
    with pytest.raises(NoMatch):
        edited(
            CALLBACKS, edit_of(f"{context}  this.close()\n{end}", f"{context}  this.wait()\n{end}")
        )
    own = f"{context}  this.close()\n}}\n"
    assert b"this.wait()" in edited(CALLBACKS, edit_of(own, own.replace("close", "wait")))


JOBS = """\
permissions: {}
jobs:
  main:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout
"""
TOML = "# of the tools\n[main]\nhost = 1\nport = 2\nuser = 3\n"
TESTS = """\
describe("rows", () => {
  it("main", () => {
    const row = make(1)
    keep(row)
    expect(row).toBe(2)
  })
})
"""
RECORD = '[\n  {\n    "name": "main",\n    "port": 1,\n    "host": "h",\n    "tls": true\n  }\n]\n'
ATTRIBUTES = '<input\n  type="text"\n  class="wide"\n  required\n  Id="main"\n>\n'
CASES = "switch (kind) {\n  case 'main':\n    const x = run(kind)\n    log(x)\n    return x\n}\n"


@cases(
    "text, name, old, new",
    {
        "a key": (JOBS, "security", "ubuntu-latest", "ubuntu-22.04"),
        "a key of one letter more": (JOBS, "mains", "ubuntu-latest", "ubuntu-22.04"),
        "a section": (TOML, "mains", "port = 2", "port = 3"),
        "a call": (TESTS, "security", "toBe(2)", "toBe(3)"),
        "a condition": (CASES, "security", "log(x)", "log(x, 1)"),
        "a record": (RECORD, "security", '"port": 1', '"port": 2'),
        "a record that is named in the end": (ATTRIBUTES, "mains", 'type="text"', 'type="url"'),
    },
)
def test_a_block_that_the_file_lacks_is_not_changed_in_another(
    text: str, name: str, old: str, new: str
) -> None:
    """Whatever stands above it in the quotation, and however much else is the same."""
    quoted = text.replace("main", name)
    with pytest.raises(NoMatch, match=r"Line \d says .*main.*, the edit "):
        edited(text, edit_of(quoted, quoted.replace(old, new)))


@cases(
    "text, old, new",
    {
        "what is above it": (JOBS, "permissions: {}", "permissions: read"),
        "what is in a block of which the file lacks the first line alone": (
            JOBS.replace("  main:\n", ""),
            "ubuntu-latest",
            "ubuntu-22.04",
        ),
    },
)
def test_beside_such_a_block_an_edit_lands(text: str, old: str, new: str) -> None:
    quoted = JOBS.replace("main", "security")
    made = edited(text, edit_of(quoted, quoted.replace(old, new)))
    assert made.decode() == text.replace(old, new)


GUARDED = """\
def write(root, files):
    try:
        write_files(root, files)
    except OSError:
        with suppress(GitRefused):
            journal.add("abort")
        raise
    journal.end()
"""


def test_a_block_that_somebody_opened_around_quoted_lines_is_another_place() -> None:
    """What was to be wrapped is wrapped by now: it would be so twice."""
    quoted = GUARDED.replace("        with suppress(GitRefused):\n    ", "")
    assert "        journal.add" in quoted
    edit = edit_of(quoted, GUARDED.replace("GitRefused", "HkgitError"))
    with pytest.raises(NoMatch, match="Nearest"):
        edited(GUARDED, edit)
    known = edit_of(quoted, quoted.replace("journal.end()", "journal.end(files)"))
    with pytest.raises(NoMatch):
        edited(GUARDED, known)
