"""A stale `hkgit edit` leaves a record of its conflict, as a stale `hkgit apply` does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from hkgit.gate.conflicts.records import ConflictRecord
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.git.repository import Repository
from hkgit.sessions.answers import EditReport
from hkgit.sessions.commit.settling import settle_commit
from hkgit.sessions.commit.staging import stage
from tests.gate.conflicts.conftest import FILE, POEM
from tests.support.repos import Repo
from tests.support.running import range_hash, run
from tests.support.sessions import TextSession


@dataclass
class Scene:
    """A poem whose tenth verse another has changed since the agent has read it, and its desk."""

    repo: Repo
    desk: TextSession

    def edit(self, rev: str | None = None, *, line: int = 10, dry_run: bool = False) -> EditReport:
        """An edit of one line, with the hash that it has in a revision, or else in the checkout."""
        data = self.repo.read(FILE) if rev is None else self.repo.show(rev, FILE)
        edit = {
            "op": "replace_range",
            "path": FILE,
            "start_line": line,
            "end_line": line,
            "expected_hash": range_hash(data, line, line),
            "new_text": "mine",
        }
        spec = json.dumps({"version": "1", "operations": [edit]})
        return self.desk.edit(spec, dry_run=dry_run)

    @property
    def open(self) -> list[ConflictRecord]:
        return list(ConflictStore.of(self.repo.path / ".git"))


@pytest.fixture(params=["task", "_"], ids=["a session", "no session"])
def scene(repo: Repo, request: pytest.FixtureRequest) -> Scene:
    repo.commit({FILE: POEM, ".hkgit/config.toml": "[consult]\n"}, "Write")
    repo.git("tag", "read")
    repo.commit({FILE: POEM.replace(b"verse 10\n", b"verse ten\n")}, "Spell the tenth verse")
    return Scene(repo, TextSession.open(repo.path, request.param, agent="codex/1"))


def test_a_stale_edit_leaves_a_record(scene: Scene) -> None:
    answer = scene.edit("read")
    [conflict] = scene.open
    assert answer.status == "stale"
    assert conflict.agent == "codex/1"
    assert conflict.path == FILE
    assert conflict.expected.text == "verse 10\n"
    assert conflict.found.text == "verse ten\n"
    assert [cause.subject for cause in conflict.causes] == ["Spell the tenth verse"]
    assert answer.conflicts == (
        f"conflict {conflict.id}, try 1: {FILE} was changed by"
        f" {conflict.causes[0].commit[:12]} Spell the tenth verse",
    )


def test_it_says_what_the_checkout_has_where_nobody_has_committed_that(scene: Scene) -> None:
    scene.repo.write(FILE, b"title\n" + scene.repo.read(FILE).replace(b"ten", b"X"))
    scene.edit("HEAD")
    [conflict] = scene.open
    assert conflict.expected.text == "verse ten\n"
    assert conflict.found.text == "verse X\n"
    assert conflict.causes == ()
    assert conflict.lines == (10, 10)


def test_three_tries_write_the_question_for_a_person(scene: Scene) -> None:
    answers = [scene.edit("read") for _ in range(3)]
    [conflict] = scene.open
    assert len(conflict.tries) == 3
    assert (scene.repo.path / f".hkgit/consult/{conflict.id}.json").is_file()
    assert [f"consult answer {conflict.id}" in each.conflicts[0] for each in answers] == [
        False,
        False,
        True,
    ]


def test_tries_with_edit_and_apply_count_together(scene: Scene) -> None:
    scene.edit("read")
    spec = {
        "version": "1",
        "agent": "codex/1",
        "operations": [
            {
                "op": "delete_range",
                "path": FILE,
                "start_line": 10,
                "end_line": 10,
                "expected_hash": range_hash(POEM, 10, 10),
            }
        ],
    }
    run("apply", cwd=scene.repo.path, stdin=json.dumps(spec).encode())
    assert [len(conflict.tries) for conflict in scene.open] == [2]


@pytest.mark.parametrize("scene", ["task"], ids=["a session"], indirect=True)
def test_the_edit_that_lands_there_claims_the_conflict_in_its_commit(scene: Scene) -> None:
    scene.edit("read")
    [conflict] = scene.open
    scene.repo.write(FILE, b"title\n" * 9 + scene.repo.read(FILE))
    assert scene.edit(line=19).ok
    scene.repo.git("add", FILE)
    [made] = stage(Repository.discover(scene.repo.path)).entries
    assert [met["id"] for met in made.entry.claims["conflicts"]] == [conflict.id]
    scene.repo.git("commit", "-q", "--no-verify", "-m", "Change")
    settle_commit(Repository.discover(scene.repo.path))
    assert scene.open == []


def test_a_dry_run_and_other_refusals_leave_nothing(scene: Scene) -> None:
    scene.edit("read", dry_run=True)
    scene.desk.edit(json.dumps({"file": FILE, "old_text": "prose", "new_text": "x"}))
    assert scene.open == []


def test_outside_a_repository_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(POEM)
    spec = {"file": FILE, "old_text": "verse 1\n", "new_text": "x\n", "expected_hash": "0" * 64}
    answer = TextSession.open(tmp_path, "_").edit(json.dumps(spec))
    assert answer.status == "stale"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_the_command_says_it_beside_the_refusal(scene: Scene) -> None:
    single = ("--file", FILE, "--old", "verse 10\n", "--new", "x\n", "--agent", "codex/1")
    hashed = ("--expect", f"{FILE}:10={range_hash(POEM, 10, 10)}")
    result = run("edit", *single, *hashed, "--json", cwd=scene.repo.path)
    [conflict] = scene.open
    assert result.code == 3
    assert result.json()["status"] == "stale"
    assert f"hkgit: conflict {conflict.id}, try 1: " in result.err
