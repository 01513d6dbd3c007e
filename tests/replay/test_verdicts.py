"""What replay proves of honest commits, whatever they do."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.applying.carrying import carried_plan
from hkgit.applying.outcome import Plan, changed_files
from hkgit.applying.planner import Options, plan
from hkgit.dialects.tags import tag
from hkgit.document import BOM, Document, range_hash
from hkgit.edits import (
    EXECUTABLE,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    MappingSnapshot,
    Read,
    RenameFile,
    ReplaceRange,
    SetMode,
    Spec,
    TagEdit,
    WriteFile,
)
from hkgit.errors import InvalidInput
from hkgit.ledger.reading import read_entry
from hkgit.ledger.recording import record
from hkgit.matching.places import Settings
from hkgit.replay.derive import derive
from hkgit.replay.findings import Verdict
from hkgit.replay.recompute import recompute
from tests.applying.planning import (
    Operation,
    delete_range,
    hash_of,
    insert_after,
    protocol,
    replace_range,
)
from tests.replay.commits import (
    AGENT,
    PERSON,
    Change,
    applied,
    commit,
    files_of,
    joined,
    judge,
    verdict,
)
from tests.repos import Repo

A = b"import sys\n\n\ndef main():\n    print(sys.argv)\n"
READ = Read("a.py", 1, 5, range_hash(A))


@pytest.fixture
def started(repo: Repo) -> Repo:
    repo.commit({"a.py": A, "b.txt": "one\r\ntwo\r\nthree", "bom": BOM + b"x\n"}, "Begin")
    return repo


WAYS: tuple[AnyEdit, ...] = (
    Edit("a.py", "    print(sys.argv)\n", "    print(sys.path)\n"),
    TagEdit("a.py", tag(b"    print(sys.argv)"), tag(b"    print(sys.argv)"), ("    pass",)),
    WriteFile("a.py", "pass\n"),
)
"""Edits of which every dialect can say at least one."""


def saying(dialect: str) -> Spec:
    """A spec in a dialect that changes a.py."""
    for edit in WAYS:
        try:
            return dialects.parse(dialects.DIALECTS[dialect].render([edit]), dialect)
        except InvalidInput:
            continue
    raise AssertionError(f"{dialect} can say none of these edits")


@pytest.mark.parametrize("dialect", dialects.DIALECTS)
def test_a_commit_from_any_dialect_is_strict(started: Repo, dialect: str) -> None:
    commit(started, applied(started, saying(dialect), reads=[READ]))
    assert verdict(started) is Verdict.STRICT


CRLF = b"one\r\ntwo\r\nthree"


@pytest.mark.parametrize(
    "operations",
    [
        pytest.param([replace_range("a.py", A, 4, 5, "x")], id="a range"),
        pytest.param([insert_after("a.py", A, 0, "x")], id="an insertion"),
        pytest.param([delete_range("a.py", A, 1, 5)], id="a file emptied"),
        pytest.param([{"op": "create_file", "path": "d/é", "new_text": "x"}], id="a new file"),
        pytest.param([{"op": "create_file", "path": "n", "new_text": ""}], id="an empty one"),
        pytest.param([{"op": "create_file", "path": "n", "new_text": "\ufeffx\n"}],
                     id="one with a byte order mark"),
        pytest.param([{"op": "delete_file", "path": "a.py", "expected_hash": range_hash(A)}],
                     id="a file less"),
        pytest.param([{"op": "delete_file", "path": "bom", "expected_hash": range_hash(b"x\n")}],
                     id="one less with a byte order mark"),
        pytest.param([{"op": "rename_file", "path": "a.py", "new_path": "c/d.py",
                       "expected_hash": range_hash(A)}, replace_range("a.py", A, 1, 1, "x")],
                     id="renamed and edited"),
        pytest.param([replace_range("b.txt", CRLF, 3, 3, "3\n4")], id="an open CRLF line"),
        pytest.param([replace_range("b.txt", CRLF, 3, 3, "\n")], id="an open line emptied"),
        pytest.param([delete_range("bom", b"x\n", 1, 1)], id="nothing left but a byte order mark"),
        pytest.param([insert_after("a.py", A, 2, "x"), insert_after("a.py", A, 2, "y"),
                      delete_range("a.py", A, 3, 3), replace_range("b.txt", CRLF, 1, 1, "1")],
                     id="several"),
    ],
)  # fmt: skip
def test_every_operation_of_the_protocol_is_strict(
    started: Repo, operations: list[Operation]
) -> None:
    commit(started, applied(started, protocol(*operations)))
    assert verdict(started) is Verdict.STRICT


@pytest.mark.parametrize(
    "diff",
    [
        pytest.param("old mode 100644\nnew mode 100755\n", id="a mode"),
        pytest.param("rename from a.py\nrename to c.py\n--- a/a.py\n+++ b/c.py\n"
                     "@@ -1,2 +1,2 @@\n-import sys\n+import os\n \n", id="renamed and edited"),
    ],
)  # fmt: skip
def test_what_a_diff_says_beside_its_lines_is_strict(started: Repo, diff: str) -> None:
    name = "c.py" if "rename" in diff else "a.py"
    change = applied(started, f"diff --git a/a.py b/{name}\n{diff}", reads=[READ])
    commit(started, change)
    assert verdict(started) is Verdict.STRICT


def test_a_read_is_not_kept_where_the_edit_has_its_own_hash(started: Repo) -> None:
    commit(started, applied(started, protocol(replace_range("a.py", A, 5, 5, "x")), reads=[READ]))
    assert judge(started).judged.entries[0][1].reads == ()


def test_a_relocated_range_is_strict(started: Repo) -> None:
    started.commit({"a.py": b"# new\n" + A}, "Move")
    spec = protocol(replace_range("a.py", A, 5, 5, "    pass"))
    commit(started, applied(started, spec, relocate=True))
    assert verdict(started) is Verdict.STRICT


def recorded(spec: Spec, made: Plan, base: str | None = None) -> bytes:
    """The entry of a plan without reads and claims."""
    return record(
        spec, made, settings=Settings(), base=base, spec_digest="d" * 64, reads=(), claims={}
    ).to_bytes()


def carried(repo: Repo, spec: Spec, base: str) -> Change:
    """What hkgit makes of a spec on HEAD that was written against an older commit."""
    made, _ = carried_plan(spec, files_of(repo, base), files_of(repo), Options(), ())
    assert made.ok, made.first_error
    return Change(changed_files(made), [json.loads(recorded(spec, made, base))])


TWICE = b"def a():\n    return 1\n\n\ndef b():\n    return 1\n"


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(replace_range("r.py", TWICE, 6, 6, "    return 2"), id="by its hash"),
        pytest.param(delete_range("r.py", TWICE, 6, 6), id="a deletion"),
        pytest.param(insert_after("r.py", TWICE, 6, "    # end"), id="an insertion"),
    ],
)
def test_a_range_carried_from_its_base_is_strict(repo: Repo, operation: Operation) -> None:
    base = repo.commit({"r.py": TWICE}, "Begin")
    repo.commit({"r.py": b"# one\n# two\n# three\n# four\n" + TWICE}, "Move")
    commit(repo, carried(repo, protocol(operation), base))
    assert verdict(repo) is Verdict.STRICT


def test_a_carried_range_is_spliced_where_its_base_is_gone(repo: Repo) -> None:
    base = repo.commit({"r.py": TWICE}, "Begin")
    repo.commit({"r.py": b"# one\n# two\n# three\n# four\n" + TWICE}, "Move")
    change = carried(repo, protocol(replace_range("r.py", TWICE, 6, 6, "    return 2")), base)
    change.entry["base"] = "0" * 40
    commit(repo, change)
    assert judge(repo).judged.verdict is Verdict.SPLICED


def test_a_root_commit_is_strict(repo: Repo) -> None:
    spec = protocol({"op": "create_file", "path": "a", "new_text": "x\n"})
    made = plan(spec, MappingSnapshot())
    commit(repo, Change(changed_files(made), [json.loads(recorded(spec, made))], parents=()))
    assert verdict(repo) is Verdict.STRICT


def chain(repo: Repo, *texts: bytes) -> list[Change]:
    """One change for each step from one text of f to the next, each on the one before."""
    changes = []
    start = repo.commit({"f": texts[0]}, "Start")
    for number, (old, new) in enumerate(itertools.pairwise(texts)):
        change = applied(repo, protocol(replace_range("f", old, 1, 1, new.decode())))
        change.entry["claims"]["time"] = number
        commit(repo, change)
        changes.append(change)
    repo.git("reset", "-q", "--hard", start)
    return changes


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([b"a\n", b"b\n", b"c\n"], id="two"),
        pytest.param([b"a\n", b"b\n", b"c\n", b"d\n", b"e\n"], id="four"),
        pytest.param([b"a\n", b"b\n", b"a\n", b"c\n"], id="there and back again, then on"),
        pytest.param([b"a\n", b"b\n", b"a\n", b"b\n", b"c\n"], id="there and back and there"),
    ],
)
def test_entries_chained_in_one_commit_are_strict(repo: Repo, texts: list[bytes]) -> None:
    commit(repo, joined(*chain(repo, *texts)))
    assert verdict(repo) is Verdict.STRICT


def test_entries_that_come_back_to_where_they_began_are_strict(repo: Repo) -> None:
    commit(repo, joined(*chain(repo, b"a\n", b"b\n", b"a\n")))
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
    second = applied(started, protocol(
        {"op": "rename_file", "path": "n", "new_path": "m", "expected_hash": range_hash(b"x\n")}
    ))  # fmt: skip
    started.git("reset", "-q", "--hard", start)
    change = joined(first, second)
    del change.files["n"]
    commit(started, change)
    assert verdict(started) is Verdict.STRICT


def test_a_commit_that_changes_nothing_is_empty(started: Repo) -> None:
    commit(started, Change(message="Nothing"))
    assert verdict(started) is Verdict.EMPTY


def test_a_root_commit_of_nothing_is_empty(repo: Repo) -> None:
    commit(repo, Change(message="Nothing", parents=()))
    assert verdict(repo) is Verdict.EMPTY


def branches(repo: Repo) -> tuple[str, str]:
    """Two branches that change a.py at its two ends, each with an entry."""
    start = repo.head
    left = commit(repo, applied(repo, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    repo.git("reset", "-q", "--hard", start)
    right = commit(repo, applied(repo, protocol(replace_range("a.py", A, 5, 5, "    pass"))))
    return left, right


def merged(
    repo: Repo, left: str, right: str, changes: dict[str, File | None], author: str = AGENT
) -> None:
    """A merge: what git makes of the parents, and more."""
    tree = repo.git("merge-tree", "--write-tree", left, right)
    files = {path: files_of(repo, tree).get(path) for path in files_of(repo, tree).paths()}
    merge = Change({**files, **changes}, message="Merge", parents=(left, right), author=author)
    commit(repo, merge)


def test_the_merge_that_git_makes_is_a_merge(started: Repo) -> None:
    merged(started, *branches(started), {})
    assert verdict(started) is Verdict.MERGE


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"a.py": File(b"evil\n")}, id="in a merged file"),
        pytest.param({"evil": File(b"evil\n")}, id="a new file"),
        pytest.param({"b.txt": None}, id="a file less"),
        pytest.param({"b.txt": File(CRLF, EXECUTABLE)}, id="a mode"),
    ],
)
def test_an_agents_merge_with_changes_of_its_own_fails(
    started: Repo, changes: dict[str, File | None]
) -> None:
    merged(started, *branches(started), changes)
    ruling = judge(started)
    assert (ruling.passes, ruling.rule) == (False, "merge")
    assert "make those in a commit after it" in ruling.findings[0].fix


def test_a_persons_merge_with_changes_is_nobodys_business(started: Repo) -> None:
    merged(started, *branches(started), {"b.txt": None}, PERSON)
    assert verdict(started) is Verdict.UNGOVERNED


@pytest.mark.parametrize("author", [AGENT, PERSON], ids=["agent", "person"])
def test_nobodys_merge_may_write_entries(started: Repo, author: str) -> None:
    entry: dict[str, File | None] = {f".hkgit/ledger/00/{'0' * 62}.json": File(b"{}\n")}
    merged(started, *branches(started), entry, author)
    assert (judge(started).passes, judge(started).rule) == (False, "merge")


def octopus(repo: Repo, author: str) -> None:
    left, right = branches(repo)
    repo.git("reset", "-q", "--hard", left)
    third = commit(repo, applied(repo, protocol(replace_range("b.txt", CRLF, 1, 1, "1"))))
    commit(repo, Change(message="Merge", parents=(left, right, third), author=author))


def test_an_agents_octopus_fails(started: Repo) -> None:
    octopus(started, AGENT)
    ruling = judge(started)
    assert (ruling.passes, ruling.rule) == (False, "merge")
    assert ruling.findings[0].fix == "Merge them one by one."


def test_a_persons_octopus_is_nobodys_business(started: Repo) -> None:
    octopus(started, PERSON)
    assert verdict(started) is Verdict.UNGOVERNED


def test_what_a_shallow_clone_left_out_is_unverifiable(started: Repo, tmp_path: Path) -> None:
    commit(started, applied(started, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    started.git("clone", "-q", "--depth=1", f"file://{started.path}", str(tmp_path / "shallow"))
    ruling = judge(Repo(tmp_path / "shallow"))
    assert (ruling.passes, ruling.judged.verdict, ruling.rule) == (
        False, Verdict.UNVERIFIABLE, "unverifiable",
    )  # fmt: skip
    assert "fetch-depth: 0" in ruling.findings[0].fix


@pytest.mark.parametrize("path", ["a.py", "pyproject.toml"])
def test_what_a_missing_blob_said_is_unverifiable(started: Repo, path: str) -> None:
    started.commit({"pyproject.toml": "[project]\n"}, "Project")
    commit(started, applied(started, protocol(replace_range("a.py", A, 1, 1, "import os"))))
    blob = started.git("rev-parse", f"HEAD^:{path}")
    (started.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    ruling = judge(started)
    assert (ruling.passes, ruling.judged.verdict) == (False, Verdict.UNVERIFIABLE)


TEXT = st.lists(st.sampled_from(["a", "b", "", " c", "\r"]), max_size=6)
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def files_and_edits(draw: st.DrawFn) -> tuple[bytes, list[AnyEdit]]:
    """A file, and edits of its lines that mostly apply."""
    text = "".join(line + draw(ENDS) for line in draw(TEXT))
    data = (text[:-1] if draw(st.booleans()) else text).encode()
    data = BOM + data if draw(st.booleans()) else data
    count = Document(data).line_count
    edits: list[AnyEdit] = []
    for line in range(1, count + 1):
        if draw(st.booleans()):
            edits.append(ReplaceRange("f", line, line, tuple(draw(TEXT)[:2])))
    whole: list[AnyEdit] = [
        CreateFile("g", draw(ENDS).join(draw(TEXT))), DeleteFile("f"), RenameFile("f", "h"),
        SetMode("f", EXECUTABLE), WriteFile("f", draw(ENDS).join(draw(TEXT))),
    ]  # fmt: skip
    return data, edits + draw(st.lists(st.sampled_from(whole), max_size=2))


@settings(max_examples=200)
@given(files_and_edits())
def test_whatever_applies_is_derived_again_from_its_entry(
    drawn: tuple[bytes, list[AnyEdit]]
) -> None:
    data, edits = drawn
    files = MappingSnapshot({"f": File(data)})
    spec = Spec("protocol", tuple(edits), ("",) * len(edits), sequential=False)
    made = plan(spec, files)
    assume(made.ok and made.files)
    changed, findings = derive(read_entry(recorded(spec, made)), files)
    assert (changed, findings) == (changed_files(made), [])


@settings(max_examples=100)
@given(files_and_edits(), st.booleans())
def test_whatever_the_protocol_says_is_recomputed_from_its_entry(
    drawn: tuple[bytes, list[AnyEdit]], with_hashes: bool
) -> None:
    data, edits = drawn
    document = Document(data)
    said = [
        replace(each, expected_hash=hash_of(data, each.start_line, each.end_line))
        if isinstance(each, ReplaceRange) and with_hashes and document.line_count
        else each
        for each in edits
        if isinstance(each, ReplaceRange | DeleteFile | RenameFile)
    ]
    assume(said)
    spec = dialects.parse(dialects.DIALECTS["protocol"].render(said))
    files = MappingSnapshot({"f": File(data)})
    made = plan(spec, files)
    assume(made.ok and made.files)
    assert recompute(read_entry(recorded(spec, made)), files, None) == []
