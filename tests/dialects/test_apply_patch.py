"""Apply-patch texts: every wrapping, and one meaning at each corner where others disagree."""

from __future__ import annotations

import json

import pytest

from hkgit import dialects
from hkgit.edits import END_OF_FILE, AnyEdit, CreateFile, DeleteFile, Edit, RenameFile
from hkgit.errors import InvalidInput

UPDATE = "*** Update File: x.py\n@@\n a\n-b\n+c\n"
PATCH = f"*** Begin Patch\n{UPDATE}*** End Patch\n"
CHANGE = Edit("x.py", "a\nb\n", "a\nc\n")


def read(text: str) -> tuple[AnyEdit, ...]:
    return dialects.parse(text).edits


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch\n"])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(PATCH, id="alone"),
        pytest.param(PATCH.rstrip(), id="without a line end"),
        pytest.param(f"Here:\n```diff\n{PATCH}```\nDone.\n- bullet\n", id="prose and a fence"),
        pytest.param(f"apply_patch <<'EOF'\n{PATCH}EOF\n", id="a here-document"),
        pytest.param(f"bash -lc \"apply_patch <<'EOF'\n{PATCH}EOF\"\n", id="bash -lc"),
        pytest.param(f'apply_patch "{PATCH[:-1]}"\n', id="an argument"),
        pytest.param(f"{UPDATE}\n*** End Patch\n", id="without its beginning"),
        pytest.param(
            PATCH.replace("*** Update File: x.py", '*** Update File:   @"x.py"  '),
            id="a padded name in quotes",
        ),
        pytest.param(PATCH.replace("*** Update", "  *** Update"), id="a padded head"),
        pytest.param(PATCH.replace("*** End Patch", "  *** End Patch  "), id="a padded end"),
        pytest.param(json.dumps({"patchText": PATCH}), id="patchText"),
        pytest.param(json.dumps({"input": PATCH}), id="input"),
        pytest.param(json.dumps({"command": ["apply_patch", PATCH]}), id="a command"),
        pytest.param(
            json.dumps({"cmd": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"]}),
            id="a shell command",
        ),
        pytest.param(
            json.dumps({"name": "apply_patch", "arguments": json.dumps({"input": PATCH})}),
            id="a tool call",
        ),
        pytest.param(
            json.dumps({"type": "update_file", "path": "x.py", "diff": "@@\n a\n-b\n+c"}),
            id="an operation",
        ),
        pytest.param(
            f"*** Begin Patch \n{UPDATE.replace(chr(10) + '@@', '  ' + chr(10) + '@@')}"
            "*** End Patch \n",
            id="blanks behind the markers",
        ),
        pytest.param(
            patch("", "*** Update File: x.py", "", "@@", " a", "-b", "+c", "", ""),
            id="blank lines around",
        ),
        pytest.param(patch("*** Update File: x.py", " a", "-b", "+c"), id="the first @@ left out"),
    ],
)
def test_a_patch_is_found_in_what_is_wrapped_around(text: str) -> None:
    assert read(text) == (CHANGE,)


@pytest.mark.parametrize(
    ("lines", "edits"),
    [
        pytest.param(
            ["*** Add File: d/n.py", "+a", "+", "+\tb"],
            [CreateFile("d/n.py", "a\n\n\tb\n")],
            id="add",
        ),
        pytest.param(
            ["*** Add File: n.py", "+a", "", "+b", ""],
            [CreateFile("n.py", "a\n\nb\n")],
            id="add, a blank line without its plus",
        ),
        pytest.param(["*** Delete file:x.py"], [DeleteFile("x.py")], id="a head ill spelt"),
        pytest.param(["*** Add File: n.py"], [CreateFile("n.py", "")], id="add, empty"),
        pytest.param(["*** Delete File: my x.py", ""], [DeleteFile("my x.py")], id="delete"),
        pytest.param(["*** Update File: x", "*** Move to: y"], [RenameFile("x", "y")], id="move"),
        pytest.param(
            ["*** Update File: x", "*** Move to: y", "@@", "-a", "+b"],
            [Edit("x", "a\n", "b\n"), RenameFile("x", "y")],
            id="change and move",
        ),
        pytest.param(
            ["*** Update File: x", "@@", "-a", "+b", "@@", "-c"],
            [Edit("x", "a\n", "b\n"), Edit("x", "c\n", "")],
            id="two hunks",
        ),
        pytest.param(
            ["*** Update File: x", "@@", "-a", "*** Update File: x", "@@", "-b"],
            [Edit("x", "a\n", ""), Edit("x", "b\n", "")],
            id="one file in two sections",
        ),
        pytest.param(
            ["*** Update File: x", "@@", "-a", "*** Delete File: y"],
            [Edit("x", "a\n", ""), DeleteFile("y")],
            id="two files",
        ),
    ],
)
def test_sections_say_what_becomes_of_a_file(lines: list[str], edits: list[AnyEdit]) -> None:
    assert read(patch(*lines)) == tuple(edits)


@pytest.mark.parametrize(
    ("lines", "edit"),
    [
        pytest.param(
            ["@@ def f():", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("def f():",)),
            id="an anchor",
        ),
        pytest.param(
            ["@@   def f():  ", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("def f():",)),
            id="blanks around an anchor",
        ),
        pytest.param(
            ["@@ class A:", "@@ \tdef f():", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("class A:", "def f():")),
            id="two anchors",
        ),
        pytest.param(
            ["@@ class A: @@ def f():", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("class A:", "def f():")),
            id="two anchors on a line",
        ),
        pytest.param(
            ["--- a/x", "+++ b/x", "@@", "-a", "+b"],
            Edit("x", "a\n", "b\n"),
            id="below the sides of a diff",
        ),
        pytest.param(
            ["@@ class A: @@", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("class A:",)),
            id="an anchor that is closed",
        ),
        pytest.param(
            ["@@ -7,2 +7,2 @@", "-a", "+b"], Edit("x", "a\n", "b\n", line_hint=7), id="line numbers"
        ),
        pytest.param(
            ["@@ -7,2 +7,2 @@ def f():", "-a", "+b"],
            Edit("x", "a\n", "b\n", line_hint=7, heading="def f():"),
            id="line numbers and a heading",
        ),
        pytest.param(
            ["@@", "-a", "+b", "*** End of File"],
            Edit("x", "a\n", "b\n", line_hint=END_OF_FILE),
            id="at the end of the file",
        ),
        pytest.param(
            ["@@ def f():", "+a"],
            Edit("x", "", "a\n", anchors=("def f():",)),
            id="new lines below an anchor",
        ),
        pytest.param(["@@", "+a"], Edit("x", "", "a\n"), id="new lines alone"),
        pytest.param(
            ["@@", "+a", "*** End of File"],
            Edit("x", "", "a\n", at_end=True),
            id="new lines at the end of the file",
        ),
        pytest.param(
            ["@@", " a", "", "-b"], Edit("x", "a\n\nb\n", "a\n\n"), id="a blank line is context"
        ),
        pytest.param(["@@", "-a", "", ""], Edit("x", "a\n", ""), id="not at the end"),
        pytest.param(["@@", "--- a", "+++ b"], Edit("x", "-- a\n", "++ b\n"), id="like a diff"),
        pytest.param(
            ["@@", "-*** End Patch", "+@@"],
            Edit("x", "*** End Patch\n", "@@\n"),
            id="markers as content",
        ),
        pytest.param(["@@", "-a\r", "+b\r"], Edit("x", "a\r\n", "b\r\n"), id="CRLF content"),
    ],
)
def test_a_hunk_becomes_an_edit(lines: list[str], edit: Edit) -> None:
    assert read(patch("*** Update File: x", *lines)) == (edit,)


@pytest.mark.parametrize(
    ("body", "old"),
    [
        pytest.param(
            ' say(\\"a\\", \\$b, \\\\n)\n', 'say("a", $b, \\n)\n', id="escapes of a shell"
        ),
        pytest.param(' say("a\\\\n")\n', 'say("a\\\\n")\n', id="a bare quote: no escapes"),
    ],
)
def test_escapes_inside_double_quotes_are_the_shells(body: str, old: str) -> None:
    text = patch("*** Update File: x", "@@", body + "+c")
    [edit] = read(f"bash -lc \"apply_patch <<'EOF'\n{text}EOF\"\n")
    assert edit == Edit("x", old, old + "c\n")


def test_single_quotes_of_a_shell_are_undone() -> None:
    text = patch("*** Update File: x", "@@", "-say('\\''a'\\'')")
    assert read(f"bash -lc '{text[:-1]}'\n".replace("'*** B", "'apply_patch <<EOF\n*** B")) == (
        Edit("x", "say('a')\n", ""),
    )


@pytest.mark.parametrize(
    ("operation", "edits"),
    [
        pytest.param(
            {"type": "create_file", "path": "n", "diff": "+a\n+b\n"},
            [CreateFile("n", "a\nb\n")],
            id="create",
        ),
        pytest.param({"type": "delete_file", "path": "n"}, [DeleteFile("n")], id="delete"),
        pytest.param(
            {"type": "update_file", "path": "x", "move_to": "y", "diff": "@@\n-a\n+b"},
            [Edit("x", "a\n", "b\n"), RenameFile("x", "y")],
            id="update and move",
        ),
    ],
)
def test_operation_objects_are_sections(operation: object, edits: list[AnyEdit]) -> None:
    call = {"type": "apply_patch_call", "id": "1", "operation": operation}
    assert read(json.dumps([call])) == tuple(edits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            patch("*** Update File: x", "@@", "-a", "b"),
            "line 5: a line without its prefix: 'b'",
            id="no prefix",
        ),
        pytest.param(
            patch("*** Add File: x", "+a", "b"),
            "line 4: a line without its prefix: 'b'",
            id="no plus",
        ),
        pytest.param(
            patch("*** Add File: x", "+a", " b"),
            "line 4: a line without its prefix",
            id="context in a new file",
        ),
        pytest.param(
            patch("*** Delete File: x", "-a"), "line 3: a line without", id="delete, text"
        ),
        pytest.param(patch("*** Update File: x"), "line 2: a file without a change", id="no hunk"),
        pytest.param(
            patch("*** Update File: x", "@@ f", "*** Delete File: y"),
            "line 3: a hunk without lines",
            id="an empty hunk",
        ),
        pytest.param(patch("*** Rename File: x"), "line 2: expected *** Add File", id="unknown"),
        pytest.param(patch("a", "*** Add File: x"), "line 2: expected *** Add File", id="prose"),
        pytest.param(
            patch("*** Update File: x", "*** End of File"),
            "line 3: a line without",
            id="an end of no hunk",
        ),
        pytest.param(PATCH + "@@\n-a\n", "line 8: a hunk outside a patch", id="behind the end"),
        pytest.param(
            f"```\n*** Begin Patch\n{UPDATE}```\n+d\n",
            "line 8: a patch without an end",
            id="a fence amid hunks",
        ),
        pytest.param(patch(), "empty spec", id="nothing"),
        pytest.param(
            json.dumps({"input": patch("*** Add File: x", "a")}),
            "input, line 3: a line without",
            id="inside JSON",
        ),
        pytest.param(
            json.dumps({"type": "update_file", "path": "x", "text": "a"}),
            'unknown key "text"',
            id="an operation's key",
        ),
        pytest.param(
            json.dumps({"type": "delete_file", "path": "x\ny"}),
            "expected a path on one",
            id="an operation's path",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_line(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(text, "apply-patch")
    assert message in str(refusal.value)


def test_a_patch_inside_the_strings_of_another_dialect_is_content() -> None:
    text = json.dumps({"file": "x", "old_text": PATCH, "new_text": ""})
    assert dialects.parse(text).dialect == "harnesskit"
