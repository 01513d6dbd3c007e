"""A file that parsed before and does not after it is refused, reported, or nobody's business.

Languages are read where they can be, in bounded time; what cannot be known is not judged.
"""

import subprocess
import sys
import time
from textwrap import dedent

import pytest

from hkgit.applying.languages import Fault, cut_stretch, find_language
from hkgit.applying.outcome import Plan
from hkgit.applying.planner import Options, plan
from hkgit.applying.syntax import check_syntax
from hkgit.edits import Edit, File, MappingSnapshot, ReplaceRange, Spec, encode_text
from tests.support.cases import cases

PYTHON = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
SAVE = """\
    def save(path, data):
        with open(path, "w") as stream:
            stream.write(data)
        return path
    """
MATCH = """\
    fn name(kind: Kind) -> &'static str {
        match kind {
            Kind::One => "one",
            Kind::Two => "two",
        }
    }
    """
CALL = """\
    function start(server, log) {
      server.listen(80, () => {
        log.info("listening");
      });
      return server;
    }
    """
FILES = {
    "a.py": SAVE,
    "broken.py": "def f(:\n    return 1\n",
    "a.json": '{\n  "name": "shop",\n  "size": 1\n}\n',
    "a.toml": '[tool]\nname = "shop"\nsize = 1\n',
    "a.rs": MATCH,
    "a.js": CALL,
    "a.go": 'package main\n\nfunc main() {\n\trun("shop", 1)\n\tstop("shop", 2)\n}\n',
    "a.txt": "one (\ntwo three four\n",
}
SNAPSHOT = MappingSnapshot({path: File(encode_text(dedent(text))) for path, text in FILES.items()})

LOOSE = {
    "Python: a with that has no body": (
        "a.py",
        'with open(path, "w") as stream: \n',
        'with open(path, "wb") as stream:\n    with lock(path):\n',
        (4, "is no longer Python"),
    ),
    "Python: a bracket that is not closed": (
        "a.py",
        '    with open(path, "w") as stream: \n        stream.write(data)\n',
        '    with open(path, "w" as stream:\n        stream.write(data)\n',
        (2, "is no longer Python"),
    ),
    "JSON": ("a.json", '"name":  "shop",\n', '"name": "shop"\n', (3, "is no longer JSON")),
    "TOML": ("a.toml", 'name  =  "shop"\n', 'name = shop"\n', (2, "is no longer TOML")),
    "TOML: a key that is there already": (
        "a.toml",
        'name  =  "shop"\n',
        'size = "shop"\n',
        (3, "is no longer TOML"),
    ),
    "Rust: half of a match removed": (
        "a.rs",
        'Kind::Two  =>  "two",\n    }\n',
        'Kind::Two => "TWO",\n',
        (4, "is no longer Rust"),
    ),
    "JavaScript": (
        "a.js",
        'log.info( "listening" );\n',
        'log.info("listening"));\n',
        (3, "is no longer JavaScript"),
    ),
    "Go": ("a.go", 'run( "shop",  1 )\n', 'run("shop", 1) {\n', (4, "is no longer Go")),
}


def plan_of(
    *edits: Edit | ReplaceRange, syntax: str = "guard", files: MappingSnapshot = SNAPSHOT
) -> Plan:
    is_sequential = not any(isinstance(edit, ReplaceRange) for edit in edits)
    return plan(Spec("edits", edits, is_sequential), files, Options(syntax=syntax))


def planned(*edits: Edit | ReplaceRange, syntax: str = "guard") -> tuple[str, list[str]]:
    """What becomes of a spec: what its refusal says, or nothing, and the notes on its edits."""
    made = plan_of(*edits, syntax=syntax)
    error = made.first_error
    notes = [note for outcome in made.outcomes for note in outcome.notes if "longer" in note]
    return "" if error is None else f"{error.status}: {error.what}", notes


@cases(LOOSE)
def test_what_is_not_exact_may_not_break_a_file_unless_nobody_is_to_look(
    path: str, old: str, new: str, said: tuple[int, str]
) -> None:
    refusal, _ = planned(Edit(path, old, new))
    assert refusal.startswith(f"invalid: with this edit line {said[0]} {said[1]}")
    assert planned(Edit(path, old, new), syntax="ignore") == ("", [])


@cases(
    {
        "text": Edit("a.py", "stream.write(data)", "stream.write(data"),
        "lines": ReplaceRange("a.py", 3, 3, ("        stream.write(data",)),
    },
)
def test_what_is_exact_is_taken_at_its_word_and_told(edit: Edit | ReplaceRange) -> None:
    refusal, notes = planned(edit)
    assert refusal == ""
    assert [note.partition(":")[0] for note in notes] == [f"the file is no longer {PYTHON}"]


def test_what_differs_in_line_ends_alone_is_taken_at_its_word() -> None:
    files = MappingSnapshot({"c.py": File(b"f(1)\r\ng(2)\r\n")})
    [made] = plan_of(Edit("c.py", "f(1)\ng(2)\n", "f(1\ng(2)\n"), files=files).outcomes
    assert (made.status, made.tier, len(made.notes)) == ("applied", "whitespace", 1)


EXACT = Edit("a.py", "write(data)", "write(data")
INEXACT = Edit("a.py", "stream.write( data)\n", "stream.write(data\n")
UNCLOSED = f"invalid: with this edit line 3 is no longer {PYTHON}: '(' was never closed"


@cases(
    {
        "what is exact, where nobody reads notes": ("loose", EXACT, "", 0),
        "what is not": ("loose", INEXACT, UNCLOSED, 0),
        "what is exact, on request": ("refuse", EXACT, UNCLOSED, 0),
        "what is not, where nobody guards": ("report", INEXACT, "", 1),
    },
)
def test_it_can_be_said_what_is_refused_and_what_is_reported(
    syntax: str, edit: Edit, refusal: str, notes: int
) -> None:
    said, found = planned(edit, syntax=syntax)
    assert (said, len(found)) == (refusal, notes)


@cases(
    {
        "a file that still parses": ("a.py", "return  path\n", "return None\n"),
        "a file that was broken before": ("broken.py", "return  1\n", "return (\n"),
        "a file of another kind": ("a.txt", "two  three four\n", "two (\n"),
    },
)
def test_nothing_is_said_of(path: str, old: str, new: str) -> None:
    assert planned(Edit(path, old, new)) == ("", [])


def test_the_edits_of_a_file_are_judged_together() -> None:
    opens = Edit("a.py", "stream.write( data )\n", "stream.write(\n")
    closes = Edit("a.py", "return  path\n", "    data)\n    return path\n")
    assert planned(opens)[0].startswith("invalid")
    assert planned(opens, closes) == ("", [])


def test_the_edit_that_is_nearest_above_the_fault_is_refused() -> None:
    edits = (
        Edit("a.py", "stream.write( data )\n", "stream.write(data))\n"),
        Edit("a.py", "def save(path,  data):\n", "def save(path, data, mode):\n"),
    )
    made = plan_of(*edits)
    assert [outcome.status for outcome in made.outcomes] == ["invalid", "applied"]
    assert made.files == ()


def test_the_refusal_holds_the_place_and_the_way_out() -> None:
    edit = Edit("a.py", "stream.write( data )\n", "stream.write(data\n")
    [outcome] = plan_of(edit).outcomes
    assert outcome.hint == (
        "The place, lines 3-3, was found by the tier whitespace: quote them as they are, fix the"
        " new text, or send the other edits that it needs. --no-check-syntax (check_syntax=false"
        " in a call) lands it unchanged."
    )
    found = [(each.start_line, each.end_line, each.text) for each in outcome.candidates]
    assert found == [(3, 3, "        stream.write(data)\n")]


def test_a_plan_without_faults_is_left_alone() -> None:
    made = plan_of(Edit("a.py", "return path", "return 1"))
    assert check_syntax([made], "guard") == [made]


GOOD_AND_BAD = [
    ("a.py", "x = [1]\n", "x = [1\n"),
    ("a.PYI", "x: int\n", "x: int:\n"),
    ("a.json", "[1]", "[1"),
    ("n.ipynb", "{}", "{"),
    ("pyproject.toml", "a = 1\n", "a = \n"),
    ("Cargo.lock", "[[package]]\n", "[[package]\n"),
    ("a.js", "f(1);\n", "f(1;\n"),
    ("a.ts", "let x: number = 1;\n", "let x: = 1;\n"),
    ("a.tsx", "const x = <b>1</b>;\n", "const x = <b>1</b;\n"),
    ("a.go", "package a\n\nfunc f() {}\n", "package a\n\nfunc f() {\n"),
    ("a.rs", "fn f() {}\n", "fn f() {\n"),
    ("A.java", "class A {}\n", "class A {\n"),
    ("a.c", "int x;\n", "int x\n"),
    ("a.cpp", "int x;\n", "int x\n"),
    ("a.cs", "class A {}\n", "class A {\n"),
    ("a.rb", "def f\nend\n", "def f\n"),
    ("a.php", "<?php\nf(1);\n", "<?php\nf(1;\n"),
    ("a.sh", "if true; then f; fi\n", "if true; then f\n"),
    ("a.css", "b { color: red }\n", "b { color: red\n"),
    ("a.html", "<p>a</p>\n", "<p>a</b>\n"),
    ("a.yaml", "a: [1]\n", "a: [1\n"),
]


def find_fault(path: str, before: bytes, after: bytes) -> Fault | None:
    language = find_language(path)
    assert language is not None
    return language.breaks(before, after)


@pytest.mark.parametrize(("path", "good", "bad"), GOOD_AND_BAD, ids=lambda v: v.split("\n")[0])
def test_every_language_is_told_from_what_is_not(path: str, good: str, bad: str) -> None:
    assert find_fault(path, good.encode(), bad.encode()) is not None
    assert find_fault(path, good.encode(), good.encode() + b"\n") is None
    assert find_fault(path, bad.encode(), bad.encode() + b"\n") is None


@pytest.mark.parametrize("path", ["a.txt", "Makefile", "py", "a.unknown", "a/b.d/c", ""])
def test_other_files_have_no_language(path: str) -> None:
    assert find_language(path) is None


WITHOUT = """\
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith({hidden!r}):
            raise ModuleNotFoundError(name)
        return None

sys.meta_path.insert(0, Hidden())
from hkgit import Edit, apply_edits
edit = Edit("a.go", "run( 1 )\\n", "run(1) {{\\n")
result = apply_edits([edit], {{"a.go": "package a\\n\\nfunc f() {{\\n\\trun(1)\\n}}\\n"}})
print(result.outcomes[0].status, result.outcomes[0].notes)
"""


@pytest.mark.parametrize("hidden", ["tree_sitter", "tree_sitter_go"])
def test_a_grammar_that_is_not_installed_guards_nothing(hidden: str) -> None:
    command = [sys.executable, "-c", WITHOUT.format(hidden=hidden)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "applied ()\n"


METHODS = """\
import os


class Shop:
    @property
    def size(self):
        return 1

    def save(self, path):
        with open(path) as stream:
            stream.write(1)

    def close(self):
        pass


def main():
    Shop()
"""


@cases(
    {
        "a method": (
            "write(1)",
            "write(2)",
            7,
            "    def save(self, path):",
            "            stream.write(2)",
        ),
        "a line at the top": ("import os", "import re", 0, "import re", "import re"),
        "the last line": ("    Shop()", "    Shop(1)", 16, "def main():", "    Shop(1)"),
        "between methods": (
            "    def close",
            "    x = 1\n\n    def close",
            7,
            "    def save(self, path):",
            "    x = 1",
        ),
    },
)
def test_a_stretch_is_the_smallest_block_that_holds_the_change(
    old: str, new: str, above: int, first: str, last: str
) -> None:
    after = METHODS.replace(old, new).encode()
    _, part, above_it = cut_stretch(METHODS.encode(), after, may_nest=True)
    lines = part.decode().split("\n")
    body = lines[1:] if lines[0] == "if 1:" else lines
    assert above_it == above
    assert body[0] == first
    assert [line for line in body if line][-1] == last


def test_a_large_file_is_judged_by_the_lines_around_the_change() -> None:
    block = "def step_{0}(state):\n    value = state.get({0})\n    return value\n\n\n"
    before = "".join(block.format(number) for number in range(20_000)).encode()
    after = before.replace(b"get(15000)\n", b"get(15000\n")
    began = time.process_time()
    fault = find_fault("a.py", before, after)
    assert fault is not None
    assert fault.line == 75_002
    assert time.process_time() - began < 2
    assert find_fault("a.py", before, before.replace(b"get(15000)", b"get(1)")) is None


def test_a_file_too_large_without_such_lines_is_not_judged() -> None:
    before = b"[" + b"1, " * 3_000_000 + b"1]"
    assert find_fault("a.json", before, before[:-1]) is None


@pytest.mark.parametrize("text", ["(" * 5000 + ")" * 5000, "-" * 200_000 + "1"])
def test_what_is_too_deep_to_be_read_is_not_judged_by_it(text: str) -> None:
    find_fault("a.py", b"x = 1\n", f"x = {text}\n".encode())


def test_code_in_a_string_at_the_margin_is_no_code() -> None:
    before = b'TEXT = """\ndef f():\n    return 1\ndef g():\n    return 2\n"""\n'
    assert find_fault("a.py", before, before.replace(b"return 1", b"return (")) is None
