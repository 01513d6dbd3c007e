"""Attacks on what a commit holds: paths, modes, links, characters, and evidence of too much."""

from dataclasses import replace

import pytest

from hkgit.edits import EXECUTABLE, SUBMODULE, SYMLINK, File
from hkgit.gate.policy.defaults import TEXT
from hkgit.gate.policy.model import Floors, Policy
from hkgit.gate.rules.floors import measure_strengths
from tests.attacks.landing import Landing
from tests.attacks.scene import AGENT, A, Attack, Change, Operation, Scene, replace_range
from tests.support.attacks import sha256
from tests.support.cases import cases
from tests.support.commits import commit_tree
from tests.support.objects import open_repository

LINES = tuple(f"line {number}\n" for number in range(1, 41))
WHOLE = "".join(LINES).encode()
CHANGED = "".join(LINES).replace("line 7\n", "evil\n")


# Evidence of too much


def created(scene: Scene, path: str, content: bytes) -> str:
    """A commit of a person with one more file, for an agent to stand on."""
    return scene.by_hand({path: File(content)}, "Ada Tester <ada@example.org>")


def edited(scene: Scene, old: str, new: str, path: str = "text.py") -> str:
    """An agent's edit of all lines of a file that a person has created."""
    on = created(scene, path, old.encode())
    edit = replace_range(path, old.encode(), 1, old.count("\n"), new)
    return scene.commit(scene.applied(edit, on=on))


def whole_file(scene: Scene) -> str:
    """The hash of a whole file to change one line of it."""
    return edited(scene, WHOLE.decode(), CHANGED, "long.txt")


def whole_hash(scene: Scene) -> str:
    """One line named by its place, with the hash of the file as its evidence."""
    on = created(scene, "long.txt", WHOLE)
    words = {"old_text": "line 7\n", "new_text": "evil\n", "expected_hash": sha256(WHOLE)}
    return scene.commit(scene.applied({"op": "replace_text", "path": "long.txt", **words}, on=on))


def deleted_and_created(scene: Scene) -> str:
    """The same by two entries: one removes the file, the other makes it anew."""
    on = created(scene, "long.txt", WHOLE)
    gone: Operation = {"op": "delete_file", "path": "long.txt", "expected_hash": sha256(WHOLE)}
    first = scene.applied(gone, on=on)
    between = scene.commit(first)
    made: Operation = {"op": "create_file", "path": "long.txt", "new_text": CHANGED}
    second = scene.applied(made, on=between)
    entries = [*first.entries, *second.entries]
    return scene.commit(Change({**second.files}, entries, parents=(on,)))


@cases(
    "attack",
    {
        "whole-file range": whole_file,
        "whole-file hash around one line": whole_hash,
        "delete, then create": deleted_and_created,
    },
)
def test_evidence_of_too_much_is_below_a_floor_of_tightness(scene: Scene, attack: Attack) -> None:
    commit = attack(scene)
    assert scene.passes(commit), "without a floor it is evidence like other"
    assert scene.rules(commit, min_tightness=100) == {"tightness"}
    assert scene.rules(commit, paths=(Floors(("long*",), min_tightness=100),)) == {"tightness"}


def test_a_hash_that_other_lines_share_is_labelled(scene: Scene, policy: Policy) -> None:
    """And an edit of what it names is tight."""
    content = b"}\na\n}\n"
    on = created(scene, "shared.txt", content)
    for line, shared in ((1, ((1, 1),)), (2, ())):
        edit = replace_range("shared.txt", content, line, line, "x")
        made = scene.commit(scene.applied(edit, on=on))
        ruling = scene.ruling(made, replace(policy, min_tightness=1000))
        assert ruling.passes
        [strength] = measure_strengths(open_repository(scene.repo), ruling.judged)
        assert (strength.shared, strength.tightness) == (shared, 1000)


# Paths, modes and links


@cases(
    "path",
    {
        "workflow": ".github/workflows/ci.yml",
        "workflow in another case": ".GitHub/Workflows/ci.yml",
        "workflow with a letter HFS+ ignores": ".github/work\u200dflows/ci.yml",
        "attributes": "sub/.gitattributes",
    },
)
def test_what_decides_what_runs_needs_a_grant(scene: Scene, path: str) -> None:
    create: Operation = {"op": "create_file", "path": path, "new_text": "x\n"}
    assert scene.rules(scene.commit(scene.applied(create))) == {"protected"}


@pytest.mark.parametrize(
    ("old", "new"), [(".gitlab-ci.yml", "x.yml"), ("x.yml", ".github/workflows/x.yml")]
)
def test_a_rename_does_not_carry_a_file_into_protection(scene: Scene, old: str, new: str) -> None:
    """Nor out of it."""
    on = created(scene, old, b"x\n")
    digest = sha256(b"x\n")
    rename: Operation = {"op": "rename_file", "path": old, "new_path": new}
    made = scene.applied(rename | {"expected_hash": digest}, on=on)
    assert scene.rules(scene.commit(made)) == {"protected"}


def test_a_path_may_be_unprotected(scene: Scene) -> None:
    create: Operation = {"op": "create_file", "path": ".github/workflows/x", "new_text": "x\n"}
    made = scene.commit(scene.applied(create))
    assert scene.passes(made, unprotect=(".github/workflows/*",))


@cases(
    "files",
    {
        "delete-only": {"b.txt": None},
        "rename-only": {"b.txt": None, "c.txt": File(b"one\ntwo\n")},
        "mode-only": {"b.txt": File(b"one\ntwo\ndrei\n", EXECUTABLE)},
        "a link": {"link": File(b"/etc/passwd", SYMLINK)},
        "a file made a link": {"a.py": File(b"b.txt", SYMLINK)},
        "a submodule": {"sub": File(b"", SUBMODULE)},
    },
)
def test_a_change_without_text_is_a_change(scene: Scene, files: dict[str, File | None]) -> None:
    assert scene.rules(scene.by_hand(files)) == {"blind"}


RAW = {
    "a name that leads up": b"..",
    "a directory of git": b".git",
    "of git in another case": b".GIT",
    "of git by its short name": b"git~1",
    "of git with a letter HFS+ ignores": b".g\xe2\x80\x8cit",
    "a name with an escape": b"a\x1bb",
}


def _beside(scene: Scene, rev: str, line: str | bytes) -> str:
    """The tree of a commit with one more line of `git ls-tree`."""
    listed = scene.repo.git_bytes("ls-tree", "-z", f"{rev}^{{tree}}")
    more = line if isinstance(line, bytes) else line.encode()
    return scene.repo.git("mktree", "-z", stdin=listed + more + b"\0")


def _message(scene: Scene, commit: str) -> bytes:
    return scene.repo.git_bytes("log", "-1", "--format=%B", commit)


@cases("name", RAW)
def test_a_tree_by_hand_is_looked_at(scene: Scene, policy: Policy, name: bytes) -> None:
    """git mktree writes what git add would not; an honest entry does not cover it."""
    honest = scene.commit(scene.honest())
    blob = scene.repo.store(b"evil")
    forged = _beside(scene, honest, f"100644 blob {blob}\t".encode() + name)
    made = commit_tree(scene.repo, forged, ["HEAD"], _message(scene, honest), AGENT)
    assert scene.rule(made, policy) in {"bytes", "unverifiable"}


@pytest.mark.parametrize("name", ["evil", ".git", ".."])
def test_a_directory_of_nothing_is_a_change(scene: Scene, name: str) -> None:
    """Nor does an entry cover it."""
    empty, honest = scene.repo.git("mktree", stdin=b""), scene.commit(scene.honest())
    line = f"040000 tree {empty}\t{name}"
    alone = _beside(scene, "HEAD", line)
    assert scene.rules(commit_tree(scene.repo, alone, ["HEAD"], b"Say\n", AGENT)) == {"blind"}
    beside = commit_tree(
        scene.repo, _beside(scene, honest, line), ["HEAD"], _message(scene, honest), AGENT
    )
    assert scene.rules(beside) == {"bytes"}


# Characters


@pytest.mark.sampled
@cases(
    "text, kind",
    {
        "bidi": ("if access != 'user\u202e \u2066# admin\u2069 \u2066':", "bidi"),
        "a mark of direction": ("\u200fadmin", "bidi"),
        "a space without width": ("is_\u200badmin", "zero-width"),
        "a joiner in Latin": ("is_\u200dadmin", "zero-width"),
        "letters of tags": ("x\U000e0041\U000e0042", "zero-width"),
        "a variant of nothing": ("ok\U000e0101", "zero-width"),
        "another variant of nothing": ("ok\ufe01", "zero-width"),
        "variants one after another": ("\u2764\ufe00\ufe01\ufe02", "zero-width"),
        "a filler for a name": ("const {\u3164} = req", "zero-width"),
        "NUL": ("safe = True\0", "nul"),
        "a carriage return": ("evil()\r# harmless", "lone-cr"),
    },
)
def test_characters_that_show_another_text_are_not_added(
    scene: Scene, text: str, kind: str
) -> None:
    made = scene.commit(scene.applied(replace_range("a.py", A, 5, 5, text)))
    assert scene.rules(made) == {"text"}
    assert scene.ruling(made, Policy()).findings[0].where == "a.py:5"
    assert scene.passes(made, reject_text=tuple(each for each in TEXT if each != kind))


@cases(
    "path, message, where",
    {
        "a name": ("invoice\u202efdp.exe", "Say\n", '"invoice\\342\\200\\256fdp.exe"'),
        "a message": ("x", "Say \u2066evil\n", "message:1"),
        "a line over another": ("x", "Say\n\nReviewed\rby: nobody\n", "message:3"),
    },
)
def test_names_and_messages_are_text_too(scene: Scene, path: str, message: str, where: str) -> None:
    create: Operation = {"op": "create_file", "path": path, "new_text": "x\n"}
    made = scene.commit(replace(scene.applied(create), message=message))
    assert scene.rules(made) == {"text"}
    assert scene.ruling(made, Policy()).findings[0].where == where


@cases(
    "text",
    {
        "letters from right to left": "\u05e9\u05dc\u05d5\u05dd",
        "a joiner in Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "an emoji of two": "\U0001f469\u200d\U0001f4bb",
        "a flag": "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "a variant of an ideograph": "\u908a\U000e0101",
        "a sign drawn in colour": "\u2764\ufe0f",
        "a keycap": "1\ufe0f\u20e3",
        "a flag of two signs": "\U0001f3f3\ufe0f\u200d\U0001f308",
        "a line end of DOS": "x\r",
    },
)
def test_what_is_spelled_so_may_be_added(scene: Scene, text: str) -> None:
    made = scene.commit(scene.applied(replace_range("a.py", A, 5, 5, text)))
    assert scene.passes(made)


MOVES = {
    "from a string into code": ('name = "\u202eab"\nuse(name)\n', 'name = "ab"\nuse(\u202ename)'),
    "out of its string": ('name = "\u202eab"\nuse(name)\n', 'name = \u202e"ab"\nuse(name)'),
    "a whole line": ('"""\n\u202eab\n"""\nuse()\n', '"""\n"""\n\u202eab\nuse()'),
    "one more of it": ("\u200fa\nb\n", "\u200fa\nb\u200f"),
    "within its line": ("\u202eab \u2066cd\n", "\u202eab cd\u2066"),
}


@pytest.mark.parametrize(("old", "new"), MOVES.values(), ids=MOVES)
def test_a_character_that_moves_is_added(scene: Scene, old: str, new: str) -> None:
    assert scene.rules(edited(scene, old, new)) == {"text"}


def test_a_push_brings_no_direction_control_into_code(landing: Landing) -> None:
    old, new = MOVES["from a string into code"]
    landing.clone.git("checkout", "-q", "main")
    landing.clone.commit({"moved.py": old}, "Say it")
    there = landing.land(landing.clone.head)
    edit = replace_range("moved.py", old.encode(), 1, 2, new)
    assert "U+202E" in landing.refuse(f"{landing.apply(edit, on=there)}:main")


STAYS = {
    "its line changed behind it": ("\u200fa\nb\n", "\u200fa changed\nc"),
    "a line above": ("\u202eab\nb\n", "a\n\u202eab\nb"),
    "what stands behind it": ('x = "\u202eab"\nb\n', 'x = "\u202eab", 1\nc'),
    "two of a kind": ("\u202ea\n\u202eb\n", "\u202ea1\n\u202eb1"),
}


@pytest.mark.parametrize(("old", "new"), STAYS.values(), ids=STAYS)
def test_a_character_stays_where_the_text_up_to_it_does(scene: Scene, old: str, new: str) -> None:
    assert scene.passes(edited(scene, old, new))
