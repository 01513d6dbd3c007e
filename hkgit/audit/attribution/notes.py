"""Attribution in the formats of Agent Trace and git-ai."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC

from hkgit import __version__
from hkgit.audit.attribution.lines import AttributedLines, Attribution
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import digest
from hkgit.git.repository import Repository
from hkgit.text.escape import to_json_text, visible
from hkgit.text.strict_json import JsonObject

VERSION = "0.1.0"
VENDOR = "io.github.hkgit"
"""The key of our own metadata, as the specification names vendors."""


def render_records(attribution: Attribution) -> Iterator[JsonObject]:
    """Render a record for each agent of a commit, deterministic (no random ids, no clock).

    The specification's `tool` is what produced the code: the agent. Its model is not known.
    """
    for agent in dict.fromkeys(each.agent for each in attribution.lines):
        lines = [each for each in attribution.lines if each.agent == agent]
        name, _, version = visible(agent).partition("/")
        commit = attribution.commit
        yield {
            "version": VERSION,
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"hkgit:{commit.id}:{agent}")),
            "timestamp": commit.time.astimezone(UTC).isoformat(),
            "vcs": {"type": "git", "revision": commit.id},
            "tool": {"name": name, **({"version": version} if version else {})},
            "files": [
                {"path": to_json_text(path), "conversations": [*_conversations(lines, path)]}
                for path in dict.fromkeys(each.path for each in lines)
            ],
            "metadata": {
                VENDOR: {
                    "replay": commit.replay,
                    "evidence": dict(commit.evidence),
                    "lowest_confidence": (commit.confidence or 0) / 1000,
                    "derive": attribution.command,
                    "hkgit": __version__,
                }
            },
        }


def _conversations(lines: Sequence[AttributedLines], path: str) -> Iterator[JsonObject]:
    """One for each entry: hkgit keeps no conversations, but what came of each."""
    own = [each for each in lines if each.path == path]
    for entry in dict.fromkeys(each.entry for each in own):
        yield {
            "contributor": {"type": "ai"},
            "ranges": [
                {
                    "start_line": each.start,
                    "end_line": each.end,
                    "content_hash": f"sha256:{each.digest}",
                }
                for each in own
                if each.entry == entry
            ],
            "related": [{"type": "hkgit-ledger-entry", "url": f"urn:sha256:{entry}"}],
        }


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
