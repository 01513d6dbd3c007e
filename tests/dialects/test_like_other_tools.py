"""Edits as the tests of other tools have them end as there, or are refused for a known reason.

The cases follow the test suites of aider, Cline, Codex, Continue, Copilot Chat, Gemini CLI,
OpenCode, OpenHands, Roo Code and Zed; the files are our own.
"""

from __future__ import annotations

import json

import hkgit
from tests.support.cases import cases

FILE = "f.js"
CONFIG = "const c = {\n  on: true,\n  tries: 3\n};\n"


def call(old: str, new: str, **more: object) -> str:
    return json.dumps({"file_path": FILE, "old_string": old, "new_string": new, **more})


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", f"*** Update File: {FILE}", *lines, "*** End Patch", ""])


def block(old: str, new: str, hint: str = "") -> str:
    return f"{FILE}\n<<<<<<< SEARCH\n{hint}{old}=======\n{new}>>>>>>> REPLACE\n"


SAME = {
    "dollars are text": ("p $1 q\n", call("$1", "$&$'$$2"), "p $&$'$$2 q\n"),
    "a mark": ("\ufeffuse A;\nb\n", call("use A;", "use B;"), "\ufeffuse B;\nb\n"),
    "escaped quotes": ('log("a")\n', call('log(\\"a\\")', 'log(\\"b\\")'), 'log("b")\n'),
    "line ends of the file": ("a\r\nb\r\n", call("a\nb", "a\nc"), "a\r\nc\r\n"),
    "all": ("a b a\n", call("a", "c", replace_all=True), "c b c\n"),
    "indentation left out": (
        "  if (a) {\n    b();\n  }\n",
        call("if (a) {\n  b();\n}", "if (a) {\n  c();\n}"),
        "  if (a) {\n    c();\n  }\n",
    ),
    "last": ("x\nb\nx\n", patch("@@", "-x", "+y", "*** End of File"), "x\nb\ny\n"),
    "added at the end": ("a\n", patch("@@", "+b", "*** End of File"), "a\nb\n"),
    "added to an empty file": ("", patch("@@", "+b"), "b\n"),
    "@@": ("fn a\nx=1\nfn b\nx=1\n", patch("@@ fn b", "-x=1", "+x=2"), "fn a\nx=1\nfn b\nx=2\n"),
    "typography": ("top\n\u201cq\u201d \u2014 r\n", patch("@@", '-"q" - r', "+s"), "top\ns\n"),
    "a line number in brackets": (
        "f() {\n  r 1\n}\ng() {\n  r 1\n}\n",
        block("  r 1\n", "  r 2\n", ":start_line:[5]\n-------\n"),
        "f() {\n  r 1\n}\ng() {\n  r 2\n}\n",
    ),
    "blocks out of order": ("a\nb\n", block("b\n", "B\n") + block("a\n", "A\n"), "A\nB\n"),
}


@cases("before, spec, after", SAME)
def test_an_edit_ends_as_in_the_tool_it_was_written_for(before: str, spec: str, after: str) -> None:
    assert hkgit.apply_edits(spec, {FILE: before}).files == {FILE: after}


KEPT = {
    "inner blanks": (
        "if (x   == 1) {\n",
        call("if (x == 1) {", "if (x == 2) {"),
        "if (x   == 2) {\n",
    ),
    "indentation of each line": ("  a\n    b\n", call("a\nb", "c\nd"), "  c\n    d\n"),
    "no line end at the end": ("a\nb", patch("@@", "-a", "+c"), "c\nb"),
}


@cases("before, spec, after", KEPT)
def test_what_an_edit_does_not_mean_to_change_stays_as_the_file_has_it(
    before: str, spec: str, after: str
) -> None:
    assert hkgit.apply_edits(spec, {FILE: before}).files == {FILE: after}


REFUSED = {
    "the first of two": ("a\nx\nb\nx\n", patch("@@", "-x", "+y"), "2 places"),
    "added nowhere": ("a\n", patch("@@", "+b"), "the old text is empty"),
    "other letters": ("Hello\n", call("hello", "x"), "not in the file"),
    "a line cut short": ("f() {}\n", call("\nf()\n\t", "g()"), "not in the file"),
    "nothing by something": ("a\n", call("", "b"), "exists and is not empty"),
    "a placeholder": ("a\n", call("a", "(rest of methods ...)"), ""),
}


@cases("before, spec, reason", REFUSED)
def test_what_could_be_meant_otherwise_is_refused(before: str, spec: str, reason: str) -> None:
    result = hkgit.apply_edits(spec, {FILE: before})
    assert not result.ok
    assert reason in result.for_model()


def test_the_corrected_edit_that_a_refusal_offers_lands() -> None:
    misquoted = CONFIG.replace("true,", "true")
    meant = CONFIG.replace("true", "false").replace("3", "5")
    refusal = hkgit.apply_edits(call(misquoted, meant), {FILE: CONFIG}).for_model()
    offered = refusal.split("Corrected: ")[1].splitlines()[0]
    assert hkgit.apply_edits(offered, {FILE: CONFIG}).files == {FILE: meant}
