"""Attacks on records: entries that lie, are used again, or are no entries at all."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from hkgit.edits import EXECUTABLE, REGULAR, SYMLINK, File
from hkgit.evidence.entry import LEDGER, entry_path
from hkgit.evidence.verdict import Verdict
from hkgit.gate.policy.model import Policy
from hkgit.text.document import range_hash
from tests.attacks.falsehoods import (
    FORGED,
    SMUGGLED,
    decoy_bytes,
    decoy_text,
    smuggled_byte,
    uncovered_hunk,
)
from tests.attacks.scene import (
    A,
    Attack,
    Scene,
    falsified,
    replace_range,
)
from tests.support.attacks import Attack as Falsify
from tests.support.attacks import forge, sha256
from tests.support.cases import cases
from tests.support.commits import applied
from tests.support.entries import written


@cases("falsify, rule, where", FORGED | SMUGGLED)
def test_a_falsified_commit_is_rejected(
    scene: Scene, falsify: Falsify, rule: str, where: str
) -> None:
    made = falsified(scene, falsify)
    assert scene.rules(made) == {rule}
    assert scene.ruling(made, Policy()).findings[0].where == where


def test_what_is_forged_is_told_with_both_values(scene: Scene) -> None:
    made = falsified(scene, forge("edits", 0, "confidence", to=900))
    assert "records confidence 900, recomputed 1000" in (
        scene.ruling(made, Policy()).findings[0].what
    )


@cases(
    "falsify",
    {"decoy spec: text against hunks": decoy_text, "decoy spec: hunks against text": decoy_bytes},
)
def test_a_decoy_is_found_whoever_commits_it(scene: Scene, falsify: Falsify) -> None:
    change = replace(scene.honest(), author="Ada Tester <ada@example.org>")
    falsify(change)
    assert scene.rules(scene.commit(change)) == {"decoy"}


EVIL = File(b"evil\n")
CLAIMS = b'"claims":{'
DEEP = CLAIMS + b'"deep":' + b"[" * 10_000 + b"]" * 10_000 + b","


def reused(scene: Scene) -> str:
    """The same change, made again by hand after it was undone, under its old entry."""
    once = scene.commit(scene.honest())
    undone = scene.by_hand({"a.py": File(A)}, "Ada Tester <ada@example.org>", once)
    again = scene.honest(undone)
    return scene.commit(replace(again, entries=[], files={**again.files}))


def reused_elsewhere(scene: Scene) -> str:
    """An honest entry for a file, beside a change of another file."""
    change = scene.honest()
    return scene.commit(replace(change, files={"b.txt": EVIL}))


def in_place_of_the_past(file: File | None, **beside: File) -> Attack:
    """Something else, or nothing, where an entry of the past is."""
    return lambda scene: scene.by_hand({_entry_of_the_past(scene): file, **beside})


def altered_beside_a_change(scene: Scene) -> str:
    change = scene.honest()
    change.files[_entry_of_the_past(scene)] = File(b"{}\n")
    return scene.commit(change)


def of_another_mode(scene: Scene) -> str:
    path = _entry_of_the_past(scene)
    return scene.by_hand({path: File(scene.repo.show("HEAD", path), EXECUTABLE)})


def renamed_entry(scene: Scene) -> str:
    path = _entry_of_the_past(scene)
    data = scene.repo.show("HEAD", path)
    return scene.by_hand({path: None, f"{LEDGER}/00/{'0' * 62}.json": File(data)})


def placed(path: str, mode: int = REGULAR) -> Attack:
    """An honest entry that stands elsewhere than under its name, or is no regular file."""

    def attack(scene: Scene) -> str:
        change = scene.honest()
        data = written(change.entry)
        name = sha256(data)
        change.files[f"{LEDGER}/{path.format(name[:2], name[2:])}"] = File(data, mode)
        return scene.commit(replace(change, entries=[]))

    return attack


def with_bytes(write: Callable[[bytes], bytes]) -> Attack:
    """A record of other bytes than those of the honest entry, under its name."""

    def attack(scene: Scene) -> str:
        change = scene.honest()
        data = write(written(change.entry))
        record: dict[str, File | None] = {entry_path(sha256(data)): File(data)}
        return scene.commit(replace(change, entries=[], files={**change.files, **record}))

    return attack


def in_two_entries(scene: Scene) -> str:
    """Two entries that claim one hunk."""
    change, other = scene.honest(), scene.honest()
    other.entry["claims"] = {"agent": "another/1"}
    return scene.commit(replace(change, entries=[change.entry, other.entry]))


def not_needed(scene: Scene) -> str:
    change = scene.honest()
    other = scene.applied(replace_range("b.txt", scene.repo.show("HEAD", "b.txt"), 1, 1, "uno"))
    return scene.commit(replace(change, entries=[change.entry, other.entry]))


BYTES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "duplicate keys": (lambda data: b'{"base":null,' + data[1:], 'the key "base" is given twice'),
    "not canonical": (lambda data: data.replace(b",", b", "), "is not canonical"),
    "no JSON": (lambda data: b"nonsense\n", "expected JSON"),
    "nested 10,000 deep": (lambda data: data.replace(CLAIMS, DEEP), "nest"),
    "over a mebibyte": (lambda data: b" " * (2**20 + 1), "is over 1048576 bytes"),
}


def too_many(scene: Scene) -> str:
    """Seventy files of a mebibyte each, under names of entries."""
    padding = b'"' + b"x" * (2**20 - 4) + b'"\n'
    names = [f"{LEDGER}/00/{number:062x}.json" for number in range(70)]
    return scene.by_hand(dict.fromkeys(names, File(padding)))


def _entry_of_the_past(scene: Scene) -> str:
    listed = scene.repo.git("ls-tree", "-r", "--name-only", "HEAD", LEDGER)
    return listed.splitlines()[0]


@cases(
    "attack, rule, said",
    {
        "entry of an undone change used again": (reused, "blind", "no ledger entry"),
        "entry beside another change": (reused_elsewhere, "bytes", "an entry changes this file"),
        "entry removed beside a change": (
            in_place_of_the_past(None, beside=EVIL),
            "entry",
            "the entry is removed",
        ),
        "entry altered": (in_place_of_the_past(File(b"{}\n")), "entry", "the entry is altered"),
        "entry altered beside a change": (altered_beside_a_change, "entry", "the entry is altered"),
        "entry of another mode": (of_another_mode, "entry", "the entry is altered"),
        "entry renamed": (renamed_entry, "entry", "do not match the hash in its name"),
        "no entry's name": (placed("README"), "entry", "is not a place for"),
        "another ending": (placed("{0}/{1}.json.txt"), "entry", "is not a place for"),
        "deeper": (placed("x/{0}/{1}.json"), "entry", "is not a place for"),
        "executable": (placed("{0}/{1}.json", EXECUTABLE), "entry", "is not a place for"),
        "a link": (placed("{0}/{1}.json", SYMLINK), "entry", "is not a place for"),
        "two entries for one hunk": (in_two_entries, "before", "the file differs"),
        "entry that is not needed": (not_needed, "bytes", "an entry changes this file"),
        "over 64 mebibytes in all": (too_many, "entry", "over 67108864 bytes together"),
        **{name: (with_bytes(write), "entry", said) for name, (write, said) in BYTES.items()},
    },
)
def test_an_entry_is_what_it_says_or_is_rejected(
    scene: Scene, attack: Attack, rule: str, said: str
) -> None:
    made = attack(scene)
    assert scene.rules(made) == {rule}
    assert said in scene.ruling(made, Policy()).findings[0].what


def test_an_entry_of_a_newer_schema_asks_for_a_newer_hkgit(scene: Scene) -> None:
    made = falsified(scene, forge("schema", to=2))
    assert scene.rule(made, Policy()) == "entry"
    assert "Upgrade hkgit" in scene.ruling(made, Policy()).findings[0].fix


@pytest.mark.parametrize("ladder", [0, 99], ids=["before the first", "that nobody knows"])
@cases(
    "falsify, rule",
    {
        "a decoy": (decoy_text, "decoy"),
        "a wrong hash": (FORGED["an expected hash that does not hold"][0], "hash"),
        "an uncovered hunk": (uncovered_hunk, "coverage"),
        "a smuggled byte": (smuggled_byte, "bytes"),
    },
)
def test_a_forged_number_of_the_ladder_hides_no_decoy(
    scene: Scene, ladder: int, falsify: Falsify, rule: str
) -> None:
    change = scene.honest()
    falsify(change)
    change.entry["ladder"] = ladder
    assert scene.rules(scene.commit(change)) == {rule}


def test_an_entry_of_another_ladder_is_located_by_this_one(scene: Scene, policy: Policy) -> None:
    change = scene.honest()
    change.entry["ladder"] = 99
    change.edit["confidence"] = 900
    judged = scene.ruling(scene.commit(change), policy).judged
    assert (judged.verdict, judged.is_recomputed) == (Verdict.STRICT, False)


def test_under_a_forged_number_no_tier_or_confidence_meets_a_floor(scene: Scene) -> None:
    change = scene.honest()
    change.entry["ladder"] = 99
    change.edit["confidence"] = 1000
    assert scene.rules(scene.commit(change), min_confidence=900) == {"claimed"}


@pytest.mark.parametrize("threshold", [0, 100, 799])
def test_a_place_that_is_found_by_a_low_threshold_reaches_no_floor(
    scene: Scene, threshold: int
) -> None:
    first = A.decode().partition("\n")[0]
    old = f"{first}\n\n\ndef main():\n    nom = sys.argv[1]\n    print(name)\n"
    edit = {"file": "a.py", "old_text": old, "new_text": old.replace("sys\n", "sys, re\n", 1)}
    edit["expected_hash"] = range_hash(A)
    change = replace(applied(scene.repo, json.dumps(edit)), parents=("HEAD",))
    change.entry["parameters"]["threshold"] = threshold
    assert scene.rules(scene.commit(change), min_confidence=1000) == {"confidence"}


def forged_before(scene: Scene) -> str:
    """An entry that was made on files which nobody has, so that nobody locates its spec again."""
    on = scene.by_hand({"a.py": File(b"# moved\n" + A)}, "Ada Tester <ada@example.org>")
    change = scene.honest()
    change.entry["base"] = None
    change.edit["confidence"] = 1000
    change.file["before"]["sha256"] = sha256(b"files that nobody has")
    data = change.files["a.py"]
    assert data is not None
    moved = {**change.files, "a.py": File(b"# moved\n" + data.data)}
    return scene.commit(replace(change, files=moved, parents=(on,)))


def test_an_entry_made_on_files_that_nobody_has_reaches_no_floor(scene: Scene) -> None:
    made = forged_before(scene)
    assert scene.ruling(made, Policy()).judged.verdict is Verdict.REANCHORED
    assert scene.rules(made, min_confidence=900) == {"claimed"}
    assert scene.rules(made, min_tightness=1) == {"unverifiable"}
