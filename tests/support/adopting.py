"""adopting.py: `hkgit adopt` on a small repository, and what it answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from hkgit.cli.schema import find_schema
from tests.support.commands import AGENT, PATH
from tests.support.repos import Repo
from tests.support.running import Result, run
from tests.support.transcripts import ClaudeLog, CodexLog

APP = "import sys\n\n\ndef greet(name):\n    print('Helo, ' + name)\n\n\ngreet(sys.argv[1])\n"
NEW = APP.replace("Helo", "Hello")


Log = ClaudeLog | CodexLog | Path | str
Files = Mapping[str, str | bytes]


def mend(repo: Repo, log: ClaudeLog) -> None:
    """Read app.py and mend it, as a log tells."""
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    repo.write("app.py", NEW)


def begin(folder: Path, before: Files, after: Files | None = None) -> Repo:
    """A repository with a commit of some files, and others written since."""
    repo = Repo.init(folder / "repo")
    repo.commit(before, "Begin")
    for name, text in (after or {}).items():
        repo.write(name, text)
    return repo


def adopt(
    repo: Repo, log: Log, *options: str, code: int = 0, env: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What `hkgit adopt` answers about a log, a place of logs, or an agent's own."""
    if isinstance(log, ClaudeLog | CodexLog):
        log = log.save(repo.path.parent / "log.jsonl")
    result = run("adopt", *options, "--from", log, "--json", cwd=repo.path, env=env)
    assert result.code == code, result.out + result.err
    answer: dict[str, Any] = result.json()
    Draft202012Validator(find_schema("adopt")).validate(answer)
    return answer


def commit(repo: Repo) -> Result:
    """An agent's commit, with hooks."""
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Work", env=AGENT | PATH)
    return run("gate", "--range", "HEAD~1..HEAD", "--format", "json", cwd=repo.path)


def verdict(result: Result) -> tuple[int, str]:
    return result.code, result.json()["commits"][0]["replay"]


def not_explained(answer: dict[str, Any]) -> list[tuple[str, list[int]]]:
    return [(each["path"], each["lines"]) for each in answer["changes"][0]["unexplained"]]


def explained(answer: dict[str, Any], *more: str) -> list[tuple[Any, ...]]:
    """What is explained of the first change: where, with what evidence, and what else is asked."""
    names = ("path", "lines", "evidence", *more)
    return [tuple(each[name] for name in names) for each in answer["changes"][0]["explained"]]
