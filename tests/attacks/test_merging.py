"""Attacks by merges with an entry: what they leave out, and what their entry does not say."""

from collections.abc import Callable
from dataclasses import replace

from hkgit.edits import File
from hkgit.gate.trusted_policy import CONFIG, PYPROJECT
from tests.attacks.scene import AGENT, PERSON, A, Change, Scene, replace_range
from tests.support.attacks import write_hunk
from tests.support.cases import cases
from tests.support.commits import commit_tree

LOOSE = File(b"[gate]\nmode = 'warn'\n")
TIGHT = File(b"[gate]\nmin_confidence = 0.9\n")


WORKFLOW = ".github/workflows/ci.yml"


def sides(
    scene: Scene, ours: dict[str, File | None], theirs: dict[str, File | None], on: str = "HEAD"
) -> tuple[str, str]:
    """Two branches of a person that change one line of a.py, and more."""
    left = {"a.py": File(A.replace(b"main()\n", b"left()\n")), **ours}
    right = {"a.py": File(A.replace(b"main()\n", b"right()\n")), **theirs}
    return scene.by_hand(left, PERSON, on), scene.by_hand(right, PERSON, on)


def resolved(scene: Scene, left: str, right: str) -> Change:
    """A merge whose entry resolves the conflict in a.py, and that keeps all else of the left."""
    ours = scene.repo.show(left, "a.py")
    change = scene.applied(replace_range("a.py", ours, 9, 9, "both()"), on=left)
    return replace(change, message="Merge\n", parents=(left, right))


def a_policy_left_out(scene: Scene) -> Change:
    return resolved(scene, *sides(scene, {}, {CONFIG: TIGHT}))


def records_left_out(scene: Scene) -> Change:
    left, right = sides(scene, {}, {})
    b = scene.repo.show("HEAD", "b.txt")
    right = scene.commit(scene.applied(replace_range("b.txt", b, 1, 1, "uno"), on=right))
    change = resolved(scene, left, right)
    return replace(change, files={**change.files, "b.txt": File(b.replace(b"one", b"uno"))})


def one_of_two_policies(scene: Scene) -> Change:
    on = scene.by_hand({CONFIG: File(b"[gate]\n")}, PERSON)
    return resolved(scene, *sides(scene, {CONFIG: LOOSE}, {CONFIG: TIGHT}, on))


def an_older_policy_beside_a_conflict(scene: Scene) -> Change:
    """The two lines of one file are at odds; only the right one has changed the policy."""
    text = b"[project]\nname = '%s'\n[tool.hkgit.gate]\nmode = '%s'\n"
    on = scene.by_hand({PYPROJECT: File(text % (b"x", b"warn"))}, PERSON)
    ours, theirs = text % (b"y", b"warn"), text % (b"z", b"enforce")
    return resolved(scene, *sides(scene, {PYPROJECT: File(ours)}, {PYPROJECT: File(theirs)}, on))


def one_of_two_workflows(scene: Scene) -> Change:
    on = scene.by_hand({WORKFLOW: File(b"on: push\n")}, PERSON)
    ours, theirs = File(b"on: [push]\n"), File(b"on: pull_request\n")
    return resolved(scene, *sides(scene, {WORKFLOW: ours}, {WORKFLOW: theirs}, on))


def a_decoy_of_no_known_ladder(scene: Scene) -> Change:
    change = resolved(scene, *sides(scene, {}, {}))
    write_hunk(change, "a.py", "evil()\n")
    change.entry["ladder"] = 99
    return change


@cases(
    "attack, rule",
    {
        "a policy left out": (a_policy_left_out, "merge"),
        "records left out": (records_left_out, "merge"),
        "one of two policies": (one_of_two_policies, "policy"),
        "an older policy beside a conflict": (an_older_policy_beside_a_conflict, "policy"),
        "one of two workflows": (one_of_two_workflows, "protected"),
        "a decoy of no known ladder": (a_decoy_of_no_known_ladder, "decoy"),
    },
)
def test_a_merge_decides_no_more_than_its_entry_may(
    scene: Scene, attack: Callable[[Scene], Change], rule: str
) -> None:
    assert scene.rules(scene.commit(attack(scene))) == {rule}


def test_a_policy_that_one_side_has_changed_is_taken_over(scene: Scene) -> None:
    left, right = sides(scene, {}, {CONFIG: TIGHT})
    change = resolved(scene, left, right)
    made = scene.commit(replace(change, files={**change.files, CONFIG: TIGHT}))
    assert scene.passes(made)


def carried(scene: Scene, path: str, new_path: str, old: bytes, new: str) -> str:
    """The merge of an agent's edit and a person's rename of the file that it edits."""
    on = scene.by_hand({path: File(old)}, PERSON)
    left = scene.by_hand({path: None, new_path: File(old)}, PERSON, on)
    right = scene.commit(scene.applied(replace_range(path, old, 2, 2, new), on=on))
    tree = scene.repo.git("merge-tree", "--write-tree", left, right)
    assert scene.repo.show(tree, new_path) != old, "git followed the rename"
    return commit_tree(scene.repo, tree, [left, right], b"Merge\n", AGENT)


@cases("new_path, rule", {"a pipeline": (WORKFLOW, "protected"), "a policy": (CONFIG, "policy")})
def test_a_merge_carries_no_edit_into_protection(scene: Scene, new_path: str, rule: str) -> None:
    """One side moves a file there, by grant; the other changes it where it was, without one."""
    text = b"[gate]\nmode = 'enforce'\nmin_confidence = 0.5\n"
    assert scene.rules(carried(scene, "x.toml", new_path, text, "mode = 'warn'")) == {rule}


def test_a_merge_carries_edits_elsewhere(scene: Scene) -> None:
    made = carried(scene, "x.txt", "y.txt", b"one\ntwo\nthree\n", "zwei")
    assert scene.passes(made)
