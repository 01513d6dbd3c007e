"""Attacks with objects that libgit2 and git read differently: what cannot be read is refused."""

from __future__ import annotations

import pytest

from hkgit.edits import File
from hkgit.gate.entrypoints.judging import EntryPoint
from hkgit.gate.entrypoints.trust import side_of
from hkgit.gate.entrypoints.updates import Update, UpdateResult
from hkgit.git.repository import Repository
from tests.attacks.scene import AGENT, Scene

WHO = f"{AGENT} 1700000000 +0000"


def tag(scene: Scene, text: str) -> str:
    return _stored(scene, "tag", text.replace("COMMIT", _blind(scene)))


def malformed(scene: Scene, text: str) -> str:
    tree = scene.repo.git("rev-parse", f"{_blind(scene)}^{{tree}}")
    return _stored(scene, "commit", text.replace("TREE", tree).replace("HEAD", scene.repo.head))


def _blind(scene: Scene) -> str:
    return scene.by_hand({"evil.py": File(b"evil\n")})


def _stored(scene: Scene, kind: str, text: str) -> str:
    args = ("hash-object", "-t", kind, "-w", "--literally", "--stdin")
    return scene.repo.git(*args, stdin=text.encode())


def answer(scene: Scene, ref: str, new: str) -> UpdateResult:
    repository = Repository.discover(scene.repo.path)
    side = side_of(repository, [ref], None, scene.repo.head)
    return EntryPoint(repository, on_server=True).answer(Update(ref, None, new), side)


TAGS = {
    "no end of the tagger": "tagger A 1 +0000\n\nm\n",
    "a date that overflows": "tagger A <a@x> 99999999999999999999999 +0000\n\nm\n",
    "no message": "tagger A <a@x> 1 +0000\n",
    "no tagger": "\nm\n",
}
COMMITS = {
    "no end of the author": "tree TREE\nparent HEAD\nauthor claude 1\ncommitter claude 1\n\nm\n",
    "no author": f"tree TREE\nparent HEAD\ncommitter {WHO}\n\nm\n",
    "two trees": f"tree TREE\ntree TREE\nparent HEAD\nauthor {WHO}\ncommitter {WHO}\n\nm\n",
}


@pytest.mark.parametrize("ref", ["refs/tags/v2", "refs/heads/v2", "refs/other/v2"])
@pytest.mark.parametrize("end", TAGS.values(), ids=TAGS)
def test_a_tag_that_git_reads_and_libgit2_does_not_names_a_commit(
    scene: Scene, end: str, ref: str
) -> None:
    made = tag(scene, f"object COMMIT\ntype commit\ntag v2\n{end}")
    assert not answer(scene, ref, made).passes


@pytest.mark.parametrize("ref", ["refs/tags/v2", "refs/heads/v2", "refs/other/v2"])
@pytest.mark.parametrize("text", COMMITS.values(), ids=COMMITS)
def test_a_commit_that_cannot_be_read_is_refused(scene: Scene, text: str, ref: str) -> None:
    assert not answer(scene, ref, malformed(scene, text)).passes


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("object COMMIT\ntype blob\ntag v\n\nm\n", id="another type"),
        pytest.param("type commit\nobject COMMIT\ntag v\n\nm\n", id="lines turned round"),
        pytest.param(f"object {'1' * 40}\ntype commit\ntag v\n\nm\n", id="not here"),
    ],
)
def test_a_tag_that_leads_nowhere_is_refused(scene: Scene, text: str) -> None:
    assert not answer(scene, "refs/tags/v2", tag(scene, text)).passes


def test_a_tag_of_a_tag_names_its_commit(scene: Scene) -> None:
    inner = tag(scene, "object COMMIT\ntype commit\ntag v2\ntagger A 1 +0000\n\nm\n")
    outer = tag(scene, f"object {inner}\ntype tag\ntag v3\ntagger A 1 +0000\n\nm\n")
    assert not answer(scene, "refs/tags/v3", outer).passes


def test_tags_of_honest_commits_and_of_blobs_are_taken(scene: Scene) -> None:
    made = scene.commit(scene.honest())
    named = _stored(scene, "tag", f"object {made}\ntype commit\ntag v\ntagger {WHO}\n\nm\n")
    blob = scene.repo.git("rev-parse", "HEAD:a.py")
    assert answer(scene, "refs/tags/v2", named).passes
    assert answer(scene, "refs/tags/key", blob).passes
