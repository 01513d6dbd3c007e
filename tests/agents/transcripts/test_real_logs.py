"""Logs that real programs have left, trimmed to their calls, become the evidence of a commit.

Each program played a script of its own in one repository; `files.json` has it before and after.
"""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.adopting import adopt, explained
from tests.support.commands import AGENT, loaded_path
from tests.support.commits import TAKES_LATE
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard
from tests.support.transcripts import GOOSE, OPENCODE, make_database

LOGS = Path(__file__).parents[1] / "streams" / "logs"
FILES = json.loads((LOGS / "files.json").read_text("utf-8"))
Place = Callable[[str, Path, Path], None]
"""Puts the text of a log where the agent has its logs, by the home and the checkout."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The repository that the programs were run in."""
    return guard(Repo.init(tmp_path_factory.mktemp("logs") / "repo"), FILES["before"])


@pytest.fixture
def repo(template: Repo, tmp_path: Path) -> Repo:
    return template.copy(tmp_path / "repo")


def gemini(text: str, home: Path, root: Path) -> None:
    project = home / ".gemini" / "tmp" / "repo"
    save(project / "chats" / "session-1.jsonl", text)
    save(project / ".project_root", str(root))


def opencode(text: str, home: Path, root: Path) -> None:
    """Its database, as far as it is read, with a session of another repository."""
    session, *found = map(json.loads, text.splitlines())
    elsewhere = ("other", str(Repo.init(home / "elsewhere").path), "1")
    parts = [
        (id, part["message_id"], owner, part["time_created"], json.dumps(part["data"]))
        for part in found
        for id, owner in ((part["id"], session["id"]), (f"{part['id']}-other", "other"))
    ]
    sessions = [(session["id"], session["directory"], session["version"]), elsewhere]
    place = home / ".local" / "share" / "opencode" / "opencode.db"
    make_database(place, OPENCODE, sessions, parts)


def goose(text: str, home: Path, root: Path) -> None:
    """Its database, as far as it is read, with a session of another repository."""
    session, *found = map(json.loads, text.splitlines())
    elsewhere = str(Repo.init(home / "elsewhere").path)
    messages = [
        (each["id"] + number, owner, each["created_timestamp"], json.dumps(each["content"]))
        for each in found
        for number, owner in ((0, session["id"]), (1000, "other"))
    ]
    sessions = [(*session.values(), "1"), ("other", elsewhere, "1")]
    place = home / ".local" / "share" / "goose" / "sessions" / "sessions.db"
    make_database(place, GOOSE, sessions, messages)


def cline(text: str, home: Path, root: Path) -> None:
    about, messages = text.splitlines()
    name = json.loads(about)["session_id"]
    place = home / ".cline" / "data" / "sessions" / name
    save(place / f"{name}.json", about)
    save(place / f"{name}.messages.json", messages)


def kilo(text: str, home: Path, root: Path) -> None:
    """A fork of OpenCode, with a database of its own name."""
    opencode(text, home, root)
    place = home / ".local" / "share"
    (place / "kilo").mkdir()
    (place / "opencode" / "opencode.db").rename(place / "kilo" / "kilo.db")


def save(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def aider(text: str, home: Path, root: Path) -> None:
    """In the checkout: where its settings name a file."""
    save(root / ".aider.llm.history", text)
    save(root / ".git" / "info" / "exclude", ".aider*\n")


def at(place: str) -> Place:
    """Where an agent has a file below the home; many name a folder after the checkout."""

    def put(text: str, home: Path, root: Path) -> None:
        save(home / place.format(re.sub(r"[^A-Za-z0-9]", "-", str(root))), text)

    return put


PLACES: dict[str, Place] = {
    "aider": aider,
    "claude": at(".claude/projects/{}/7148bb02.jsonl"),
    "cline": cline,
    "codex": at(".codex/sessions/2026/11/22/rollout-1.jsonl"),
    "copilot": at(".copilot/session-state/f312a46e/events.jsonl"),
    "gemini": gemini,
    "goose": goose,
    "opencode": opencode,
    "pi": at(".pi/agent/sessions/-{}--/2026_01a2.jsonl"),
    "qwen": at(".qwen/projects/{}/chats/c8b37ebf.jsonl"),
}


def play(
    repo: Repo,
    home: Path,
    agent: str,
    change: Callable[[str], str] = str,
    log: Path | None = None,
    place: Place | None = None,
) -> None:
    """Leave the checkout as a program has left it, and its log, changed, where it logs."""
    [own] = LOGS.glob(f"{agent}.*")
    text = (log or own).read_text("utf-8").replace("$ROOT", str(repo.path))
    (place or PLACES[agent])(change(text), home, repo.path)
    for path, after in FILES["after"][agent].items():
        if after is None:
            (repo.path / path).unlink()
        else:
            repo.write(path, after)
    repo.git("add", "-A")


def adopt_staged(repo: Repo, home: Path) -> dict[str, Any]:
    """What `hkgit adopt --staged` answers, where all is explained."""
    adopted = run("adopt", "--staged", "--json", cwd=repo.path, env={"HOME": str(home)})
    assert adopted.code == 0, adopted.out
    answer: dict[str, Any] = adopted.json()
    return answer


def commit(repo: Repo) -> str:
    """An agent's commit, with hooks; what they refuse, "" where they take it."""
    words = ["git", "commit", "-q", "-m", "Work"]
    environment = os.environ | AGENT | loaded_path()
    done = subprocess.run(words, cwd=repo.path, env=environment, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


@pytest.mark.sampled
@pytest.mark.parametrize("agent", PLACES)
def test_the_log_of_a_real_session_makes_its_commit_pass(
    repo: Repo, tmp_path: Path, agent: str
) -> None:
    """The scripts have blind edits on purpose: the gate names them, and the rest passes."""
    play(repo, tmp_path / "home", agent)
    answer = adopt_staged(repo, tmp_path / "home")
    [change] = answer["changes"]
    assert change["unexplained"] == []
    assert change["skipped"] == []
    assert answer["other_repositories"] == []
    assert {each["path"] for each in change["explained"]} == {*FILES["after"][agent]}
    blind = {
        each["path"] for each in change["explained"] if each["evidence"] not in ("hash", "receipt")
    }
    refused = commit(repo)
    assert {path for path in FILES["after"][agent] if f" {path}:" in refused} == blind
    if blind:
        repo.git("restore", "-q", "--staged", "--worktree", "--", *sorted(blind))
        assert commit(repo) == ""
    judged = run("gate", "--range", "HEAD~1..HEAD", "--format", "json", cwd=repo.path)
    assert (judged.code, judged.json()["commits"][0]["replay"]) == (0, "strict"), judged.out


def test_the_advice_about_blind_edits_of_a_log_mends_them(repo: Repo, tmp_path: Path) -> None:
    repo.commit({".hkgit/config.toml": TAKES_LATE})
    play(repo, tmp_path / "home", "copilot")
    adopt_staged(repo, tmp_path / "home")
    [advice] = re.findall(r"fix: (.*?)(?:  # .*)?$", commit(repo), re.MULTILINE)
    for command in advice.split(" && "):
        assert run(*shlex.split(command)[1:], cwd=repo.path, env=AGENT).code == 0, command
    assert commit(repo) == ""
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=repo.path)
    assert judged.code == 0, judged.out


def test_a_database_without_a_session_of_the_checkout_is_no_transcript(
    repo: Repo, tmp_path: Path
) -> None:
    text = (LOGS / "opencode.jsonl").read_text("utf-8").replace("$ROOT", f"{repo.path}-other")
    opencode(text, tmp_path / "home", repo.path)
    home = {"HOME": str(tmp_path / "home")}
    assert run("adopt", "--dry-run", cwd=repo.path, env=home).code == 4


def test_kilos_database_is_read_as_that_of_opencode(repo: Repo, tmp_path: Path) -> None:
    play(repo, tmp_path / "home", "opencode", place=kilo)
    answer = adopt(repo, "kilo", "--staged", "-n", env={"HOME": str(tmp_path / "home")})
    assert {agent for *_, agent in explained(answer, "agent")} == {"kilo/1.18.33"}


def test_an_exported_session_of_opencode_is_read_as_well(repo: Repo, tmp_path: Path) -> None:
    def export(text: str, home: Path, root: Path) -> None:
        session, *parts = map(json.loads, text.splitlines())
        messages = [{"info": {}, "parts": [part["data"] for part in parts]}]
        save(home / "export.json", json.dumps({"info": session, "messages": messages}, indent=2))

    play(repo, tmp_path, "opencode", place=export)
    adopt(repo, tmp_path / "export.json", "--staged", "-n")
