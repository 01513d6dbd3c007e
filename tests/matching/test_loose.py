"""The loosest tiers: most of the lines, and every line that is to be removed."""

import pytest

from hkgit.edits import Edit
from hkgit.errors import Ambiguous, Conflict, NoMatch
from tests.matching.editing import edit_of, edit_within, edited, placed
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
REMARK, WIDTH, HEIGHT, RESULT, RETURN = TEXT.splitlines(keepends=True)[3:8]
PRODUCT, ABSOLUTE = "width * height", "abs(width * height)"
CHANGED = TEXT.replace(f"result = {PRODUCT}", f"result = {ABSOLUTE}").encode()


@cases(
    {
        "a wrong name": (f"{WIDTH}    check(heights)\n", "fuzzy"),
        "a reworded comment": (f"    # They are in metres.\n{WIDTH}{HEIGHT}", "fuzzy"),
        "a line left out": (f"{REMARK}{HEIGHT}", "line-block"),
        "a line too many": (f"{WIDTH}    check(depth)\n{HEIGHT}", "line-block"),
        "another first line": (f"    verify(width)\n{HEIGHT}", "fuzzy"),
        "a first line too many": (f"    prepare()\n{WIDTH}{HEIGHT}", "line-block"),
    },
)
def test_context_may_differ_and_stays_as_the_file_has_it(context: str, tier: str) -> None:
    edit = edit_within(f"{context}{RESULT}{RETURN}", PRODUCT, ABSOLUTE)
    assert edited(TEXT, edit) == CHANGED
    assert placed(TEXT, edit).tier == tier


@cases(
    {
        "a wrong name": "    result = width * heights\n",
        "a wrong number": "    result = 2 * width * height\n",
        "a comment that is not there": "    result = width * height  # m2\n",
    },
)
def test_a_line_to_be_removed_must_be_the_file_s(removed: str) -> None:
    with pytest.raises((Conflict, NoMatch)):
        edited(TEXT, edit_within(f"{WIDTH}{HEIGHT}{removed}", removed, "    result = 0\n"))


def test_a_conflict_names_the_line_with_both_versions() -> None:
    edit = edit_within(f"{WIDTH}{HEIGHT}    result = 1\n", "= 1", "= 0")
    with pytest.raises(Conflict, match=r"Line 7 says 'result = width \* height', the edit 'result"):
        edited(TEXT, edit)


def test_anchors_alone_are_no_place() -> None:
    head, body = "def area(width, height):\n", "    one()\n    two()\n    three()\n"
    with pytest.raises((Conflict, NoMatch)):
        edited(TEXT, edit_of(f"{head}{body}{RETURN}", f"{head}    return 0\n"))


def test_new_lines_between_which_the_file_has_others_are_refused() -> None:
    edit = edit_within(f"{REMARK}{HEIGHT}{RESULT}", HEIGHT, f"    log()\n{HEIGHT}")
    with pytest.raises(Conflict, match="which side"):
        edited(TEXT, edit)


TWINS = "start_one()\ncheck(a)\nvalue = 1\nstop()\n\nstart_two()\ncheck(a)\nvalue = 1\nstop()\n"


def test_of_two_like_places_the_one_that_says_more_wins() -> None:
    edit = edit_within("start_two()\ncheck(b)\nvalue = 1\nstop()\n", "= 1", "= 2")
    assert edited(TWINS, edit) == TWINS[::-1].replace("1 = eulav", "2 = eulav", 1)[::-1].encode()


def test_two_places_that_say_as_much_are_ambiguous() -> None:
    edit = edit_within("start_three()\ncheck(a)\nvalue = 1\nstop()\n", "= 1", "= 2")
    with pytest.raises(Ambiguous, match="at lines 1, 6"):
        edited(TWINS, edit)


@pytest.mark.parametrize("between", ["", "\n", "b = 1\n" * 6, "b = 1\n" * 20])
def test_two_copies_are_ambiguous_however_near_they_are(between: str) -> None:
    copy = "start(one)\ncheck(a)\nkeep(row)\nvalue = 1\nstop()\n"
    edit = edit_within(copy.replace("check(a)\n", ""), "= 1", "= 2")
    assert b"= 2" in edited(copy + between, edit)
    with pytest.raises(Ambiguous, match="2 places"):
        edited(copy + between + copy, edit)


def test_a_place_that_somebody_changed_is_not_replaced_by_one_that_looks_like_it() -> None:
    text = TWINS.replace("value = 1\nstop()\n\n", "value = 7\nstop()\n\n")
    with pytest.raises((Conflict, Ambiguous)):
        edited(text, edit_within("start_one()\ncheck(a)\nvalue = 1\n", "= 1", "= 2"))


def test_the_threshold_bounds_the_similarity() -> None:
    edit = edit_within(f"{WIDTH}    check(heights)\n{RESULT}", "*", "+")
    with pytest.raises(NoMatch):
        placed(TEXT, edit, threshold=999)


def test_lines_that_are_moved_must_all_be_the_file_s() -> None:
    text = "a = compute(1)\nb = compute(2)\nc = compute(33)\nd = compute(4)\n"
    a, b, c, d = text.replace("33", "3").splitlines(keepends=True)
    with pytest.raises(Conflict):
        edited(text, edit_of(f"{a}{b}{c}{d}", f"{b}{c}{a}{d}"))


@cases(
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
    edit = edit_within("first(one)\nthird(three)\n", "third", "if three:\n    third")
    text = edited("first(one)\nsecond(two)\nthird(three)\n", edit)
    assert text == b"first(one)\nsecond(two)\nif three:\n    third(three)\n"


def test_a_fence_around_text_that_differs_is_read_as_one() -> None:
    fenced = f"```\n{WIDTH}    check(depths)\n{RESULT}```\n"
    assert b"check(height)\n    result = 0\n" in edited(TEXT, edit_within(fenced, PRODUCT, "0"))


def test_a_place_that_lacks_more_than_a_fifth_of_the_quotation_is_none() -> None:
    known = "alpha = compute(1)\nbeta = alpha + 2\ngamma = beta * 3\n"
    quoted = f"{known}nobody_knows(this)\nfor item in elsewhere:\nreturn gamma\n"
    edit = edit_within(quoted, "return gamma", "return alpha")
    with pytest.raises(NoMatch):
        placed(f"{known}return gamma\n", edit, threshold=500)


def test_a_new_line_is_indented_as_the_one_that_it_replaces_is_in_the_file() -> None:
    text = "a {\n  }\n}\n\n.b {\n  c: (1 * 2);\n}\n"
    edit = edit_within("  }\n\n.b {\n  c: (1 * 2);\n}\n", "(1 * 2)", "calc(1 * 2)")
    assert edited(text, edit) == text.replace("(1 * 2)", "calc(1 * 2)").encode()


def test_a_place_that_skips_lines_of_the_file_between_those_it_finds_is_none() -> None:
    head, file = "    same(\n        [f.src for f in files],\n", "['index.md', 'favicon.ico'"
    tail = "    # The theme does not override\n    same(\n        files.get('favicon.ico').abs,\n"
    quoted = f"        {file}, 'style.css'],\n    )\n{tail}"
    text = (
        f"def f():\n    files = get()\n{head}        {file}],\n    )\n    files.add(env)\n"
        f"    same(\n        self.no(f.js())\n{quoted}"
    )
    with pytest.raises(NoMatch):
        placed(text, edit_within(head + quoted, "[f.src", "[f.uri"))


ROWS = """\
def rows(path):  # of a file
    # Comments are left out.
    lines = open(path)
    return [line for line in lines if line[0] != "#"]

def load(path):
    table = rows(path)
    return table
"""
DEFINED, COMMENTS, OPENED, RETURNED = ROWS.splitlines(keepends=True)[:4]
LOAD = ROWS.partition("\n\n")[2]


@cases(
    {
        "the remark behind the line that opens a block is left out": (
            f"def rows(path):\n{COMMENTS}{OPENED}"
        ),
        "the remark is another": f"def rows(path):  # of a path\n{COMMENTS}{OPENED}",
        "one that the file has not, and one left out": (
            f"def rows(path):\n    lines = open(path)  # read\n{RETURNED}"
        ),
        "the first two lines as one": f"{DEFINED[:-1]} {COMMENTS}{OPENED}",
        "the last two lines as one": (
            f"{RETURNED}\ndef load(path):\n    table = rows(path) return table\n"
        ),
        "a line that the file never had": LOAD.replace(":\n", ":\n    path = expand(path)\n"),
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
    quoted = LOAD.replace(":\n", ":\n    path = expand(path)\n    check(path)\n")
    with pytest.raises(NoMatch):
        placed(ROWS, edit_within(quoted, "return table", "return rows"))


@cases(
    {
        "it opens a block": f"def space(width, height):\n{REMARK}{WIDTH}{HEIGHT}",
        "three lines": f"    verify(width)\n{HEIGHT}{RESULT}",
        "another line is missing too": f"    verify(width)\n    check(depth)\n{RESULT}{RETURN}",
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


@cases({"the end of a call": "})\n", "behind a blank line": "\n})\n}\n"})
def test_a_bracket_beside_the_change_that_the_place_lacks_is_another_block(end: str) -> None:
    context = "    notify(this.element, LOCKED)\n    return\n  }\n\n  this.close()\n"
    with pytest.raises(NoMatch):
        edited(CALLBACKS, edit_within(f"{context}{end}", "close", "wait"))
    assert b"this.wait()" in edited(CALLBACKS, edit_within(f"{context}}}\n", "close", "wait"))


def edit_of_other(text: str, name: str, other: str, old: str, new: str) -> Edit:
    """An edit that quotes a text under another name."""
    assert name in text
    return edit_within(text.replace(name, other), old, new)


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
FUNCTION = "def create_user(name):\n    check(name)\n    return save(name)\n"
CLASS = "class Writer:\n    path = None\n    mode = 1\n"
HOST = "dev:\n  host: example.org\n  port: 80\n"
POM = """\
<dependency>
  <groupId>org.example</groupId>
  <artifactId>main</artifactId>
  <version>1.5</version>
  <scope>test</scope>
"""
LINTED = "[tool.black]\nline-length = 88\n"


@cases(
    {
        "a section of YAML": (HOST, "dev", "prod", "80", "443"),
        "a function": (FUNCTION, "create", "delete", "save", "drop"),
        "a name that is a letter shorter": (FUNCTION, "create_user", "create_use", "save", "read"),
        "a class": (CLASS, "Writer", "Reader", "= 1", "= 2"),
        "a section of one line": (LINTED, "black", "ruff", "88", "99"),
        "a key": (JOBS, "main", "security", "ubuntu-latest", "ubuntu-22.04"),
        "a key of one letter more": (JOBS, "main", "mains", "ubuntu-latest", "ubuntu-22.04"),
        "a section": (TOML, "main", "mains", "port = 2", "port = 3"),
        "a call": (TESTS, "main", "security", "toBe(2)", "toBe(3)"),
        "a condition": (CASES, "main", "security", "log(x)", "log(x, 1)"),
        "a record": (RECORD, "main", "security", '"port": 1', '"port": 2'),
        "a record of XML": (POM, "main", "other", "1.5", "1.6"),
        "a record that is named in the end": (ATTRIBUTES, "main", "mains", '"text"', '"url"'),
    },
)
def test_a_block_that_the_file_lacks_is_not_changed_in_another(
    text: str, name: str, other: str, old: str, new: str
) -> None:
    """Whatever stands above it in the quotation, and however much else is the same."""
    with pytest.raises(NoMatch, match=rf"Line \d says .*{name}.*, the edit |Not there: "):
        edited(text, edit_of_other(text, name, other, old, new))


@cases(
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
    made = edited(text, edit_of_other(JOBS, "main", "security", old, new))
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
    with pytest.raises(NoMatch, match="Nearest"):
        edited(GUARDED, edit_of(quoted, GUARDED.replace("GitRefused", "HkgitError")))
    with pytest.raises(NoMatch):
        edited(GUARDED, edit_within(quoted, "journal.end()", "journal.end(files)"))
