"""Apply-patch texts: every wrapping, and one meaning at each corner where others disagree."""

import json

from hkgit import dialects
from hkgit.edits import AnyEdit, CreateFile, DeleteFile, Edit, RenameFile
from tests.support.cases import cases
from tests.support.notations import refusal_of

UPDATE = "*** Update File: x.py\n@@\n a\n-b\n+c\n"
PATCH = f"*** Begin Patch\n{UPDATE}*** End Patch\n"
CHANGE = Edit("x.py", "a\nb\n", "a\nc\n")


def read(text: str) -> tuple[AnyEdit, ...]:
    return dialects.parse(text).edits


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch\n"])


@cases(
    {
        "alone": PATCH,
        "without a line end": PATCH.rstrip(),
        "prose and a fence": f"Here:\n```diff\n{PATCH}```\nDone.\n- bullet\n",
        "a here-document": f"apply_patch <<'EOF'\n{PATCH}EOF\n",
        "bash -lc": f"bash -lc \"apply_patch <<'EOF'\n{PATCH}EOF\"\n",
        "an argument": f'apply_patch "{PATCH[:-1]}"\n',
        "without its beginning": f"{UPDATE}\n*** End Patch\n",
        "a name in quotes": PATCH.replace("*** Update File: x.py", '*** Update File:   @"x.py"  '),
        "a padded head": PATCH.replace("*** Update", "  *** Update"),
        "a padded end": PATCH.replace("*** End Patch", "  *** End Patch  "),
        "patchText": json.dumps({"patchText": PATCH}),
        "input": json.dumps({"input": PATCH}),
        "a command": json.dumps({"command": ["apply_patch", PATCH]}),
        "a shell": json.dumps({"cmd": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"]}),
        "a call": json.dumps({"name": "apply_patch", "arguments": json.dumps({"input": PATCH})}),
        "an object": json.dumps({"type": "update_file", "path": "x.py", "diff": "@@\n a\n-b\n+c"}),
        "blanks behind the markers": (
            f"*** Begin Patch \n{UPDATE.replace(chr(10) + '@@', '  ' + chr(10) + '@@')}"
            "*** End Patch \n"
        ),
        "blank lines": patch("", "*** Update File: x.py", "", "@@", " a", "-b", "+c", "", ""),
        "the first @@ left out": patch("*** Update File: x.py", " a", "-b", "+c"),
    },
)
def test_a_patch_is_found_in_what_is_wrapped_around(text: str) -> None:
    assert read(text) == (CHANGE,)


@cases(
    {
        "add, a blank line without its plus": (
            ["*** Add File: n.py", "+a", "", "+b", ""],
            [CreateFile("n.py", "a\n\nb\n")],
        ),
        "a head ill spelt": (["*** Delete file:x.py"], [DeleteFile("x.py")]),
        "change and move": (
            ["*** Update File: x", "*** Move to: y", "@@", "-a", "+b"],
            [Edit("x", "a\n", "b\n"), RenameFile("x", "y")],
        ),
    },
)
def test_sections_say_what_becomes_of_a_file(lines: list[str], edits: list[AnyEdit]) -> None:
    assert read(patch(*lines)) == tuple(edits)


@cases(
    {
        "blanks around an anchor": (
            ["@@   def f():  ", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("def f():",)),
        ),
        "two anchors on a line": (
            ["@@ class A: @@ def f():", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("class A:", "def f():")),
        ),
        "below the sides": (["--- a/x", "+++ b/x", "@@", "-a", "+b"], Edit("x", "a\n", "b\n")),
        "an anchor that is closed": (
            ["@@ class A: @@", "-a", "+b"],
            Edit("x", "a\n", "b\n", anchors=("class A:",)),
        ),
        "a blank line is context": (["@@", " a", "", "-b"], Edit("x", "a\n\nb\n", "a\n\n")),
        "not at the end": (["@@", "-a", "", ""], Edit("x", "a\n", "")),
    },
)
def test_a_hunk_becomes_an_edit(lines: list[str], edit: Edit) -> None:
    assert read(patch("*** Update File: x", *lines)) == (edit,)


@cases(
    {
        "escapes of a shell": (' say(\\"a\\", \\$b, \\\\n)\n', 'say("a", $b, \\n)\n'),
        "a bare quote: no escapes": (' say("a\\\\n")\n', 'say("a\\\\n")\n'),
    },
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


@cases(
    {
        "create": (
            {"type": "create_file", "path": "n", "diff": "+a\n+b\n"},
            [CreateFile("n", "a\nb\n")],
        ),
        "delete": ({"type": "delete_file", "path": "n"}, [DeleteFile("n")]),
        "update and move": (
            {"type": "update_file", "path": "x", "move_to": "y", "diff": "@@\n-a\n+b"},
            [Edit("x", "a\n", "b\n"), RenameFile("x", "y")],
        ),
    },
)
def test_operation_objects_are_sections(operation: object, edits: list[AnyEdit]) -> None:
    call = {"type": "apply_patch_call", "id": "1", "operation": operation}
    assert read(json.dumps([call])) == tuple(edits)


@cases(
    {
        "no prefix": (
            patch("*** Update File: x", "@@", "-a", "b"),
            "line 5: a line without its prefix: 'b'",
        ),
        "no plus": (patch("*** Add File: x", "+a", "b"), "line 4: a line without its prefix: 'b'"),
        "context in a new file": (
            patch("*** Add File: x", "+a", " b"),
            "line 4: a line without its prefix",
        ),
        "delete, text": (patch("*** Delete File: x", "-a"), "line 3: a line without"),
        "no hunk": (patch("*** Update File: x"), "line 2: a file without a change"),
        "an empty hunk": (
            patch("*** Update File: x", "@@ f", "*** Delete File: y"),
            "line 3: a hunk without lines",
        ),
        "unknown": (patch("*** Rename File: x"), "line 2: expected *** Add File"),
        "prose": (patch("a", "*** Add File: x"), "line 2: expected *** Add File"),
        "an end alone": (patch("*** Update File: x", "*** End of File"), "line 3: a line without"),
        "behind the end": (PATCH + "@@\n-a\n", "line 8: a hunk outside a patch"),
        "a fence": (f"```\n*** Begin Patch\n{UPDATE}```\n+d\n", "line 8: a patch without an end"),
        "nothing": (patch(), "empty spec"),
        "inside JSON": (
            json.dumps({"input": patch("*** Add File: x", "a")}),
            "input, line 3: a line without",
        ),
        "an operation's key": (
            json.dumps({"type": "update_file", "path": "x", "text": "a"}),
            'unknown key "text"',
        ),
        "an operation's path": (
            json.dumps({"type": "delete_file", "path": "x\ny"}),
            "expected a path on one",
        ),
    },
)
def test_what_cannot_be_read_is_refused_at_its_line(text: str, message: str) -> None:
    assert message in refusal_of(text, "apply-patch")


def test_a_patch_inside_the_strings_of_another_dialect_is_content() -> None:
    text = json.dumps({"file": "x", "old_text": PATCH, "new_text": ""})
    assert dialects.parse(text).dialect == "harnesskit"
