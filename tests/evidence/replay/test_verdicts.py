"""What replay proves of honest commits, whatever they do."""

import json
from dataclasses import replace

import pytest

from hkgit import dialects
from hkgit.applying.carry import carry_plan
from hkgit.applying.outcome import files_after
from hkgit.applying.planner import Options, plan
from hkgit.edits import AnyEdit, Edit, MappingSnapshot, Read, Spec, TagEdit, WriteFile
from hkgit.evidence.verdict import Verdict
from hkgit.text.document import range_hash
from hkgit.text.hashes import compute_tag
from tests.support.cases import cases
from tests.support.commands import hkgit
from tests.support.commits import (
    CRLF,
    A,
    Change,
    applied,
    chain,
    commit,
    files_of,
    joined,
    judge,
    rejection,
    verdict,
)
from tests.support.entries import as_json, recorded
from tests.support.notations import UnsayableEdit, write
from tests.support.planning import Operation, delete_range, insert_after, protocol, replace_range
from tests.support.repos import Repo

READ = Read("a.py", 1, 5, range_hash(A))


WAYS: tuple[AnyEdit, ...] = (
    Edit("a.py", "    print(sys.argv)\n", "    print(sys.path)\n"),
    TagEdit(
        "a.py",
        compute_tag(b"    print(sys.argv)"),
        compute_tag(b"    print(sys.argv)"),
        ("    pass",),
    ),
    WriteFile("a.py", "pass\n"),
)
"""Edits of which every dialect can say at least one."""


def saying(dialect: str) -> Spec:
    """A spec in a dialect that changes a.py."""
    for edit in WAYS:
        try:
            return dialects.parse(write(dialect, [edit]), dialect)
        except UnsayableEdit:
            continue
    raise AssertionError(f"{dialect} can say none of these edits")


@pytest.mark.parametrize("dialect", dialects.DIALECTS)
def test_a_commit_from_any_dialect_is_strict(started: Repo, dialect: str) -> None:
    commit(started, applied(started, saying(dialect), reads=[READ]))
    assert verdict(started) is Verdict.STRICT


@cases(
    "operations",
    {
        "a range": [replace_range("a.py", A, 4, 5, "x")],
        "an insertion": [insert_after("a.py", A, 0, "x")],
        "a file emptied": [delete_range("a.py", A, 1, 5)],
        "a new file": [{"op": "create_file", "path": "d/é", "new_text": "x"}],
        "an empty one": [{"op": "create_file", "path": "n", "new_text": ""}],
        "one with a byte order mark": [{"op": "create_file", "path": "n", "new_text": "\ufeffx\n"}],
        "a file less": [{"op": "delete_file", "path": "a.py", "expected_hash": range_hash(A)}],
        "one less with a byte order mark": [
            {"op": "delete_file", "path": "bom", "expected_hash": range_hash(b"x\n")}
        ],
        "renamed and edited": [
            {
                "op": "rename_file",
                "path": "a.py",
                "new_path": "c/d.py",
                "expected_hash": range_hash(A),
            },
            replace_range("a.py", A, 1, 1, "x"),
        ],
        "an open CRLF line": [replace_range("b.txt", CRLF, 3, 3, "3\n4")],
        "an open line emptied": [replace_range("b.txt", CRLF, 3, 3, "\n")],
        "nothing left but a byte order mark": [delete_range("bom", b"x\n", 1, 1)],
        "several": [
            insert_after("a.py", A, 2, "x"),
            insert_after("a.py", A, 2, "y"),
            delete_range("a.py", A, 3, 3),
            replace_range("b.txt", CRLF, 1, 1, "1"),
        ],
    },
)
def test_every_operation_of_the_protocol_is_strict(
    started: Repo, operations: list[Operation]
) -> None:
    commit(started, applied(started, protocol(*operations)))
    assert verdict(started) is Verdict.STRICT


@cases(
    "diff",
    {
        "a mode": "old mode 100644\nnew mode 100755\n",
        "renamed and edited": "rename from a.py\nrename to c.py\n--- a/a.py\n+++ b/c.py\n"
        "@@ -1,2 +1,2 @@\n-import sys\n+import os\n \n",
    },
)
def test_what_a_diff_says_beside_its_lines_is_strict(started: Repo, diff: str) -> None:
    name = "c.py" if "rename" in diff else "a.py"
    change = applied(started, f"diff --git a/a.py b/{name}\n{diff}", reads=[READ])
    commit(started, change)
    assert verdict(started) is Verdict.STRICT


def test_a_relocated_range_is_strict(started: Repo) -> None:
    started.commit({"a.py": b"# new\n" + A}, "Move")
    spec = protocol(replace_range("a.py", A, 5, 5, "    pass"))
    commit(started, applied(started, spec, relocate=True))
    assert verdict(started) is Verdict.STRICT


def test_a_read_is_not_kept_where_the_edit_has_its_own_hash(started: Repo) -> None:
    commit(started, applied(started, protocol(replace_range("a.py", A, 5, 5, "x")), reads=[READ]))
    assert judge(started).judged.entries[0][1].reads == ()


def carried(repo: Repo, spec: Spec, base: str) -> Change:
    """What hkgit makes of a spec on HEAD that was written against an older commit."""
    made, _ = carry_plan(spec, files_of(repo, base), files_of(repo), Options(), ())
    assert made.ok, made.first_error
    return Change(files_after(made), [as_json(recorded(spec, made, base))])


TWICE = b"def a():\n    return 1\n\n\ndef b():\n    return 1\n"


@cases(
    "operation",
    {
        "by its hash": replace_range("r.py", TWICE, 6, 6, "    return 2"),
        "a deletion": delete_range("r.py", TWICE, 6, 6),
        "an insertion": insert_after("r.py", TWICE, 6, "    # end"),
    },
)
def test_a_range_carried_from_its_base_is_strict_while_that_is_here(
    repo: Repo, operation: Operation
) -> None:
    base = repo.commit({"r.py": TWICE}, "Begin")
    moved = repo.commit({"r.py": b"# one\n# two\n# three\n# four\n" + TWICE}, "Move")
    change = carried(repo, protocol(operation), base)
    commit(repo, change)
    assert verdict(repo) is Verdict.STRICT
    change.entry["base"] = "0" * 40
    commit(repo, replace(change, parents=(moved,)))
    assert rejection(repo) == "decoy"


def test_a_root_commit_is_strict(repo: Repo) -> None:
    spec = protocol({"op": "create_file", "path": "a", "new_text": "x\n"})
    made = plan(spec, MappingSnapshot())
    commit(repo, Change(files_after(made), [as_json(recorded(spec, made))], parents=()))
    assert verdict(repo) is Verdict.STRICT


@cases(
    "texts",
    {
        "two": [b"a\n", b"b\n", b"c\n"],
        "four": [b"a\n", b"b\n", b"c\n", b"d\n", b"e\n"],
        "there and back again, then on": [b"a\n", b"b\n", b"a\n", b"c\n"],
        "there and back and there": [b"a\n", b"b\n", b"a\n", b"b\n", b"c\n"],
        "back to the beginning": [b"a\n", b"b\n", b"a\n"],
    },
)
def test_entries_chained_in_one_commit_are_strict(repo: Repo, texts: list[bytes]) -> None:
    commit(repo, joined(*chain(repo, *texts)))
    assert verdict(repo) is Verdict.STRICT


def test_entries_of_different_files_are_strict(started: Repo) -> None:
    first = applied(started, protocol(replace_range("a.py", A, 1, 1, "import os")))
    second = applied(started, protocol(replace_range("b.txt", CRLF, 1, 1, "1")))
    commit(started, joined(first, second))
    assert verdict(started) is Verdict.STRICT


def test_an_entry_that_edits_what_another_made_is_strict(started: Repo) -> None:
    first = applied(started, protocol({"op": "create_file", "path": "n", "new_text": "x\n"}))
    start = started.head
    commit(started, first)
    move: Operation = {"op": "rename_file", "path": "n", "new_path": "m"}
    second = applied(started, protocol(move | {"expected_hash": range_hash(b"x\n")}))
    change = joined(first, second)
    del change.files["n"]
    commit(started, replace(change, parents=(start,)))
    assert verdict(started) is Verdict.STRICT


def test_a_commit_that_changes_nothing_is_empty(repo: Repo) -> None:
    for parents in ((), ("HEAD",)):
        commit(repo, Change(message="Nothing", parents=parents))
        assert verdict(repo) is Verdict.EMPTY


def test_a_name_that_was_cut_short_is_recorded_whole(repo: Repo) -> None:
    repo.commit({"src/list.txt": "one\ntwo\n"}, "Begin")
    block = "list.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
    seen = range_hash(b"one\ntwo\n", 2, 2)
    hkgit(repo, "apply", "-", "-q", "--expect", f"src/list.txt:2={seen}", stdin=block)
    assert verdict(repo) is Verdict.STRICT
    [entry] = (repo.path / ".hkgit/ledger").rglob("*.json")
    assert json.loads(entry.read_text())["edits"][0]["edit"]["path"] == "src/list.txt"
