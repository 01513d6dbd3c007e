"""git_ai.py: authorship logs of git-ai, as it keeps them in notes (authorship/3.0.0)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hkgit import __version__
from hkgit.audit.attribution.lines import AttributedLines, Attribution
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.canonical import digest
from hkgit.git.repository import Repository
from hkgit.text.escaping import visible
from hkgit.text.json_nodes import JsonObject

SCHEMA = "authorship/3.0.0"
REF = "refs/notes/ai"
_DIGITS = 14
"""Hex digits of the names of sessions and traces."""


def render_log(attribution: Attribution) -> str:
    """Render the log of one commit: attested lines, `---`, and what the names in them mean.

    An agent is a session of it, and an entry a trace of the session. The model is not known.
    """
    paths = dict.fromkeys(each.path for each in attribution.lines)
    attested = [line for path in paths for line in _attest(attribution.lines, path)]
    document: JsonObject = {
        "schema_version": SCHEMA,
        "git_ai_version": f"hkgit {__version__}",
        "base_commit_sha": attribution.commit.id,
        "prompts": {},
        "humans": {},
        "sessions": {
            _session(agent): {
                "agent_id": {
                    "tool": visible(agent).partition("/")[0],
                    "id": visible(agent),
                    "model": "unknown",
                },
                "human_author": visible(attribution.commit.author),
            }
            for agent in dict.fromkeys(each.agent for each in attribution.lines)
        },
        "hkgit": {"replay": attribution.commit.replay, "derive": attribution.command},
    }
    return "\n".join([*attested, "---", json.dumps(document, indent=2)]) + "\n"


def write_note(repository: Repository, attribution: Attribution) -> bool:
    """Keep the log in git-ai's notes; whether it was written: a note that is there stays.

    Raises InvalidInput for a path that the format cannot say, GitRefused.
    """
    log = render_log(attribution)
    commit = attribution.commit.id
    args = ("notes", f"--ref={REF}")
    if repository.git(*args, "list", commit, check=False).code == 0:
        return False
    repository.git(*args, "add", "--file=-", commit, stdin=log.encode())
    return True


def _attest(lines: Sequence[AttributedLines], path: str) -> list[str]:
    own = [each for each in lines if each.path == path]
    found = [_quote(path)]
    for agent, entry in dict.fromkeys((each.agent, each.entry) for each in own):
        ranges = ",".join(_range(each) for each in own if each.entry == entry)
        found.append(f"  {_session(agent)}::t_{entry[:_DIGITS]} {ranges}")
    return found


def _range(lines: AttributedLines) -> str:
    return str(lines.start) if lines.start == lines.end else f"{lines.start}-{lines.end}"


def _session(agent: str) -> str:
    return f"s_{digest(agent.encode())[:_DIGITS]}"


def _quote(path: str) -> str:
    """A path, in quotes where it has blanks. Raises InvalidInput for one with quotes or lines."""
    if '"' in path or not path.isprintable():
        fix = "Leave the commit out, or rename the file."
        raise InvalidInput(path, "cannot be named in a log of git-ai", fix)
    return f'"{path}"' if any(char.isspace() for char in path) else path
