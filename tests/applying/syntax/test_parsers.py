"""Languages are read where they can be, in bounded time; what cannot be known is not judged."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from hkgit.applying.languages import cut_stretch, find_language
from tests.support.cases import cases

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


@pytest.mark.parametrize(("path", "good", "bad"), GOOD_AND_BAD, ids=lambda v: v.split("\n")[0])
def test_every_language_is_told_from_what_is_not(path: str, good: str, bad: str) -> None:
    language = find_language(path)
    assert language is not None
    assert language.breaks(good.encode(), bad.encode()) is not None
    assert language.breaks(good.encode(), good.encode() + b"\n") is None
    assert language.breaks(bad.encode(), bad.encode() + b"\n") is None


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
    "old, new, above, first, last",
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
    language = find_language("a.py")
    assert language is not None
    began = time.process_time()
    fault = language.breaks(before, after)
    assert fault is not None
    assert fault.line == 75_002
    assert time.process_time() - began < 2
    assert language.breaks(before, before.replace(b"get(15000)", b"get(1)")) is None


def test_a_file_too_large_without_such_lines_is_not_judged() -> None:
    before = b"[" + b"1, " * 3_000_000 + b"1]"
    language = find_language("a.json")
    assert language is not None
    assert language.breaks(before, before[:-1]) is None


@pytest.mark.parametrize("text", ["(" * 5000 + ")" * 5000, "-" * 200_000 + "1"])
def test_what_is_too_deep_to_be_read_is_not_judged_by_it(text: str) -> None:
    language = find_language("a.py")
    assert language is not None
    language.breaks(b"x = 1\n", f"x = {text}\n".encode())


def test_code_in_a_string_at_the_margin_is_no_code() -> None:
    before = b'TEXT = """\ndef f():\n    return 1\ndef g():\n    return 2\n"""\n'
    language = find_language("a.py")
    assert language is not None
    assert language.breaks(before, before.replace(b"return 1", b"return (")) is None
