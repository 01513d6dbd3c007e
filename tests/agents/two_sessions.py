"""two_sessions.py: two conversations with Claude Code in one checkout, told step by step."""

from hkgit.sessions import homes as places
from hkgit.sessions.call_journal import SessionJournal
from tests.agents.streaming import Talk, change
from tests.support.repos import Repo

TEXT = "".join(f"{name} = {n}\n" for n, name in enumerate("abcdefgh"))
ONE, TWO = ("a = 0", "a = 10"), ("g = 6", "g = 60")


BOTH = {"claude-one": {"a = 10"}, "claude-two": {"g = 60"}}
FIRST, SECOND = ({name: lines} for name, lines in BOTH.items())


def tell(repo: Repo, name: str, stage: str, command: str) -> str:
    """Tell the hook of a session's command; what the model is told."""
    return Talk(repo.path, name).tell(stage, "Bash", {"stdout": ""}, command=command)


def added(repo: Repo) -> dict[str, set[str]]:
    """The lines that the calls of each session have put in, as its journal tells."""
    found: dict[str, set[str]] = {}
    for folder in places.find_folders(repo.path):
        journal = SessionJournal(folder)
        for call in journal.load().effective:
            for each in call.changes:
                lines = [
                    (b"" if version is None else journal.blobs.get(version.sha256) or b"")
                    .decode()
                    .splitlines()
                    for version in (each.before, each.after)
                ]
                found.setdefault(folder.name, set()).update({*lines[1]} - {*lines[0]})
    return found


def play(repo: Repo, order: str, commands: tuple[str, str] = ("./one x.py", "./two x.py")) -> str:
    """Play steps of the sessions one and two: `1` and `2` are hooks, `a` and `b` the changes."""
    begun: set[str] = set()
    said = ""
    for step in order:
        if step in "ab":
            change(repo.path / "x.py", ONE if step == "a" else TWO)
            continue
        name, command = ("one", commands[0]) if step == "1" else ("two", commands[1])
        said += tell(repo, name, "after" if step in begun else "before", command)
        begun.add(step)
    return said
