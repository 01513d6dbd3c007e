"""The ledger in the tree: entries stay, stand under their names, and are used once."""

from __future__ import annotations

import copy

from hkgit.edits import EXECUTABLE, File
from tests.support.attacks import A, B, check, honest, sha256
from tests.support.cases import cases
from tests.support.commits import Change, applied, commit, judge
from tests.support.entries import written
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo


def ledger_path(repo: Repo) -> str:
    """The entry that the history has."""
    [path] = repo.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger").splitlines()
    return path


@cases(
    "file, said, is_alone",
    {
        "altered": (File(b"{}\n"), "the entry is altered", True),
        "altered beside a change": (File(b"{}\n"), "the entry is altered", False),
        "removed beside a change": (None, "the entry is removed", False),
    },
)
def test_an_entry_of_the_history_stays(
    governed: Repo, file: File | None, said: str, is_alone: bool
) -> None:
    path = ledger_path(governed)
    change = Change() if is_alone else honest(governed)
    change.files[path] = file
    commit(governed, change)
    ruling = judge(governed)
    assert ruling.rule == "entry"
    assert ruling.findings[0].where == path
    assert ruling.findings[0].what == said


def test_an_entry_of_the_history_keeps_its_mode(governed: Repo) -> None:
    path = ledger_path(governed)
    change = Change({path: File(governed.show("HEAD", path), EXECUTABLE)})
    commit(governed, change)
    assert judge(governed).rule == "entry"


@cases(
    "path, mode, said",
    {
        "misnamed": (f".hkgit/ledger/00/{'0' * 62}.json", 0o100644, "do not match the hash"),
        "no entry at all": (".hkgit/ledger/README", 0o100644, "is not a place for"),
        "another ending": (".hkgit/ledger/{0}/{1}.json.txt", 0o100644, "is not a place for"),
        "deeper": (".hkgit/ledger/x/{0}/{1}.json", 0o100644, "is not a place for"),
        "executable": (".hkgit/ledger/{0}/{1}.json", 0o100755, "is not a place for"),
        "a link": (".hkgit/ledger/{0}/{1}.json", 0o120000, "is not a place for"),
    },
)
def test_an_entry_stands_under_its_name_alone(
    governed: Repo, path: str, mode: int, said: str
) -> None:
    change = honest(governed)
    data = written(change.entries.pop())
    name = sha256(data)
    change.files[path.format(name[:2], name[2:])] = File(data, mode)
    commit(governed, change)
    ruling = judge(governed)
    assert ruling.rule == "entry"
    assert said in ruling.findings[0].what


@cases(
    "data, said, fix",
    {
        "of a newer schema": (b'{"schema":2}\n', "is 2, but this hkgit knows 1", "Upgrade hkgit."),
        "no JSON": (b"nonsense\n", "expected JSON", "apply the spec again"),
        "nested deep": (b"[" * 2**10, "nest", "apply the spec again"),
        "too large": (b" " * (2**20 + 1), "is over 1048576 bytes", "Split"),
    },
)
def test_an_entry_that_cannot_be_read_is_rejected(
    governed: Repo, data: bytes, said: str, fix: str
) -> None:
    name = sha256(data)
    commit(governed, Change({f".hkgit/ledger/{name[:2]}/{name[2:]}.json": File(data)}))
    ruling = judge(governed)
    [finding] = ruling.findings
    assert ruling.rule == "entry"
    assert said in finding.what
    assert fix in finding.fix


def test_an_entry_is_not_used_where_its_hunks_have_no_place(governed: Repo) -> None:
    change = honest(governed)
    governed.commit({"a.py": A.replace(b"argv", b"path")}, "Meanwhile")
    check(governed, change, "before", "a.py")


def test_an_entry_is_not_used_twice(governed: Repo) -> None:
    change = honest(governed)
    commit(governed, change)
    governed.commit({"a.py": A}, "Back")
    commit(governed, Change({"a.py": change.files["a.py"]}, change.entries))
    assert judge(governed).rule == "blind"


def test_two_entries_do_not_claim_one_hunk(governed: Repo) -> None:
    change = honest(governed)
    change.entries.append(copy.deepcopy(change.entry) | {"claims": {"agent": "another"}})
    check(governed, change, "before", "a.py")


def test_an_entry_that_is_not_needed_is_rejected(governed: Repo) -> None:
    other = applied(governed, protocol(replace_range("b.txt", B, 1, 1, "eins")))
    change = honest(governed)
    change.entries += other.entries
    check(governed, change, "bytes", "b.txt")
