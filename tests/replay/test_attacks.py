"""Every way to pass off bytes that nobody accounts for, each rejected with rule, place and cure."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from hkgit.document import range_hash
from hkgit.edits import EXECUTABLE, SUBMODULE, SYMLINK, File
from hkgit.replay.findings import Verdict
from tests.applying.planning import Operation, protocol, replace_range
from tests.ledger.entries import written
from tests.replay.commits import Change, applied, commit, judge
from tests.repos import Repo

A = b"import sys\n\n\ndef main():\n    name = sys.argv[1]\n    print(name)\n\n\nmain()\n"
B = b"one\ntwo\nthree\n"

Attack = Callable[[Change], None]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def governed(repo: Repo) -> Repo:
    """A repository with two files, and one honest commit of an agent in its history."""
    repo.commit({"a.py": A, "b.txt": B, "run.sh": "#!/bin/sh\n", ".gitattributes": ""}, "Begin")
    repo.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    commit(repo, applied(repo, protocol(replace_range("b.txt", B, 3, 3, "drei"))))
    return repo


def operation(**more: object) -> Operation:
    """Replaces lines 5 and 6 of a.py."""
    return {**replace_range("a.py", A, 5, 6, "    print(sys.argv)"), **more}


def honest(repo: Repo) -> Change:
    return applied(repo, protocol(operation()))


def with_a_blank(data: bytes, line: int) -> bytes:
    """The file with a byte more in one line."""
    lines = data.split(b"\n")
    lines[line - 1] += b" "
    return b"\n".join(lines)


def data_of(change: Change, path: str) -> bytes:
    file = change.files[path]
    assert file is not None
    return file.data


def byte_in_touched_file(change: Change) -> None:
    change.files["a.py"] = File(with_a_blank(data_of(change, "a.py"), 8))


def byte_in_touched_line(change: Change) -> None:
    change.files["a.py"] = File(with_a_blank(data_of(change, "a.py"), 5))


def byte_at_the_end(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py") + b"\n")


def final_newline(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py").rstrip(b"\n"))


def line_end(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py").replace(b"sys\n", b"sys\r\n", 1))


def byte_order_mark(change: Change) -> None:
    change.files["a.py"] = File(b"\xef\xbb\xbf" + data_of(change, "a.py"))


def put(path: str, file: File | None) -> Attack:
    """Smuggles in a file, or takes one away."""

    def attack(change: Change) -> None:
        change.files[path] = file

    return attack


def leave_out(change: Change) -> None:
    del change.files["a.py"]


def mode_of_touched_file(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py"), EXECUTABLE)


SMUGGLED = [
    pytest.param(byte_in_touched_file, "bytes", "a.py:8", id="a byte in a touched file"),
    pytest.param(byte_in_touched_line, "bytes", "a.py:5", id="a byte in a touched line"),
    pytest.param(byte_at_the_end, "bytes", "a.py:9", id="a line at the end"),
    pytest.param(final_newline, "bytes", "a.py:8", id="the final newline"),
    pytest.param(line_end, "bytes", "a.py:1", id="a line end"),
    pytest.param(byte_order_mark, "bytes", "a.py:1", id="a byte order mark"),
    pytest.param(put("b.txt", File(B)), "bytes", "b.txt", id="an untouched file"),
    pytest.param(put("new", File(b"x")), "bytes", "new", id="a new file"),
    pytest.param(put("b.txt", None), "bytes", "b.txt", id="a file less"),
    pytest.param(put("a.py", None), "bytes", "a.py", id="the touched file itself gone"),
    pytest.param(mode_of_touched_file, "mode", "a.py", id="the mode of a touched file"),
    pytest.param(put("run.sh", File(b"#!/bin/sh\n", EXECUTABLE)), "bytes", "run.sh",
                 id="the mode of an untouched file"),
    pytest.param(put("link", File(b"/etc/passwd", SYMLINK)), "bytes", "link", id="a link"),
    pytest.param(put("b.txt", File(b"a.py", SYMLINK)), "bytes", "b.txt", id="a file made a link"),
    pytest.param(put("a.py", File(b"b.txt", SYMLINK)), "mode", "a.py",
                 id="the touched file made a link"),
    pytest.param(put("module", File(b"", SUBMODULE)), "bytes", "module", id="a submodule"),
    pytest.param(put(".gitattributes", File(b"* -diff\n")), "bytes", ".gitattributes",
                 id="attributes"),
    pytest.param(put(".hkgit/config.toml", File(b"[gate]\nmode = 'warn'\n")), "bytes",
                 ".hkgit/config.toml", id="a policy"),
    pytest.param(put(".hkgit/.gitattributes", File(b"* -diff\n")), "bytes",
                 ".hkgit/.gitattributes", id="the ledger's attributes"),
    pytest.param(put(".hkgit/.gitattributes", None), "bytes", ".hkgit/.gitattributes",
                 id="the ledger's attributes gone"),
    pytest.param(put(".HKGIT/ledger/x", File(b"x")), "bytes", ".HKGIT/ledger/x",
                 id="a ledger in another case"),
    pytest.param(leave_out, "bytes", "a.py", id="what the entry says is left out"),
]  # fmt: skip


def check(repo: Repo, change: Change, rule: str, where: str) -> None:
    """Commit a change and see it rejected by one rule, at one place, with a cure."""
    commit(repo, change)
    ruling = judge(repo)
    assert (ruling.passes, ruling.rule, ruling.judged.verdict) == (False, rule, Verdict.FAIL)
    assert ruling.findings[0].where == where
    assert ruling.findings[0].fix


@pytest.mark.parametrize(("attack", "rule", "where"), SMUGGLED)
def test_what_no_entry_accounts_for_is_rejected(
    governed: Repo, attack: Attack, rule: str, where: str
) -> None:
    change = honest(governed)
    attack(change)
    check(governed, change, rule, where)


def test_the_honest_change_passes(governed: Repo) -> None:
    commit(governed, honest(governed))
    ruling = judge(governed)
    assert (ruling.passes, ruling.judged.verdict) == (True, Verdict.STRICT)


def forge(*way: str | int, to: Any) -> Attack:
    """Changes one value of the entry."""

    def attack(change: Change) -> None:
        *steps, last = way
        place = change.entry
        for step in steps:
            place = place[step]
        place[last] = to

    return attack


EDIT = ("edits", 0)
FILE = ("files", 0)
HUNK = (*FILE, "hunks", 0)


def decoy_text(change: Change) -> None:
    """The text of the edit says one thing, everything else another."""
    edit = json.loads(change.edit["text"])
    edit["operations"][0]["new_lines"] = ["    print('harmless')"]
    change.edit["text"] = json.dumps(edit)


def decoy_bytes(change: Change) -> None:
    """Hunk and file say another thing than the text of the edit, hashes and all."""
    new = b"    eval(sys.argv[1])\n"
    old = change.file["hunks"][0]["new_text"].encode()
    change.file["hunks"][0]["new_text"] = new.decode()
    change.file["hunks"][0]["new_hash"] = sha256(new)
    data = data_of(change, "a.py").replace(old, new)
    change.file["after"]["sha256"] = sha256(data)
    change.files["a.py"] = File(data)


def decoy_without_edits(change: Change) -> None:
    change.edit["text"] = '{"version": "1", "operations": []}'


def decoy_of_two_edits(change: Change) -> None:
    change.edit["text"] = json.dumps({"version": "1", "operations": [operation(), operation()]})


def uncovered_hunk(change: Change) -> None:
    """A hunk with right hashes at lines that no edit names."""
    hunk = copy.deepcopy(change.file["hunks"][0])
    hunk |= {
        "lines": [9, 9], "old_hash": range_hash(A, 9, 9), "new_text": "exit()\n",
        "new_hash": sha256(b"exit()\n"), "after": [],
        "before": [sha256(line + b"\n") for line in A.split(b"\n")[5:8]],
    }  # fmt: skip
    change.file["hunks"].append(hunk)
    data = data_of(change, "a.py").replace(b"\nmain()\n", b"\nexit()\n")
    change.file["after"]["sha256"] = sha256(data)
    change.files["a.py"] = File(data)


def widened_lines(change: Change) -> None:
    """The same, and the edit is said to have touched those lines too."""
    uncovered_hunk(change)
    change.edit["base_lines"] = [[5, 9]]
    change.edit["expected_hash"] = range_hash(A, 5, 9)


def executable_bit(change: Change) -> None:
    change.file["after"]["mode"] = "100755"
    mode_of_touched_file(change)


def made_a_link(change: Change) -> None:
    change.file["after"]["mode"] = "120000"
    change.files["a.py"] = File(data_of(change, "a.py"), SYMLINK)


def file_twice(change: Change) -> None:
    decoy = copy.deepcopy(change.file)
    decoy["hunks"][0]["edits"] = []
    change.entry["files"].insert(0, decoy)


def unchanged_file(change: Change) -> None:
    mark = {"mode": "100644", "sha256": sha256(B.replace(b"three", b"drei"))}
    change.entry["files"].append({
        "path": "b.txt", "new_path": "b.txt", "before": mark, "after": mark,
        "final_newline": True, "hunks": [],
    })  # fmt: skip


def other_path(change: Change) -> None:
    change.file["path"] = change.file["new_path"] = "b.txt"


def into(path: str) -> Attack:
    """The entry makes a file where none may be made."""

    def attack(change: Change) -> None:
        data = b"x\n"
        empty = sha256(b"")
        change.entry["files"].append({
            "path": None, "new_path": path, "before": None, "final_newline": True,
            "after": {"mode": "100644", "sha256": sha256(data)},
            "hunks": [{
                "lines": [1, 0], "old_hash": empty, "new_hash": sha256(data), "before": [],
                "after": [], "new_text": "x\n", "edits": [1],
            }],
        })  # fmt: skip
        if not path.startswith(".git/"):  # git itself refuses to put that into an index
            change.files[path] = File(data)

    return attack


def unneeded_read(change: Change) -> None:
    change.entry["reads"] = [
        {"path": "a.py", "lines": [1, 1], "range_hash": range_hash(A, 1, 1), "kind": "receipt"}
    ]


FORGED = [
    pytest.param(forge(*EDIT, "expected_hash", to="0" * 64), "hash", "a.py:5-6",
                 id="an expected hash that does not hold"),
    pytest.param(forge(*EDIT, "evidence_lines", to=[5, 5]), "hash", "a.py:5-6",
                 id="one of other lines"),
    pytest.param(forge(*EDIT, "evidence_lines", to=[5, 99]), "hash", "a.py:5-6",
                 id="one of lines that are not there"),
    pytest.param(forge(*EDIT, "expected_hash", to=None), "hash", "a.py:5-6",
                 id="a hash that is not told"),
    pytest.param(forge(*EDIT, "evidence", to="receipt"), "forged", "a.py:5-6",
                 id="another kind of evidence"),
    pytest.param(forge(*EDIT, "tier", to="exact"), "forged", "a.py:5-6", id="another tier"),
    pytest.param(forge(*EDIT, "similarity", to=999), "forged", "a.py:5-6", id="a similarity"),
    pytest.param(forge(*EDIT, "confidence", to=999), "forged", "a.py:5-6", id="a confidence"),
    pytest.param(forge(*EDIT, "runner_up", to=500), "forged", "a.py:5-6", id="a runner-up"),
    pytest.param(forge(*EDIT, "repairs", to=["escapes"]), "forged", "a.py:5-6", id="a repair"),
    pytest.param(forge(*EDIT, "lines", to=[[4, 6]]), "forged", "a.py:5-6", id="lines"),
    pytest.param(forge(*EDIT, "relocated", to=True), "forged", "a.py:5-6", id="a relocation"),
    pytest.param(forge(*EDIT, "dialect", to="auto"), "forged", "a.py:5-6", id="a dialect"),
    pytest.param(forge(*EDIT, "dialect", to="nonsense"), "decoy", "--format",
                 id="an unknown dialect"),
    pytest.param(forge(*EDIT, "path", to="b.txt"), "coverage", "a.py:5-6", id="an edit elsewhere"),
    pytest.param(unneeded_read, "forged", "a.py", id="a read that nobody leans on"),
    pytest.param(decoy_text, "decoy", "a.py:5-6", id="a text that says another thing"),
    pytest.param(decoy_bytes, "decoy", "a.py:5-6", id="hunks that say another thing"),
    pytest.param(decoy_without_edits, "decoy", "the spec", id="a text without edits"),
    pytest.param(decoy_of_two_edits, "decoy", "edit 1", id="a text of two edits"),
    pytest.param(uncovered_hunk, "coverage", "a.py:9-9", id="a hunk that no edit accounts for"),
    pytest.param(widened_lines, "forged", "a.py:5-9", id="an edit said to account for more"),
    pytest.param(forge(*HUNK, "edits", to=[]), "coverage", "a.py:5-6", id="a hunk of no edit"),
    pytest.param(forge(*HUNK, "edits", to=[2]), "coverage", "a.py:5-6", id="of an unknown edit"),
    pytest.param(forge(*HUNK, "old_hash", to="0" * 64), "hash", "a.py:5-6", id="an old hash"),
    pytest.param(forge(*HUNK, "new_hash", to="0" * 64), "hash", "a.py:5-6", id="a new hash"),
    pytest.param(forge(*HUNK, "before", to=[]), "hash", "a.py:5-6", id="no context"),
    pytest.param(forge(*HUNK, "lines", to=[5, 99]), "hunk", "a.py", id="lines that are not there"),
    pytest.param(forge(*HUNK, "new_text", to="x\n"), "hash", "a.py:5-6", id="a new text"),
    pytest.param(forge(*FILE, "hunks", to=[]), "after", "a.py", id="no hunks"),
    pytest.param(forge(*FILE, "final_newline", to=False), "after", "a.py", id="a final newline"),
    pytest.param(forge(*FILE, "before", "sha256", to="0" * 64), "before", "a.py",
                 id="what the file was"),
    pytest.param(forge(*FILE, "before", "mode", to="100755"), "before", "a.py",
                 id="the mode it had"),
    pytest.param(forge(*FILE, "after", "sha256", to="0" * 64), "after", "a.py",
                 id="what the file became"),
    pytest.param(executable_bit, "decoy", "a.py", id="an executable bit"),
    pytest.param(made_a_link, "mode", "a.py", id="a mode that is no file's"),
    pytest.param(file_twice, "path", "a.py", id="a file twice"),
    pytest.param(unchanged_file, "surplus", "b.txt", id="a file that it does not change"),
    pytest.param(forge("files", to=[]), "surplus", "ledger entry", id="no files"),
    pytest.param(other_path, "before", "b.txt", id="another path"),
    pytest.param(into(".git/hooks/pre-commit"), "path", ".git/hooks/pre-commit",
                 id="a file in .git"),
    pytest.param(into(".hkgit/config.toml"), "path", ".hkgit/config.toml", id="a file in .hkgit"),
    pytest.param(into("nul"), "path", "nul", id="a file that is a device somewhere"),
    pytest.param(into("extra"), "coverage", "extra:1-0", id="a file that no edit makes"),
    pytest.param(into("b.txt"), "before", "b.txt", id="a file that is there already"),
]  # fmt: skip


@pytest.mark.parametrize(("attack", "rule", "where"), FORGED)
def test_a_forged_entry_is_rejected(
    governed: Repo, attack: Attack, rule: str, where: str
) -> None:
    change = honest(governed)
    attack(change)
    check(governed, change, rule, where)


def test_a_forged_finding_tells_both_values(governed: Repo) -> None:
    change = honest(governed)
    change.edit["confidence"] = 900
    commit(governed, change)
    assert "records confidence 900, recomputed 1000" in judge(governed).findings[0].what


def ledger_path(repo: Repo) -> str:
    """The entry that the history has."""
    [path] = repo.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger").splitlines()
    return path


@pytest.mark.parametrize(
    ("file", "said"),
    [
        pytest.param(File(b"{}\n"), "the entry is altered", id="altered"),
        pytest.param(None, "the entry is removed", id="removed"),
    ],
)
@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "beside an honest change"])
def test_an_entry_of_the_history_stays(
    governed: Repo, file: File | None, said: str, is_alone: bool
) -> None:
    path = ledger_path(governed)
    change = Change() if is_alone else honest(governed)
    change.files[path] = file
    commit(governed, change)
    ruling = judge(governed)
    assert (ruling.rule, ruling.findings[0].where, ruling.findings[0].what) == ("entry", path, said)


def test_an_entry_of_the_history_keeps_its_mode(governed: Repo) -> None:
    path = ledger_path(governed)
    change = Change({path: File(governed.show("HEAD", path), EXECUTABLE)})
    commit(governed, change)
    assert judge(governed).rule == "entry"


@pytest.mark.parametrize(
    ("path", "mode", "said"),
    [
        pytest.param(f".hkgit/ledger/00/{'0' * 62}.json", 0o100644, "do not have the hash",
                     id="misnamed"),
        pytest.param(".hkgit/ledger/README", 0o100644, "is no place for", id="no entry at all"),
        pytest.param(".hkgit/ledger/{0}/{1}.json.txt", 0o100644, "is no place for",
                     id="another ending"),
        pytest.param(".hkgit/ledger/x/{0}/{1}.json", 0o100644, "is no place for", id="deeper"),
        pytest.param(".hkgit/ledger/{0}/{1}.json", 0o100755, "is no place for", id="executable"),
        pytest.param(".hkgit/ledger/{0}/{1}.json", 0o120000, "is no place for", id="a link"),
    ],
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


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b'{"schema":2}\n', "is 2, this hkgit knows 1", id="of a newer schema"),
        pytest.param(b"nonsense\n", "expected JSON", id="no JSON"),
        pytest.param(b"[" * 2**10, "nest", id="nested deep"),
        pytest.param(b" " * (2**20 + 1), "is over 1048576 bytes", id="too large"),
    ],
)
def test_an_entry_that_cannot_be_read_is_rejected(governed: Repo, data: bytes, said: str) -> None:
    name = sha256(data)
    commit(governed, Change({f".hkgit/ledger/{name[:2]}/{name[2:]}.json": File(data)}))
    ruling = judge(governed)
    assert ruling.rule == "entry"
    assert said in ruling.findings[0].what


def test_an_entry_is_not_used_on_another_base(governed: Repo) -> None:
    change = honest(governed)
    governed.commit({"a.py": A + b"# more\n"}, "Meanwhile")
    file = change.files["a.py"]
    assert file is not None
    change.files["a.py"] = File(file.data + b"# more\n")
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


def test_a_blind_edit_is_rejected(governed: Repo) -> None:
    blind = operation()
    del blind["expected_hash"]
    change = applied(governed, protocol(blind))
    check(governed, change, "blind", "a.py:5-6")


def test_the_cure_of_a_blind_edit_is_its_hash(governed: Repo) -> None:
    blind = operation()
    del blind["expected_hash"]
    commit(governed, applied(governed, protocol(blind)))
    assert "`hkgit read a.py:5-6` prints the one to pass with --expect" in (
        judge(governed).findings[0].fix
    )


def test_a_blind_commit_is_rejected(governed: Repo) -> None:
    change = Change({"a.py": File(b"x\n"), "b.txt": None})
    check(governed, change, "blind", "a.py, b.txt")


LOOP = "    for item in items:\n        total += item\n    return total\n"


@pytest.mark.parametrize(
    ("threshold", "rule"),
    [
        pytest.param(800, "verdict strict", id="the one it was applied with"),
        pytest.param(999, "decoy", id="one above its similarity"),
    ],
)
def test_a_threshold_that_the_edit_does_not_reach_is_forged(
    governed: Repo, threshold: int, rule: str
) -> None:
    governed.commit({"loop.py": LOOP}, "Loop")
    old = LOOP.replace("for item", "for each")
    spec = {"file": "loop.py", "old_text": old, "new_text": old.replace("return ", "return -"),
            "expected_hash": range_hash(LOOP.encode())}  # fmt: skip
    change = applied(governed, json.dumps(spec))
    change.entry["ladder"]["threshold"] = threshold
    commit(governed, change)
    assert judge(governed).rule == rule


def test_an_unknown_ladder_is_spliced_and_not_accepted_by_default(governed: Repo) -> None:
    change = honest(governed)
    change.entry["ladder"]["version"] = 99
    commit(governed, change)
    ruling = judge(governed)
    assert (ruling.judged.verdict, ruling.passes, ruling.rule) == ("spliced", False, "verdict")


@pytest.mark.parametrize(
    ("attack", "rule"),
    [
        pytest.param(forge(*EDIT, "expected_hash", to="0" * 64), "hash", id="a wrong hash"),
        pytest.param(uncovered_hunk, "coverage", id="an uncovered hunk"),
        pytest.param(byte_in_touched_file, "bytes", id="a smuggled byte"),
        pytest.param(into("extra"), "coverage", id="a file that no edit makes"),
    ],
)
def test_an_unknown_ladder_hides_nothing_that_replay_can_tell(
    governed: Repo, attack: Attack, rule: str
) -> None:
    change = honest(governed)
    change.entry["ladder"]["version"] = 99
    attack(change)
    commit(governed, change)
    assert (judge(governed).rule, judge(governed).passes) == (rule, False)


OTHER = "f" * 64


@pytest.mark.parametrize(
    ("foot", "said"),
    [
        pytest.param(f"Hkgit-Entry: sha256:{OTHER}", "which this commit does not add",
                     id="another entry"),
        pytest.param("Hkgit-Entry: sha256:{}\nHkgit-Confidence: 0.99",
                     "does not say 'Hkgit-Confidence: 0.99'", id="another confidence"),
        pytest.param("Hkgit-Entry: sha256:{}\nHkgit-Agent: someone/2",
                     "does not say 'Hkgit-Agent: someone/2'", id="another agent"),
        pytest.param("Hkgit-Entry: sha256:{}\nHkgit-Edit: a.py:1-1 - exact 1.00",
                     "does not say 'Hkgit-Edit: a.py:1-1", id="another edit"),
        pytest.param(f"Hkgit-Entry: sha256:{{}}\nHkgit-Entry: sha256:{OTHER}",
                     "which this commit does not add", id="one entry too many"),
    ],
)  # fmt: skip
def test_a_message_that_lies_about_its_entry_is_rejected(
    governed: Repo, foot: str, said: str
) -> None:
    change = honest(governed)
    change.message = f"Say\n\n{foot.format(sha256(written(change.entry)))}\n"
    commit(governed, change)
    ruling = judge(governed)
    assert (ruling.passes, ruling.rule) == (False, "trailer")
    assert said in ruling.findings[0].what


@pytest.mark.parametrize(
    ("message", "notes"),
    [
        pytest.param("Say\n", 0, id="no trailers are no fault"),
        pytest.param("Say\n\nHkgit-Entry: sha256:{}\n", 0, id="nor are few"),
        pytest.param("Say\n\nHkgit-Entry: sha256:{}\n\nSigned-off-by: A\n", 1, id="in the body"),
        pytest.param("Say\n\nHkgit-Confidence: 0.01\n", 1, id="without an entry"),
    ],
)
def test_what_a_message_does_not_claim_is_not_held_against_it(
    governed: Repo, message: str, notes: int
) -> None:
    change = honest(governed)
    change.message = message.format(sha256(written(change.entry)))
    commit(governed, change)
    ruling = judge(governed)
    assert (ruling.passes, len(ruling.judged.notes)) == (True, notes)


REPEATED = b"def a():\n    return 1\n\n\ndef b():\n    return 1\n"


def test_an_edit_does_not_land_on_equal_lines_elsewhere(governed: Repo) -> None:
    """What a spec says of line 2 holds at line 6 too; only the base could show that it moved."""
    governed.commit({"r.py": REPEATED}, "Repeat")
    change = applied(governed, protocol(replace_range("r.py", REPEATED, 6, 6, "    return 2")))
    edit = json.loads(change.edit["text"])
    edit["operations"][0] |= {"start_line": 2, "end_line": 2}
    change.edit["text"] = json.dumps(edit)
    change.edit["relocated"] = True
    check(governed, change, "decoy", "r.py:6-6")


def test_nor_without_a_base_to_show_it(governed: Repo) -> None:
    governed.commit({"r.py": REPEATED}, "Repeat")
    change = applied(governed, protocol(replace_range("r.py", REPEATED, 6, 6, "    return 2")))
    edit = json.loads(change.edit["text"])
    edit["operations"][0] |= {"start_line": 2, "end_line": 2}
    change.edit["text"] = json.dumps(edit)
    change.edit["relocated"] = True
    change.entry["base"] = None
    commit(governed, change)
    ruling = judge(governed)
    assert (ruling.passes, ruling.judged.verdict) == (False, "spliced")
