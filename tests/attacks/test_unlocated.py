"""Attacks by entries that nobody can locate again: what they do must stand in their own words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hkgit.applying.workspace import resolve_names
from hkgit.dialects import parse
from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.evidence.verdict import Verdict
from hkgit.gate.policy.model import Policy
from hkgit.text.document import hash_lines
from tests.attacks.landing import AUTH, Landing
from tests.attacks.scene import (
    PERSON,
    A,
    Attack,
    Change,
    Operation,
    Scene,
    protocol,
    replace_range,
)
from tests.support.attacks import file_of, sha256, write_hunk
from tests.support.cases import cases
from tests.support.commits import applied, commit_tree, files_of, message_of, tree_of

RUN = b"#!/bin/sh\n"
NOBODYS = sha256(b"files that nobody has")
LATER = sha256(b"what became of them")


def two_files(scene: Scene, on: str = "HEAD") -> Change:
    """An honest entry for a.py and b.txt, which says that b.txt was another file before."""
    b = scene.repo.show(on, "b.txt")
    edits = (replace_range("a.py", A, 5, 6, "    x()"), replace_range("b.txt", b, 1, 1, "uno"))
    change = replace(scene.applied(*edits, on=on), message="Say\n")
    change.entry["base"] = None
    _forget(file_of(change, "b.txt"))
    return change


def _forget(file: Any) -> None:
    """Let a recorded file be one that nobody has."""
    file["before"]["sha256"], file["after"]["sha256"] = NOBODYS, LATER


def _beside(change: Change, path: str, new_path: str | None, after: dict[str, str] | None) -> None:
    """Let the entry also do something to a whole file, of which it says nothing."""
    file: dict[str, Any] = {
        "path": path,
        "new_path": new_path,
        "before": {"mode": "100644", "sha256": NOBODYS},
        "after": after,
        "final_newline": True,
        "hunks": [],
    }
    change.entry["files"] = [*change.entry["files"], file]


def another_text_in_a_new_file(scene: Scene) -> str:
    create: Operation = {"op": "create_file", "path": "a.new", "new_text": "harmless\n"}
    b = scene.repo.show("HEAD", "b.txt")
    change = replace(scene.applied(create, replace_range("b.txt", b, 1, 1, "uno")), message="Say\n")
    _forget(file_of(change, "b.txt"))
    write_hunk(change, "a.new", "evil()\n")
    return scene.commit(change)


def beside(path: str, new_path: str, mode: int) -> Attack:
    """A file that is moved, or gets another mode, beside what the edits say."""

    def attack(scene: Scene) -> str:
        change = two_files(scene)
        _beside(change, path, new_path, {"mode": f"{mode:o}", "sha256": sha256(b"other")})
        change.files |= {path: None, new_path: File(RUN, mode)}
        return scene.commit(change)

    return attack


def a_removal(scene: Scene) -> str:
    """Of an empty file, which needs no hunk."""
    on = scene.by_hand({"typed.py": File(b"")}, PERSON)
    change = replace(two_files(scene, on), parents=(on,))
    _beside(change, "typed.py", None, None)
    change.files["typed.py"] = None
    return scene.commit(change)


def lines_taken_by_a_rename(scene: Scene) -> str:
    """An edit that moves a file says nothing of its lines, and so does not take them out."""
    lines = scene.repo.show("HEAD", "b.txt").splitlines()
    rename: Operation = {
        "op": "rename_file",
        "path": "b.txt",
        "new_path": "c.txt",
        "expected_hash": hash_lines(lines),
    }
    change = replace(scene.applied(rename), message="Say\n")
    file = change.file
    _forget(file)
    file["hunks"] = [
        {
            "lines": [2, 2],
            "old_hash": hash_lines(lines[1:2]),
            "new_hash": hash_lines([]),
            "new_text": "",
            "before": [hash_lines(lines[:1])],
            "after": [hash_lines(lines[2:])],
            "edits": [1],
        }
    ]
    change.files["c.txt"] = File(b"one\ndrei\n")
    return scene.commit(change)


def written_as(text: str) -> Attack:
    """A hunk writes this text where its edit says another line."""

    def attack(scene: Scene) -> str:
        change = two_files(scene)
        write_hunk(change, "a.py", text)
        return scene.commit(change)

    return attack


NAME, PRINT = "    name = sys.argv[1]\n", "    print(name)\n"


def quoting(first: int, new_text: str, old: str = "", new: str = "    x()\n") -> Attack:
    """An edit that quotes and says some lines, for a hunk of lines 5 or 6 to 6 of a.py."""

    def attack(scene: Scene) -> str:
        block = f"a.py\n<<<<<<< SEARCH\n{NAME}=======\n    x()\n>>>>>>> REPLACE\n"
        change = replace(applied(scene.repo, parse(block)), message="Say\n")
        lines, stretch = A.splitlines(), [first, 6]
        hashes = [hash_lines([line]) for line in lines]
        edit = change.edit
        edit |= {
            "edit": {**edit["edit"], "old_text": old or NAME, "new_text": new},
            "evidence": "hash",
            "expected_hash": NOBODYS,
            "evidence_lines": stretch,
            "base_lines": [stretch],
            "lines": [stretch],
        }
        change.file["hunks"][0] |= {
            "lines": stretch,
            "old_hash": hash_lines(lines[first - 1 : 6]),
            "new_text": new_text,
            "new_hash": hash_lines(new_text.encode().splitlines()),
            "before": hashes[first - 4 : first - 1],
            "after": hashes[6:9],
        }
        _forget(change.file)
        change.entry["base"] = None
        kept = [b"%s\n" % line for line in lines]
        text = [*kept[: first - 1], new_text.encode(), *kept[6:]]
        change.files["a.py"] = File(b"".join(text))
        return scene.commit(change)

    return attack


def the_words_for_another_file(scene: Scene) -> str:
    change = two_files(scene)
    for edit in change.entry["edits"]:
        edit["edit"]["path"] = "docs/a.md"
    return scene.commit(change)


def a_decoy_of_no_known_ladder_beside_one_that_moved(scene: Scene) -> str:
    """Its number of the ladder does not keep it from being located."""
    decoy, moved = scene.honest(), two_files(scene)
    write_hunk(decoy, "a.py", "    evil()\n")
    decoy.entry["ladder"] = 99
    moved.entry["files"] = [file_of(moved, "b.txt")]
    moved.entry["edits"] = [moved.entry["edits"][1] | {"id": 1}]
    file_of(moved, "b.txt")["hunks"][0]["edits"] = [1]
    files = {"a.py": decoy.files["a.py"], "b.txt": moved.files["b.txt"]}
    return scene.commit(Change(files, [decoy.entry, moved.entry], "Say\n"))


@cases(
    "attack, where",
    {
        "a line": (written_as("    evil()\n"), "a.py:5-6"),
        "two lines turned round": (written_as(f"{PRINT}    x()\n{NAME}"), "a.py:5-6"),
        "a new file": (another_text_in_a_new_file, "a.new:1-0"),
        "a rename": (beside("run.sh", "start.sh", REGULAR), "run.sh"),
        "a mode": (beside("run.sh", "run.sh", EXECUTABLE), "run.sh"),
        "a removal": (a_removal, "typed.py"),
        "lines removed by a rename": (lines_taken_by_a_rename, "b.txt:2-2"),
        "a line taken away": (quoting(5, "    x()\n"), "a.py:5-6"),
        "words instead of those quoted": (quoting(6, "    print(x())\n"), "a.py:6-6"),
        # Blank lines stand in everything, so they once took away whatever they liked.
        "a function for blank lines": (
            quoting(5, "    return True\n", "\n\n", "    return True\n"),
            "a.py",
        ),
        "the words twice": (quoting(5, "    x()\n    x()\n", NAME + PRINT), "a.py:5-6"),
        "the words in another order": (
            quoting(5, "    y()\n    x()\n", NAME + PRINT, "    x()\n    y()\n"),
            "a.py:5-6",
        ),
        "half of the words": (
            quoting(5, "    x()\n", NAME + PRINT, "    x()\n    check(name)\n"),
            "a.py:5-6",
        ),
        "lines like one quoted": (quoting(5, "    x()\n", "    name = sys.argv[2]\n"), "a.py"),
        "the words for another file": (the_words_for_another_file, "a.py"),
        "a decoy of no known ladder beside an entry that moved": (
            a_decoy_of_no_known_ladder_beside_one_that_moved,
            "a.py:5-6",
        ),
    },
)
def test_what_an_entry_does_not_say_is_found_though_nobody_locates_it(
    scene: Scene, attack: Attack, where: str
) -> None:
    made = attack(scene)
    assert scene.rules(made) == {"decoy"}
    assert scene.ruling(made, Policy()).findings[0].where == where


def test_a_push_takes_no_body_of_a_function_away_for_blank_lines(tmp_path: Path) -> None:
    made = Landing.at(tmp_path, "all")
    honest = replace_range("auth.py", AUTH.encode(), 2, 2, "    return True")
    change = replace(applied(made.clone, protocol(honest)), message="Say\n")
    words = {"old_text": "\n\n", "new_text": "    return True\n"}
    asked: dict[str, object] = {"op": "replace_text", "path": "auth.py", **words}
    change.edit.update(dialect="search-replace", tier="exact", edit=asked)
    change.entry["base"] = None
    _forget(change.file)
    tree = tree_of(made.clone, change)
    commit = commit_tree(made.clone, tree, ["main"], message_of(change), change.author)
    assert "decoy" in made.refuse(f"{commit}:main")


def a_change_of_hkgits_own(scene: Scene) -> str:
    """An entry for a file below .hkgit/, which no spec may touch."""
    path = ".hkgit/consult/x.md"
    on = scene.by_hand({path: File(b"one\n")}, PERSON)
    change = scene.applied(replace_range("b.txt", scene.repo.show(on, "b.txt"), 1, 1, "uno"), on=on)
    change = replace(change, message="Say\n", parents=(on,))
    lines = scene.repo.show(on, "b.txt").splitlines()
    change.edit["path"] = change.edit["edit"]["path"] = change.file["path"] = change.file[
        "new_path"
    ] = path
    _forget(change.file)
    [hunk] = change.file["hunks"]
    hunk |= {"old_hash": hash_lines([b"one"]), "after": []}
    assert lines[0] == b"one"
    change.files = {path: File(b"uno\n")}
    return scene.commit(change)


def test_no_entry_changes_what_is_hkgits_own(scene: Scene) -> None:
    made = a_change_of_hkgits_own(scene)
    assert scene.rules(made) == {"path"}
    assert {finding.rule for finding in scene.ruling(made, Policy()).findings} == {"path"}


def test_a_hunk_writes_whole_lines(scene: Scene, policy: Policy) -> None:
    ruling = scene.ruling(written_as("    x()")(scene), policy)
    assert "hunk" in {finding.rule for finding in ruling.findings}


def test_what_it_says_it_may_do(scene: Scene, policy: Policy) -> None:
    ruling = scene.ruling(scene.commit(two_files(scene)), policy)
    assert ruling.passes is True, ruling.findings
    assert ruling.judged.verdict == Verdict.REANCHORED, ruling.findings


def test_a_name_in_prose_may_be_cut_short(scene: Scene, policy: Policy) -> None:
    text = "src\\A.py\n<<<<<<< SEARCH\none\n=======\nuno\n>>>>>>> REPLACE\n"
    on = scene.by_hand({"lib/src/a.py": File(b"one\ntwo\n")}, PERSON)
    change = applied(scene.repo, resolve_names(parse(text), files_of(scene.repo, on)), on=on)
    _forget(change.file)
    edit = change.edit
    edit |= {"evidence": "hash", "expected_hash": NOBODYS, "evidence_lines": [1, 1]}
    change.entry["base"] = None
    made = scene.commit(replace(change, message="Say\n", parents=(on,)))
    assert scene.ruling(made, policy).passes, scene.ruling(made, policy).findings
