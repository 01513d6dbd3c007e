"""What is sent to exhaust a server: very many refs, files of very many lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.gate.policy import Policy
from tests.attacks.scene import Scene
from tests.support.commands import start
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
