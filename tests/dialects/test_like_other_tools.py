"""Edits as the tests of other tools have them end as there, or are refused for a known reason.

The cases follow the test suites of aider, Cline, Codex, Continue, Copilot Chat, Gemini CLI,
OpenCode, OpenHands, Roo Code and Zed; the files are our own.
"""

from __future__ import annotations

import json

import pytest

import hkgit

FILE = "f.js"
CONFIG = "const c = {\n  on: true,\n  tries: 3\n};\n"


def call(old: str, new: str, **more: object) -> str:
    return json.dumps({"file_path": FILE, "old_string": old, "new_string": new, **more})


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", f"*** Update File: {FILE}", *lines, "*** End Patch", ""])


def block(old: str, new: str, hint: str = "") -> str:
    return f"{FILE}\n<<<<<<< SEARCH\n{hint}{old}=======\n{new}>>>>>>> REPLACE\n"


SAME = [
    pytest.param("p $1 q\n", call("$1", "$&$'$$2"), "p $&$'$$2 q\n", id="dollars are text"),
    pytest.param("\ufeffuse A;\nb\n", call("use A;", "use B;"), "\ufeffuse B;\nb\n", id="a mark"),
    pytest.param(
        'log("a")\n', call('log(\\"a\\")', 'log(\\"b\\")'), 'log("b")\n', id="escaped quotes"
    ),
    pytest.param("a\r\nb\r\n", call("a\nb", "a\nc"), "a\r\nc\r\n", id="line ends of the file"),
    pytest.param("a b a\n", call("a", "c", replace_all=True), "c b c\n", id="all"),
    pytest.param(
        "  if (a) {\n    b();\n  }\n",
        call("if (a) {\n  b();\n}", "if (a) {\n  c();\n}"),
        "  if (a) {\n    c();\n  }\n",
        id="indentation left out",
    ),
    pytest.param("x\nb\nx\n", patch("@@", "-x", "+y", "*** End of File"), "x\nb\ny\n", id="last"),
    pytest.param("a\n", patch("@@", "+b", "*** End of File"), "a\nb\n", id="added at the end"),
    pytest.param("", patch("@@", "+b"), "b\n", id="added to an empty file"),
    pytest.param(
        "fn a\nx=1\nfn b\nx=1\n",
        patch("@@ fn b", "-x=1", "+x=2"),
        "fn a\nx=1\nfn b\nx=2\n",
        id="@@",
    ),
    pytest.param(
        "top\n\u201cq\u201d \u2014 r\n", patch("@@", '-"q" - r', "+s"), "top\ns\n", id="typography"
    ),
    pytest.param(
        "f() {\n  r 1\n}\ng() {\n  r 1\n}\n",
        block("  r 1\n", "  r 2\n", ":start_line:[5]\n-------\n"),
        "f() {\n  r 1\n}\ng() {\n  r 2\n}\n",
        id="a line number in brackets",
    ),
    pytest.param(
        "a\nb\n", block("b\n", "B\n") + block("a\n", "A\n"), "A\nB\n", id="blocks out of order"
    ),
]


@pytest.mark.parametrize(("before", "spec", "after"), SAME)
def test_an_edit_ends_as_in_the_tool_it_was_written_for(before: str, spec: str, after: str) -> None:
    assert hkgit.apply_edits(spec, {FILE: before}).files == {FILE: after}


KEPT = [
    pytest.param(
        "if (x   == 1) {\n",
        call("if (x == 1) {", "if (x == 2) {"),
        "if (x   == 2) {\n",
        id="inner blanks",
    ),
    pytest.param(
        "  a\n    b\n", call("a\nb", "c\nd"), "  c\n    d\n", id="indentation of each line"
    ),
    pytest.param("a\nb", patch("@@", "-a", "+c"), "c\nb", id="no line end at the end"),
]


@pytest.mark.parametrize(("before", "spec", "after"), KEPT)
def test_what_an_edit_does_not_mean_to_change_stays_as_the_file_has_it(
    before: str, spec: str, after: str
) -> None:
    assert hkgit.apply_edits(spec, {FILE: before}).files == {FILE: after}


REFUSED = [
    pytest.param("a\nx\nb\nx\n", patch("@@", "-x", "+y"), "2 places", id="the first of two"),
    pytest.param("a\n", patch("@@", "+b"), "the old text is empty", id="added nowhere"),
    pytest.param("Hello\n", call("hello", "x"), "not in the file", id="other letters"),
    pytest.param("f() {}\n", call("\nf()\n\t", "g()"), "not in the file", id="a line cut short"),
    pytest.param("a\n", call("", "b"), "exists and is not empty", id="nothing by something"),
    pytest.param("a\n", call("a", "(rest of methods ...)"), "", id="a placeholder"),
]


@pytest.mark.parametrize(("before", "spec", "reason"), REFUSED)
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
