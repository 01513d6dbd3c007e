"""Logs of real programs in older and newer forms, half written, and of sessions that look alike."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.agents.transcripts.test_real_logs import FILES, LOGS, PLACES, play, save
from tests.support import adopting
from tests.support.adopting import begin
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run

PLAYED = LOGS / "played"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The repository that the programs were run in, without hooks."""
    return begin(tmp_path_factory.mktemp("versions"), FILES["before"])


@pytest.fixture
def repo(template: Repo, tmp_path: Path) -> Repo:
    return template.copy(tmp_path / "repo")


def adopt(repo: Repo, home: Path, place: str | Path, code: int = 0) -> dict[str, Any]:
    return adopting.adopt(repo, place, "--staged", "-n", code=code, env={"HOME": str(home)})


def paths(answer: dict[str, Any]) -> set[str]:
    return {path for path, *_ in adopting.explained(answer)}


def test_what_a_script_of_codex_has_changed_is_told_by_its_items(
    repo: Repo, tmp_path: Path
) -> None:
    """The script has read the file itself, and the model was not shown it."""
    play(repo, tmp_path / "home", "codex", log=PLAYED / "codex-0.169.0.jsonl")
    repo.git("reset", "-q", "--hard")
    repo.write("greet.py", FILES["after"]["codex"]["greet.py"].encode())
    repo.git("add", "-A")
    answer = adopt(repo, tmp_path / "home", "codex")
    told = ("greet.py", [2, 2], "quote", "apply_patch", "codex/0.169.0")
    assert adopting.explained(answer, "tool", "agent") == [told]


@cases(
    "kind, change",
    {
        "made": ("add", {"type": "add", "content": "a\nb\n"}),
        "gone": ("delete", {"type": "delete", "content": "x = 1\ny = 2\nz = 3\n"}),
    },
)
def test_files_that_a_script_of_codex_made_or_removed(
    repo: Repo, tmp_path: Path, kind: str, change: dict[str, str]
) -> None:
    head, asked, item, answer = (PLAYED / "codex-0.169.0.jsonl").read_text().splitlines()
    record = json.loads(item)
    path = "new.txt" if kind == "add" else "sub/inner.py"
    record["payload"]["item"]["changes"] = {f"$ROOT/{path}": change}
    text = "\n".join((head, asked, json.dumps(record), answer)).replace("$ROOT", str(repo.path))
    PLACES["codex"](text, tmp_path / "home", repo.path)
    if kind == "add":
        repo.write(path, change["content"].encode())
    else:
        (repo.path / path).unlink()
    repo.git("add", "-A")
    assert paths(adopt(repo, tmp_path / "home", "codex")) == {path}


@pytest.mark.parametrize("agent", ["claude", "cline", "codex", "copilot", "gemini", "pi", "qwen"])
def test_a_log_that_is_half_written_is_read_as_far_as_it_goes(
    repo: Repo, tmp_path: Path, agent: str
) -> None:
    play(repo, tmp_path / "home", agent, lambda text: text.rstrip("\n")[:-30])
    home = {"HOME": str(tmp_path / "home")}
    adopted = run("adopt", "--staged", "-n", "--json", "--from", agent, cwd=repo.path, env=home)
    assert adopted.code in (0, 6), adopted.out
    assert sum(each["broken_lines"] for each in adopted.json()["transcripts"]) == 1
    # The log of Cline is one object.
    assert bool(paths(adopted.json())) == (agent != "cline")


def add_unknown(text: str) -> str:
    """Lines of kinds that nobody knows yet, and fields of other types, between the others."""
    head, *rest = text.splitlines()
    kinds: tuple[dict[str, object], ...] = (
        {"type": "hologram", "payload": 7, "cwd": 3},
        {"type": "message", "message": [1], "data": "x", "toolCalls": 5},
    )
    if "codex" in head:
        items: list[object] = [{"type": "FileChange", "status": "completed", "changes": [1]}, 5]
        for item in items:
            payload = {"type": "item_completed", "item": item}
            kinds = (*kinds, {"type": "event_msg", "payload": payload})
    return "\n".join((head, *map(json.dumps, kinds), *rest)) + "\n"


@pytest.mark.parametrize("agent", ["claude", "codex", "copilot", "gemini", "pi", "qwen"])
def test_lines_of_a_newer_version_are_passed_over(repo: Repo, tmp_path: Path, agent: str) -> None:
    play(repo, tmp_path / "home", agent, add_unknown)
    assert adopt(repo, tmp_path / "home", agent)["status"] == "explained"


@pytest.mark.parametrize("agent", ["goose", "opencode"])
@cases(
    "command",
    {
        "other tables": "alter table {0} rename to {0}_v2",
        "other columns": "alter table {0} rename column {1} to body",
        "half written": "update {0} set {1} = substr({1}, 1, 30)",
    },
)
def test_a_database_of_a_newer_version_explains_nothing_and_is_named(
    repo: Repo, tmp_path: Path, agent: str, command: str
) -> None:
    play(repo, tmp_path / "home", agent)
    [place] = (tmp_path / "home").rglob("*.db")
    part = ("messages", "content_json") if agent == "goose" else ("part", "data")
    with sqlite3.connect(place) as database:
        database.execute(command.format(*part))
    database.close()
    answer = adopt(repo, tmp_path / "home", place, 6)
    assert [each["path"] for each in answer["transcripts"]] == [str(place)]
    assert paths(answer) == set()


def test_sessions_that_number_their_calls_alike_are_both_read(repo: Repo, tmp_path: Path) -> None:
    """As programs do that count the calls of each session from 0."""
    play(repo, tmp_path / "home", "pi")
    [first] = (tmp_path / "home").rglob("*.jsonl")
    later = first.read_text().replace("1795", "1796").replace('"id": "01a2', '"id": "01a3')
    save(first.with_name("2.jsonl"), later.replace("shelled.py", "second.py"))
    repo.write("second.py", FILES["before"]["shelled.py"].encode())
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "More")
    repo.write("second.py", FILES["after"]["pi"]["shelled.py"].encode())
    repo.git("add", "-A")
    assert paths(adopt(repo, tmp_path / "home", "pi")) == {"second.py"}


def test_the_steps_of_logs_of_one_name_are_counted_apart(repo: Repo, tmp_path: Path) -> None:
    play(repo, tmp_path / "home", "copilot")
    [first] = (tmp_path / "home").rglob("events.jsonl")
    head, _, _ = first.read_text().partition("\n")
    save(first.parents[1] / "other" / first.name, head)
    logs = adopt(repo, tmp_path / "home", "copilot")["transcripts"]
    counts = {Path(each["path"]).parent.name: each["steps"] > 0 for each in logs}
    assert counts == {first.parent.name: True, "other": False}


def test_a_last_line_without_an_end_keeps_none(repo: Repo, tmp_path: Path) -> None:
    """The diff in pi's log does not tell how a file ends."""
    play(repo, tmp_path / "home", "pi", lambda text: text.replace('greet(\\"you\\")\\n', "end"))
    bare = FILES["before"]["greet.py"].replace('greet("you")\n', "end")
    repo.write("greet.py", bare.encode())
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "More")
    repo.write("greet.py", bare.replace("Helo", "Hello").encode())
    repo.git("add", "-A")
    answer = adopt(repo, tmp_path / "home", "pi")
    assert [each[:2] for each in adopting.explained(answer)] == [("greet.py", [2, 2])]
