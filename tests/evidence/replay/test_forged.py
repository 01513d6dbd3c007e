"""Entries that say what is not so: each lie is found, and told with both values."""

from __future__ import annotations

import copy

import pytest

from hkgit.edits import EXECUTABLE, SYMLINK, File
from hkgit.text.document import range_hash
from tests.support.attacks import A, Attack, B, check, data_of, forge, honest, operation, sha256
from tests.support.cases import cases
from tests.support.commits import Change, commit, judge
from tests.support.repos import Repo

EDIT = ("edits", 0)
FILE = ("files", 0)
HUNK = (*FILE, "hunks", 0)


def decoy_text(change: Change) -> None:
    """The text of the edit says one thing, everything else another."""
    change.edit["edit"]["new_lines"] = ["    print('harmless')"]


def decoy_bytes(change: Change) -> None:
    """Hunk and file say another thing than the text of the edit, hashes and all."""
    new = b"    eval(sys.argv[1])\n"
    old = change.file["hunks"][0]["new_text"].encode()
    change.file["hunks"][0]["new_text"] = new.decode()
    change.file["hunks"][0]["new_hash"] = sha256(new)
    data = data_of(change, "a.py").replace(old, new)
    change.file["after"]["sha256"] = sha256(data)
    change.files["a.py"] = File(data)


def uncovered_hunk(change: Change) -> None:
    """A hunk with right hashes at lines that no edit names."""
    hunk = copy.deepcopy(change.file["hunks"][0])
    hunk |= {
        "lines": [9, 9],
        "old_hash": range_hash(A, 9, 9),
        "new_text": "exit()\n",
        "new_hash": sha256(b"exit()\n"),
        "after": [],
        "before": [sha256(line + b"\n") for line in A.split(b"\n")[5:8]],
    }
    change.file["hunks"].append(hunk)
    data = data_of(change, "a.py").replace(b"\nmain()\n", b"\nexit()\n")
    change.file["after"]["sha256"] = sha256(data)
    change.files["a.py"] = File(data)


def widened_lines(change: Change) -> None:
    """The same, and the edit is said to have touched those lines too."""
    uncovered_hunk(change)
    change.edit["base_lines"] = [[5, 9]]
    change.edit["expected_hash"] = range_hash(A, 5, 9)


def smuggled_byte(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py") + b" ")


def executable_bit(change: Change) -> None:
    change.file["after"]["mode"] = "100755"
    change.files["a.py"] = File(data_of(change, "a.py"), EXECUTABLE)


def made_a_link(change: Change) -> None:
    change.file["after"]["mode"] = "120000"
    change.files["a.py"] = File(data_of(change, "a.py"), SYMLINK)


def file_twice(change: Change) -> None:
    decoy = copy.deepcopy(change.file)
    decoy["hunks"][0]["edits"] = []
    change.entry["files"].insert(0, decoy)


def unchanged_file(change: Change) -> None:
    mark = {"mode": "100644", "sha256": sha256(B.replace(b"three", b"drei"))}
    change.entry["files"].append(
        {
            "path": "b.txt",
            "new_path": "b.txt",
            "before": mark,
            "after": mark,
            "final_newline": True,
            "hunks": [],
        }
    )


def other_path(change: Change) -> None:
    change.file["path"] = change.file["new_path"] = "b.txt"


def into(path: str) -> Attack:
    """The entry makes a file where none may be made."""

    def attack(change: Change) -> None:
        data = b"x\n"
        empty = sha256(b"")
        change.entry["files"].append(
            {
                "path": None,
                "new_path": path,
                "before": None,
                "final_newline": True,
                "after": {"mode": "100644", "sha256": sha256(data)},
                "hunks": [
                    {
                        "lines": [1, 0],
                        "old_hash": empty,
                        "new_hash": sha256(data),
                        "before": [],
                        "after": [],
                        "new_text": "x\n",
                        "edits": [1],
                    }
                ],
            }
        )
        if not path.startswith(".git/"):  # git itself refuses to put that into an index
            change.files[path] = File(data)

    return attack


def unneeded_read(change: Change) -> None:
    change.entry["reads"] = [
        {"path": "a.py", "lines": [1, 1], "range_hash": range_hash(A, 1, 1), "kind": "receipt"}
    ]


FORGED = [
    pytest.param(
        forge(*EDIT, "expected_hash", to="0" * 64),
        "hash",
        "a.py:5-6",
        id="an expected hash that does not hold",
    ),
    pytest.param(
        forge(*EDIT, "evidence_lines", to=[5, 5]), "hash", "a.py:5-6", id="one of other lines"
    ),
    pytest.param(
        forge(*EDIT, "evidence_lines", to=[5, 99]),
        "hash",
        "a.py:5-6",
        id="one of lines that are not there",
    ),
    pytest.param(
        forge(*EDIT, "expected_hash", to=None), "hash", "a.py:5-6", id="a hash that is not told"
    ),
    pytest.param(
        forge(*EDIT, "evidence", to="receipt"), "forged", "a.py:5-6", id="another kind of evidence"
    ),
    pytest.param(forge(*EDIT, "tier", to="exact"), "forged", "a.py:5-6", id="another tier"),
    pytest.param(forge(*EDIT, "similarity", to=999), "forged", "a.py:5-6", id="a similarity"),
    pytest.param(forge(*EDIT, "confidence", to=999), "forged", "a.py:5-6", id="a confidence"),
    pytest.param(forge(*EDIT, "runner_up", to=500), "forged", "a.py:5-6", id="a runner-up"),
    pytest.param(forge(*EDIT, "repairs", to=["escapes"]), "forged", "a.py:5-6", id="a repair"),
    pytest.param(forge(*EDIT, "lines", to=[[4, 6]]), "forged", "a.py:5-6", id="lines"),
    pytest.param(forge(*EDIT, "relocated", to=True), "forged", "a.py:5-6", id="a relocation"),
    pytest.param(
        forge(*EDIT, "dialect", to="hashline"), "decoy", "a.py", id="a dialect that cannot say it"
    ),
    pytest.param(
        forge(*EDIT, "dialect", to="nonsense"), "decoy", "ledger entry", id="an unknown dialect"
    ),
    pytest.param(forge(*EDIT, "path", to="b.txt"), "coverage", "a.py:5-6", id="an edit elsewhere"),
    pytest.param(unneeded_read, "forged", "a.py", id="a read that nobody leans on"),
    pytest.param(decoy_text, "decoy", "a.py:5-6", id="a text that says another thing"),
    pytest.param(decoy_bytes, "decoy", "a.py:5-6", id="hunks that say another thing"),
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
    pytest.param(
        forge(*FILE, "before", "sha256", to="0" * 64), "before", "a.py", id="what the file was"
    ),
    pytest.param(
        forge(*FILE, "before", "mode", to="100755"), "before", "a.py", id="the mode it had"
    ),
    pytest.param(
        forge(*FILE, "after", "sha256", to="0" * 64), "after", "a.py", id="what the file became"
    ),
    pytest.param(executable_bit, "decoy", "a.py", id="an executable bit"),
    pytest.param(made_a_link, "mode", "a.py", id="a mode that is no file's"),
    pytest.param(file_twice, "path", "a.py", id="a file twice"),
    pytest.param(unchanged_file, "surplus", "b.txt", id="a file that it does not change"),
    pytest.param(forge("files", to=[]), "surplus", "ledger entry", id="no files"),
    pytest.param(other_path, "before", "b.txt", id="another path"),
    pytest.param(
        into(".git/hooks/pre-commit"), "path", ".git/hooks/pre-commit", id="a file in .git"
    ),
    pytest.param(into(".hkgit/config.toml"), "path", ".hkgit/config.toml", id="a file in .hkgit"),
    pytest.param(into("nul"), "path", "nul", id="a file that is a device somewhere"),
    pytest.param(into("extra"), "coverage", "extra:1-0", id="a file that no edit makes"),
    pytest.param(into("b.txt"), "before", "b.txt", id="a file that is there already"),
]


@pytest.mark.parametrize("said", [{}, {"op": "replace_range", "operations": [operation()]}, []])
def test_an_entry_whose_edit_is_no_edit_is_rejected(governed: Repo, said: object) -> None:
    change = honest(governed)
    change.edit["edit"] = said
    commit(governed, change)
    [finding] = judge(governed).findings
    assert finding.rule == "entry"
    assert "edits[0].edit" in finding.what


@pytest.mark.sampled
@pytest.mark.parametrize(("attack", "rule", "where"), FORGED)
def test_a_forged_entry_is_rejected(governed: Repo, attack: Attack, rule: str, where: str) -> None:
    change = honest(governed)
    attack(change)
    check(governed, change, rule, where)


def test_a_forged_finding_tells_both_values(governed: Repo) -> None:
    change = honest(governed)
    change.edit["confidence"] = 900
    commit(governed, change)
    assert "records confidence 900, recomputed 1000" in judge(governed).findings[0].what


def test_an_entry_of_another_ladder_is_located_by_this_one(governed: Repo) -> None:
    change = honest(governed)
    change.entry["ladder"] = 99
    change.edit["confidence"] = 900
    commit(governed, change)
    ruling = judge(governed)
    assert ruling.judged.verdict == "strict"
    assert ruling.judged.is_recomputed is False


@cases(
    "attack, rule",
    {
        "a wrong hash": (forge(*EDIT, "expected_hash", to="0" * 64), "hash"),
        "an uncovered hunk": (uncovered_hunk, "coverage"),
        "a smuggled byte": (smuggled_byte, "bytes"),
        "a file that no edit makes": (into("extra"), "coverage"),
    },
)
def test_an_unknown_ladder_hides_nothing_that_replay_can_tell(
    governed: Repo, attack: Attack, rule: str
) -> None:
    change = honest(governed)
    change.entry["ladder"] = 99
    attack(change)
    commit(governed, change)
    assert judge(governed).rule == rule
    assert judge(governed).passes is False
