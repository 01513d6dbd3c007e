"""agent_trace.py: Agent Trace records (agent-trace.dev, specification 0.1.0)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC

from hkgit import __version__
from hkgit.audit.attribution.lines import AttributedLines, Attribution
from hkgit.text.escaping import to_json_text, visible
from hkgit.text.json_nodes import JsonObject

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
