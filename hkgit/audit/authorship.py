"""Which lines agents wrote, in the formats of other tools."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import groupby

from hkgit import __version__
from hkgit.audit.commits import AuditedCommit, History, list_changes
from hkgit.audit.origins import Blamed, LineOrigins
from hkgit.edits import DIRECTORY, SUBMODULE, SYMLINK
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import is_record
from hkgit.evidence.trailers import list_agents
from hkgit.git.objects import TreeChange, TreeEntry
from hkgit.git.repository import Repository
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw
from hkgit.text.escape import to_json_text, visible
from hkgit.text.hashes import digest
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

DERIVED_FROM = ("strict", "reanchored", "mixed", "recovered")
"""Verdicts under which a line follows from an entry."""


@dataclass(frozen=True)
class AttributedLines:
    """Lines `start..end` of a file as the commit leaves it, and the agent and entry they are of.

    `digest` is the SHA-256 of their bytes.
    """

    path: str
    start: int
    end: int
    agent: str
    entry: str
    digest: str


@dataclass(frozen=True)
class Attribution:
    """A commit and the lines of it that agents wrote, by path and line."""

    commit: AuditedCommit
    lines: tuple[AttributedLines, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        return list_agents(each.agent for each in self.lines)

    @property
    def command(self) -> str:
        """What derives it again, in any clone that has the commit."""
        return f"hkgit show {self.commit.id} --json"


def attribute_commit(history: History, commit: str) -> Attribution:
    """Find the lines that agents wrote in a commit."""
    repository, origins = history.repository, LineOrigins(history)
    audited = AuditedCommit(origins.rule(commit))
    candidate = audited.ruling.judged.candidate
    is_derived = audited.replay in DERIVED_FROM and audited.ruling.judged.entries
    if not is_derived or len(candidate.parents) > 1:
        return Attribution(audited, ())
    found = (
        lines
        for change in list_changes(repository, candidate)
        if not is_record(change.path)
        for lines in _attribute_file(repository, origins, commit, change)
    )
    return Attribution(audited, tuple(found))


def _attribute_file(
    repository: Repository, origins: LineOrigins, commit: str, change: TreeChange
) -> Iterator[AttributedLines]:
    """Find the lines of one file, neighbours of one entry as one range."""
    if not _is_file(change.new) or change.new is None:
        return
    new = split_raw(repository.blob(change.new.id))
    had = change.old if _is_file(change.old) else None
    old = [] if had is None else split_raw(repository.blob(had.id))
    found = []
    for changed in find_changes(old, new):
        for number in range(changed.new_start + 1, changed.new_end + 1):
            text = new[number - 1].removesuffix(b"\n")
            origin = origins.of(Blamed(number, text, commit, change.path, commit_line=number))
            if origin.entry is not None and origin.entry_id is not None:
                found.append((number, origin.entry.agent, origin.entry_id))
    # Less its place among those found, a number is the same for neighbours.
    for (_, agent, entry), group in groupby(
        enumerate(found), lambda each: (each[1][0] - each[0], *each[1][1:])
    ):
        numbers = [number for _, (number, *_) in group]
        start, end = numbers[0], numbers[-1]
        yield AttributedLines(
            path=change.path,
            start=start,
            end=end,
            agent=agent,
            entry=entry,
            digest=digest(b"".join(new[start - 1 : end])),
        )


def _is_file(entry: TreeEntry | None) -> bool:
    """Whether there is text that edits can write: no link, no submodule."""
    return entry is not None and entry.mode not in (DIRECTORY, SUBMODULE, SYMLINK)


VERSION = "0.1.0"
VENDOR = "io.github.hkgit"
"""The key of our own metadata, as the specification names vendors."""


def render_records(attribution: Attribution) -> Iterator[JsonObject]:
    """Render a record for each agent of a commit, deterministic (no random ids, no clock).

    The specification's `tool` is what produced the code: the agent. Its model is not known.
    """
    for agent in attribution.agents:
        own = agent.casefold()
        lines = [each for each in attribution.lines if each.agent.casefold() == own]
        name, _, version = visible(agent).partition("/")
        commit = attribution.commit
        yield {
            "version": VERSION,
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"hkgit:{commit.id}:{own}")),
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
            for agent in attribution.agents
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
    return f"s_{digest(agent.casefold().encode())[:_DIGITS]}"


def _quote(path: str) -> str:
    """A path, in quotes where it has whitespace. Raises InvalidInput for one with quotes or
    lines."""
    if '"' in path or not path.isprintable():
        fix = "Leave the commit out, or rename the file."
        raise InvalidInput(path, "cannot be named in a log of git-ai", fix)
    return f'"{path}"' if any(char.isspace() for char in path) else path
