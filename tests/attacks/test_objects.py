"""Attacks with objects that libgit2 and git read differently: what cannot be read is refused."""

from collections.abc import Callable

import pytest

from hkgit.edits import File
from hkgit.gate.policy.model import Policy
from tests.attacks.scene import AGENT, PERSON, Scene
from tests.support.cases import cases
from tests.support.commits import commit_tree

WHO = f"{AGENT} 1700000000 +0000"
EVIL: dict[str, File | None] = {"evil.py": File(b"evil\n")}


def stored(scene: Scene, kind: str, text: str) -> str:
    """An object of just this text; COMMIT and TREE are those of a blind commit."""
    blind = scene.by_hand(EVIL)
    tree = scene.repo.resolve(f"{blind}^{{tree}}")
    named = {"COMMIT": blind, "TREE": tree, "HEAD": scene.repo.head}
    for word, object_id in named.items():
        text = text.replace(word, object_id)
    return scene.repo.store(text.encode(), kind)


TAG = "object COMMIT\ntype commit\ntag v2\n"
REFUSED = {
    "no end of the tagger": ("tag", f"{TAG}tagger A 1 +0000\n\nm\n"),
    "a date that overflows": ("tag", f"{TAG}tagger A <a@x> {'9' * 23} +0000\n\nm\n"),
    "no message": ("tag", f"{TAG}tagger A <a@x> 1 +0000\n"),
    "no tagger": ("tag", f"{TAG}\nm\n"),
    "another type": ("tag", "object COMMIT\ntype blob\ntag v\n\nm\n"),
    "lines turned round": ("tag", "type commit\nobject COMMIT\ntag v\n\nm\n"),
    "too large": ("tag", f"object COMMIT\ntype commit\ntag v\n\n{'m' * 5_000_000}"),
    "not here": ("tag", f"object {'1' * 40}\ntype commit\ntag v\n\nm\n"),
    "no end of the author": (
        "commit",
        "tree TREE\nparent HEAD\nauthor claude 1\ncommitter claude 1\n\nm\n",
    ),
    "no author": ("commit", f"tree TREE\nparent HEAD\ncommitter {WHO}\n\nm\n"),
    "two trees": (
        "commit",
        f"tree TREE\ntree TREE\nparent HEAD\nauthor {WHO}\ncommitter {WHO}\n\nm\n",
    ),
}


@cases("kind, text", REFUSED)
def test_what_names_no_commit_for_every_reader_is_refused(
    scene: Scene, kind: str, text: str
) -> None:
    """Git reads some of these tags, and libgit2 does not."""
    made = stored(scene, kind, text)
    for ref in ("refs/tags/v2", "refs/heads/v2", "refs/other/v2"):
        assert not scene.answer(ref, made).passes


def test_a_tag_of_a_tag_names_its_commit(scene: Scene) -> None:
    inner = stored(scene, "tag", f"{TAG}tagger A 1 +0000\n\nm\n")
    outer = f"object {inner}\ntype tag\ntag v3\ntagger A 1 +0000\n\nm\n"
    assert not scene.answer("refs/tags/v3", stored(scene, "tag", outer)).passes


def _of_tree(scene: Scene, who: str, kind: str = "tree", message: str = "m") -> str:
    made = scene.repo.resolve("HEAD:a.py") if kind == "blob" else "TREE"
    return stored(scene, "tag", f"object {made}\ntype {kind}\ntag v\ntagger {who}\n\n{message}\n")


NOBODYS = {
    "a tree": lambda scene: scene.repo.resolve(f"{scene.by_hand(EVIL)}^{{tree}}"),
    "a tag of a tree": lambda scene: _of_tree(scene, "Ada <ada@x> 1 +0000"),
    "a tag of a blob": lambda scene: _of_tree(scene, "Ada <ada@x> 1 +0000", "blob"),
}
AGENTS = {
    "an agent tags a tree": ("tree", WHO, "m"),
    "an agent tags a blob": ("blob", WHO, "m"),
    "a tag without a time": ("tree", AGENT, "m"),
    "an agent is named as co-author": (
        "tree",
        "Ada <ada@x> 1 +0000",
        f"m\n\nCo-authored-by: {AGENT}",
    ),
}


@pytest.mark.parametrize("make", NOBODYS.values(), ids=NOBODYS)
def test_a_tag_of_a_tree_brings_no_files_without_evidence(
    scene: Scene, make: Callable[[Scene], str]
) -> None:
    """`git checkout TAG -- .` and `git archive TAG` take a tree for a commit's."""
    assert not scene.answer("refs/tags/v2", make(scene), Policy(govern="all")).passes
    assert scene.answer("refs/tags/v2", make(scene)).passes


@pytest.mark.parametrize(("kind", "who", "message"), AGENTS.values(), ids=AGENTS)
def test_an_agent_tags_no_tree(scene: Scene, kind: str, who: str, message: str) -> None:
    inner = _of_tree(scene, who, kind, message)
    outer = f"object {inner}\ntype tag\ntag w\ntagger Ada <ada@x> 1 +0000\n\nm\n"
    for made in (inner, stored(scene, "tag", outer)):
        assert not scene.answer("refs/tags/v2", made).passes


@pytest.mark.parametrize("mode", [b"40755", b"40777", b"41644", b"120777", b"160644"])
@pytest.mark.parametrize("author", [AGENT, PERSON])
def test_what_git_reads_as_a_directory_is_none_under_another_mode(
    scene: Scene, mode: bytes, author: str
) -> None:
    """Else a grant of `*.md` would take in all that is below a directory of such a name."""
    hidden = scene.repo.store(b"evil\n")
    inside = b"100644 CODEOWNERS\0" + bytes.fromhex(hidden)
    folder = scene.repo.store(inside, "tree")
    before = scene.repo.git_bytes("cat-file", "tree", "HEAD^{tree}")
    entry = mode + b" zz.md\0" + bytes.fromhex(folder)
    tree = scene.repo.store(before + entry, "tree")
    made = commit_tree(scene.repo, tree, ["HEAD"], b"Say\n", author)
    assert scene.rules(made) == {"unverifiable"}


def test_tags_of_honest_commits_and_of_blobs_are_taken(scene: Scene) -> None:
    made = scene.commit(scene.honest())
    named = stored(scene, "tag", f"object {made}\ntype commit\ntag v\ntagger {WHO}\n\nm\n")
    blob = scene.repo.resolve("HEAD:a.py")
    assert scene.answer("refs/tags/v2", named).passes
    assert scene.answer("refs/tags/key", blob).passes
