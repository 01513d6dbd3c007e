"""What is sent to exhaust a server: very many refs, files of very many lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hkgit.audit.reports.mending import mend
from hkgit.edits import File
from hkgit.gate.entrypoints.judging import EntryPoint
from hkgit.gate.entrypoints.trust import choose_trusted_side
from hkgit.gate.entrypoints.updates import Update
from hkgit.gate.policy import Policy
from hkgit.gate.policy.defaults import TEXT
from hkgit.gate.rules.text import find_added
from hkgit.git.objects.store import LARGEST
from hkgit.git.repository import Repository
from tests.attacks.scene import AGENT, Scene
from tests.support.commands import start
from tests.support.commits import commit_tree
from tests.support.repos import Repo
from tests.support.serving import Served, begin

MANY = 1500
TAGS = [f"refs/tags/t{number:05}" for number in range(MANY)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return begin(tmp_path_factory.mktemp("many"))


def receive(server: Repo, new: str, trace: Path, budget: str) -> tuple[int, str]:
    """What the hook answers on a push of very many tags; git says in `trace` what was run."""
    told = "".join(f"{'0' * 40} {new} {tag}\n" for tag in TAGS)
    args = ("hkgit", "gate", "--quiet", "--pre-receive", "--budget", budget)
    done = start(*args, cwd=server.path, stdin=told, env={"GIT_TRACE": str(trace)})
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("budget", "code"), [("60", 0), ("0", 6)], ids=["taken", "refused"])
def test_very_many_refs_start_no_process_each(
    served: Served, tmp_path: Path, budget: str, code: int
) -> None:
    trace = tmp_path / "trace"
    answered, said = receive(served.server, served.clone.head, trace, budget)
    assert answered == code, said
    assert trace.read_text().count("built-in: git") < 10
    assert said.count("FAIL refs/tags/") == (20 if code else 0)
    assert (f"and {MANY - 20} more refused, so none of them moves" in said) == bool(code)


def test_a_file_of_too_many_lines_is_edited_by_no_entry(
    scene: Scene, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = scene.commit(scene.honest())
    assert scene.ruling(honest, policy).passes
    monkeypatch.setattr("hkgit.text.document.MOST_LINES", 5)
    assert scene.rule(honest, policy) == "budget"


def test_a_file_of_very_many_hidden_characters_is_not_counted_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hkgit.gate.rules.text.MOST", 10)
    joined = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\n".encode() * 20
    assert [*find_added([], File(joined), TEXT)] == []
    hidden = joined + "x\u202ey\n".encode() * 20
    assert [*find_added([], File(hidden), TEXT)] == [("bidi", 21, "\u202e")]


@pytest.mark.parametrize("kind", ["blob", "commit", "tree"])
def test_an_object_that_is_too_large_is_not_read(
    scene: Scene, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packs make gigabytes of next to nothing."""
    made = scene.commit(scene.honest())
    monkeypatch.setitem(LARGEST, kind, 30)
    repository = Repository.discover(scene.repo.path)
    side = choose_trusted_side(repository, ["refs/heads/x"], None, scene.repo.head, Policy())
    point = EntryPoint(repository, on_server=True)
    answer = point.answer(Update("refs/heads/x", None, made), side)
    rulings = () if answer.report is None else answer.report.rulings
    words = [str(answer.refusal), *(each.what for ruling in rulings for each in ruling.findings)]
    assert not answer.passes
    assert any(f"a {kind} of more than 30 is not read" in each for each in words)


@pytest.mark.skipif(sys.platform != "linux", reason="only there the limit is sure to hold")
def test_a_merge_that_takes_too_much_memory_is_mended_by_a_rebase(
    scene: Scene, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = scene.commit(scene.honest())
    topic = scene.commit(scene.applied({"op": "create_file", "path": "new", "new_text": "x\n"}))
    tree = scene.repo.git("merge-tree", "--write-tree", main, topic)
    merge = commit_tree(scene.repo, tree, [main, topic], b"Merge\n", AGENT)
    assert scene.ruling(merge, policy).passes
    monkeypatch.setattr("hkgit.git.merging.MEMORY", 2**20)
    ruling = scene.ruling(merge, policy)
    assert (ruling.passes, ruling.rule) == (False, "unverifiable")
    assert "takes git more than 1 MiB" in ruling.findings[0].what
    assert mend(ruling).startswith("git status  # Change the file on one side alone: rebase")
    rebased = scene.applied({"op": "create_file", "path": "new", "new_text": "x\n"}, on=main)
    assert scene.ruling(scene.commit(rebased), policy).passes
