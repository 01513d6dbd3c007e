"""A file that parsed before and does not after it is refused, reported, or nobody's business."""

from __future__ import annotations

import sys
from textwrap import dedent

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


def planned(*edits: Edit | ReplaceRange, syntax: str = "guard") -> tuple[str, list[str]]:
    """What becomes of a spec: what its refusal says, or nothing, and the notes on its edits."""
    is_sequential = not any(isinstance(edit, ReplaceRange) for edit in edits)
    spec = Spec("edits", edits, sequential=is_sequential)
    made = plan(spec, SNAPSHOT, Options(syntax=syntax))
    error = made.first_error
    notes = [note for outcome in made.outcomes for note in outcome.notes if "longer" in note]
    return "" if error is None else f"{error.status}: {error.what}", notes


@cases("path, old, new, said", LOOSE)
def test_what_is_not_exact_may_not_break_a_file_unless_nobody_is_to_look(
    path: str, old: str, new: str, said: tuple[int, str]
) -> None:
    refusal, _ = planned(Edit(path, old, new))
    assert refusal.startswith(f"invalid: with this edit line {said[0]} {said[1]}")
    assert planned(Edit(path, old, new), syntax="ignore") == ("", [])


@cases(
    "edit",
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
    edit = Edit("c.py", "f(1)\ng(2)\n", "f(1\ng(2)\n")
    made = plan(Spec("edits", (edit,), sequential=True), files, Options(syntax="guard"))
    assert [(o.status, o.tier, len(o.notes)) for o in made.outcomes] == [
        ("applied", "whitespace", 1)
    ]


def test_what_is_exact_is_not_looked_at_where_nobody_reads_notes() -> None:
    assert planned(Edit("a.py", "write(data)", "write(data"), syntax="loose") == ("", [])
    loose = Edit("a.py", "stream.write( data)\n", "stream.write(data\n")
    assert planned(loose, syntax="loose")[0].startswith("invalid")


def test_what_is_exact_is_refused_on_request() -> None:
    refusal, _ = planned(Edit("a.py", "write(data)", "write(data"), syntax="refuse")
    assert refusal == f"invalid: with this edit line 3 is no longer {PYTHON}: '(' was never closed"


def test_what_is_exact_is_only_reported_where_nobody_guards() -> None:
    edit = Edit("a.py", "stream.write( data)\n", "stream.write(data\n")
    refusal, notes = planned(edit, syntax="report")
    assert refusal == ""
    assert len(notes) == 1


@cases(
    "path, old, new",
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
    made = plan(Spec("edits", edits, sequential=True), SNAPSHOT, Options(syntax="guard"))
    assert [outcome.status for outcome in made.outcomes] == ["invalid", "applied"]
    assert made.files == ()


def test_the_refusal_holds_the_place_and_the_way_out() -> None:
    edit = Edit("a.py", "stream.write( data )\n", "stream.write(data\n")
    made = plan(Spec("edits", (edit,), sequential=True), SNAPSHOT, Options(syntax="guard"))
    outcome = made.outcomes[0]
    assert outcome.hint == (
        "The place, lines 3-3, was found by the tier whitespace: quote them as they are, fix the"
        " new text, or send the other edits that it needs. --no-check-syntax (check_syntax=false"
        " in a call) lands it unchanged."
    )
    found = [(each.start_line, each.end_line, each.text) for each in outcome.candidates]
    assert found == [(3, 3, "        stream.write(data)\n")]


def test_a_plan_without_faults_is_left_alone() -> None:
    spec = Spec("edits", (Edit("a.py", "return path", "return 1"),), sequential=True)
    made = plan(spec, SNAPSHOT)
    assert check_syntax([made], "guard") == [made]
