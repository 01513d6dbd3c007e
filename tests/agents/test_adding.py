"""One module describes an agent: hooks, set-up and `adopt` follow from it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hkgit import agents
from hkgit.agents.transcripts.log_reader import Logs, find_logs
from tests.agents import sample_program
from tests.agents.streaming import GREETING, session, told
from tests.support.repos import Repo

CALLS: list[dict[str, Any]] = [
    {
        "tool": "show",
        "arguments": {"path": "greet.py"},
        "answer": GREETING.decode(),
    },
    {
        "tool": "change",
        "arguments": {"path": "greet.py", "old_text": "Helo", "new_text": "Hello"},
        "answer": "done",
    },
]


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"hkgit.agents.programs.{sample_program.NAME}"
    monkeypatch.setitem(sys.modules, name, sample_program)
    monkeypatch.setattr(agents, "HOOKED", (*agents.HOOKED, sample_program.NAME))
    monkeypatch.setattr("hkgit.cli.hook.HOOKED", agents.HOOKED)


@pytest.fixture
def seeded(repo: Repo) -> Repo:
    repo.commit({"greet.py": GREETING})
    return repo


def test_its_hooks_record_what_it_reads_and_edits(seeded: Repo) -> None:
    about = {"conversation": "a", "place": str(seeded.path)}
    for call in CALLS:
        assert told("sample", about | {**call, "event": "before", "answer": None}) == {}
        if call["tool"] == "change":
            seeded.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
        assert told("sample", about | {**call, "event": "after"}) == {}
    [made] = session(seeded).calls
    assert (made.files, made.blind) == (("greet.py",), 0)


def test_its_blind_edit_is_told(seeded: Repo) -> None:
    call = {"conversation": "a", "place": str(seeded.path), **CALLS[1]}
    told("sample", call | {"event": "before"})
    seeded.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
    assert "greet.py:2-2 was not read" in told("sample", call | {"event": "after"})["note"]


def test_its_settings_are_written_and_taken_out(seeded: Repo) -> None:
    from hkgit.agents.setup.installer import install, remove

    install(seeded.path, "sample", "record")
    settings = json.loads((seeded.path / ".sample/settings.json").read_text())
    assert "hkgit hook sample" in settings["hooks"]["after"]["run"]["command"]
    remove(seeded.path, "sample")
    assert not (seeded.path / ".sample").exists()


def test_its_logs_are_found_and_tell_of_the_same_calls(seeded: Repo, tmp_path: Path) -> None:
    home = tmp_path / "home"
    about = {"sample": "1.0", "conversation": "a", "place": str(seeded.path), "time": 1}
    lines = [json.dumps(about | call | {"id": str(at)}) for at, call in enumerate(CALLS)]
    (home / ".sample").mkdir(parents=True)
    (home / ".sample/a.jsonl").write_text("\n".join(lines))
    found = find_logs([seeded.path], {"HOME": str(home)}, "sample")
    logs = Logs(found, lambda place: (seeded.path, True))
    known = frozenset({"greet.py"})
    steps = logs.steps(known, known)
    assert [(each.agent, each.tool) for each in steps] == [
        ("sample/1.0", "show"),
        ("sample/1.0", "change"),
    ]
