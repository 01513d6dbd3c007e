"""Edits as the tests of other tools have them end as there, or are refused for a known reason.

The cases follow aider, Amazon Q, Cline, Codex, Continue, Copilot Chat, Gemini CLI, git, goose,
OpenCode, OpenHands, Plandex, Roo Code, SWE-agent, Void and Zed; the files are our own.
"""

import json

import hkgit
from tests.support.cases import cases

FILE = "f.js"
TEN = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
CONFIG = "const c = {\n  on: true,\n  tries: 3\n};\n"
LOOP = "\tfor {\n\t\tgo()\n\t}\n"


def call(**fields: object) -> str:
    return json.dumps({"path": FILE, **fields})


def edit(old: str, new: str, **more: object) -> str:
    return json.dumps({"file_path": FILE, "old_string": old, "new_string": new, **more})


def edits(*pairs: tuple[str, str]) -> str:
    items = [{"old_string": old, "new_string": new} for old, new in pairs]
    return json.dumps({"file_path": FILE, "edits": items})


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", f"*** Update File: {FILE}", *lines, "*** End Patch", ""])


def diff(*lines: str) -> str:
    return "\n".join([f"--- a/{FILE}", f"+++ b/{FILE}", *lines, ""])


def block(old: str, new: str, hint: str = "") -> str:
    return f"{FILE}\n<<<<<<< SEARCH\n{hint}{old}=======\n{new}>>>>>>> REPLACE\n"


def refusal_of(before: str, spec: str) -> str:
    """What a model is told of a spec that cannot be read, or of one that is not applied."""
    try:
        result = hkgit.apply_edits(spec, {FILE: before})
    except hkgit.HkgitError as error:
        return str(error)
    return "" if result.ok else result.for_model()


SAME = {
    "dollars are text": ("p $1 q\n", edit("$1", "$&$'$$2"), "p $&$'$$2 q\n"),
    "a mark": ("\ufeffuse A;\nb\n", edit("use A;", "use B;"), "\ufeffuse B;\nb\n"),
    "last": ("x\nb\nx\n", patch("@@", "-x", "+y", "*** End of File"), "x\nb\ny\n"),
    "added at the end": ("a\n", patch("@@", "+b", "*** End of File"), "a\nb\n"),
    "added to an empty file": ("", patch("@@", "+b"), "b\n"),
    "@@": ("fn a\nx=1\nfn b\nx=1\n", patch("@@ fn b", "-x=1", "+x=2"), "fn a\nx=1\nfn b\nx=2\n"),
    "blocks out of order": ("a\nb\n", block("b\n", "B\n") + block("a\n", "A\n"), "A\nB\n"),
    "goose, a line end": ("a\nb\nc\n", call(before="\nb", after=""), "a\nc\n"),
    "roo, operations": ("a\nb\n", call(operations=[{"search": "b", "replace": "c"}]), "a\nc\n"),
    "zed, edits": (
        "a\nb\n",
        call(display_description="Why", mode="edit", edits=[{"old_text": "b", "new_text": "c"}]),
        "a\nc\n",
    ),
    "lines": (TEN, diff("@@ -99,3 +99,3 @@", " two", "-three", "+3", " four"), None),
    "no line numbers": (TEN, diff("@@", " two", "-three", "+3", " four"), None),
    "diff marks": ("-- a\nb\n", diff("@@ -1,2 +1,2 @@", "--- a", "+++ c", " b"), "++ c\nb\n"),
    "a CRLF file": ("a\r\nb\r\n", diff("@@ -1,2 +1,2 @@", " a", "-b", "+c"), "a\r\nc\r\n"),
    "a line end at the end": (
        "a\nb",
        diff("@@ -1,2 +1,2 @@", " a", "-b", "\\ No newline at end of file", "+b"),
        "a\nb\n",
    ),
    "copilot, nested @@": (
        "class A {\n  x\n}\nclass B {\n  x\n}\n",
        patch("@@ class B {", "@@   x", "+  y"),
        "class A {\n  x\n}\nclass B {\n  x\n  y\n}\n",
    ),
    "out of order": ("a\nb\n", patch("@@", "-b", "+B", "@@", "-a", "+A"), "A\nB\n"),
    "codex, a typeset @@": (
        "// a \u2013 b\nx\n// c\nx\n",
        patch("@@ // a - b", "-x", "+y"),
        "// a \u2013 b\ny\n// c\nx\n",
    ),
    "copilot, tabs": (LOOP, patch("@@", "-\\t\\tgo()", "+\\t\\tgo(1)"), None),
    "amazon q, no line end": ("a\nb", call(command="append", new_str="c\n"), "a\nb\nc"),
    "gemini, quotes of the new text": ("a\n", edit("a", 'b \\"c\\"'), 'b \\"c\\"\n'),
    "claude, each edit after the last": ("a\nb\n", edits(("a", "A"), ("A\nb", "c")), "c\n"),
}


@cases(SAME)
def test_an_edit_ends_as_in_the_tool_it_was_written_for(
    before: str, spec: str, after: str | None
) -> None:
    if after is None:
        after = before.replace("three", "3").replace("go()", "go(1)")
    assert hkgit.apply_edits(spec, {FILE: before}).files == {FILE: after}


REFUSED = {
    "added nowhere": ("a\n", patch("@@", "+b"), "the old text is empty"),
    "nothing by something": ("a\n", edit("", "b"), "exists and is not empty"),
    "a placeholder": ("a\n", edit("a", "(rest of methods ...)"), ""),
    "claude, in a new text": ("a\nb\n", edits(("a", "x b"), ("b", "c")), "2 places"),
    "an empty one": ("a\n", edits(("a", "b"), ("", "c")), "exists and is not empty"),
    "copilot, tabs": (LOOP, patch("@@", "-\t\tgo()", "+\\t\\tgo(1)"), r"has \t"),
    "q, too far": ("a\n", call(command="insert", insert_line=9, new_str="b"), "has 1 line"),
    "git, no context": (TEN, diff("@@ -4,0 +5 @@", "+new"), "the old text is empty"),
}


@cases(REFUSED)
def test_what_could_be_meant_otherwise_is_refused(before: str, spec: str, reason: str) -> None:
    refusal = refusal_of(before, spec)
    assert refusal
    assert reason in refusal


ADVISED = {
    "an anchor that is nowhere": (
        "f() {\n  a\n}\n",
        patch("@@ g() {", "-  a", "+  b"),
        patch("@@", "-  a", "+  b"),
        "Quote the whole line above the hunk, or leave it out.",
        "f() {\n  b\n}\n",
    ),
    "numbers and a heading that disagree": (
        "f() {\n  a\n}\ng() {\n  a\n}\n",
        diff("@@ -2 +2 @@ g() {", "-  a", "+  b"),
        diff("@@ -4,2 +4,2 @@ g() {", " g() {", "-  a", "+  b"),
        "Quote more lines above or below",
        "f() {\n  a\n}\ng() {\n  b\n}\n",
    ),
    "a divider in the text": (
        "a\n=======\nb\n",
        block("a\n=======\nb\n", "c\n"),
        block("a\n\\=======\nb\n", "c\n"),
        "Put a \\ in front of each line of content that looks like a marker.",
        "c\n",
    ),
    "a divider at the end of the text": (
        "a\n=======\n",
        block("a\n=======\n", ""),
        block("a\n\\=======\n", ""),
        "Put a \\ in front of each line of content that looks like a marker.",
        None,
    ),
    "tabs": (
        LOOP,
        edit("\t\tgo()", "\t\tgo()\n\\t\\tstop()"),
        edit("\t\tgo()", "\t\tgo()\n\t\tstop()"),
        "Write tabs; in JSON a tab is \\t.",
        LOOP.replace("go()", "go()\n\t\tstop()"),
    ),
    "no new text": (
        "a\n",
        call(oldText="a"),
        call(oldText="a", newText=""),
        'Give it; "" deletes the old one.',
        "\n",
    ),
    "a sketch": (
        "a\nb\n",
        json.dumps({"target_file": FILE, "code_edit": "// ... existing code ...\nc\n"}),
        edit("b", "c"),
        'Write `{"file_path", "old_string", "new_string"}`',
        "a\nc\n",
    ),
    "operations in a string": (
        "a\n",
        json.dumps({"version": "1", "operations": '[{"op": "delete_file", "path": "f.js"}]'}),
        json.dumps(
            {
                "version": "1",
                "operations": [
                    {"op": "replace_text", "path": FILE, "old_text": "a", "new_text": "b"}
                ],
            }
        ),
        "Remove the quotes around it.",
        "b\n",
    ),
}


@cases(ADVISED)
def test_the_advice_of_a_refusal_lands_when_it_is_followed(
    before: str, spec: str, again: str, advice: str, after: str | None
) -> None:
    assert advice in refusal_of(before, spec)
    files = hkgit.apply_edits(again, {FILE: before}).files
    assert files == {FILE: "" if after is None else after}


def test_the_corrected_edit_that_a_refusal_offers_lands() -> None:
    misquoted = CONFIG.replace("true,", "true")
    meant = CONFIG.replace("true", "false").replace("3", "5")
    refusal = hkgit.apply_edits(edit(misquoted, meant), {FILE: CONFIG}).for_model()
    offered = refusal.split("Corrected: ")[1].splitlines()[0]
    assert hkgit.apply_edits(offered, {FILE: CONFIG}).files == {FILE: meant}
