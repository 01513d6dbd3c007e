"""What a commit message says of entries.

Messages are read with a strict grammar of our own, because git's parsers disagree with each other
and with configuration. What they say is an unverified view: the record is the ledger entry.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from hkgit.applying.evidence import KINDS, LATE
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.verdict import CandidateCommit, Entries, Finding
from hkgit.matching.place import format_confidence
from hkgit.text.paths import quote_path
from hkgit.values import dataclass

_KEYS = ("Entry", "Base", "Agent", "Evidence", "Tiers", "Confidence", "Edit")
_TRAILER = r"Hkgit-([A-Za-z0-9-]+): (.*)\Z"
_ANY_TRAILER = r"[A-Za-z0-9-]+:[ \t]|[ \t]|\(cherry picked from commit "
_PARAGRAPHS = r"\n(?:[ \t]*\n)+"
_COMMENTS = r"(?:#.*\n?)+"
_VOUCHED = r"Hkgit-Vouched-by: ([^<>]*[^<>\s] <[^<>\s]+>)\Z"
_ENTRY = r"Hkgit-Entry: sha256:([0-9a-f]{64})\Z"
_COMMENT_LINE = r"(?m)^#.*\n"
_FOLD = r"\n[ \t]+(?=\S)"
_KEY = r"(?im)^Hkgit-[A-Za-z0-9-]+[ \t]*:"


_SCISSORS = b"------------------------ >8 ------------------------"


@dataclass(frozen=True)
class Trailers:
    """What a message says of hkgit: the entries it names, the lines, and what is wrong.

    `vouchers` is who takes the commit upon himself, each as `Name <email>`; `lines` has the others.
    """

    entries: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    vouchers: tuple[str, ...] = ()


@lru_cache(16)
def read_trailers(message: bytes) -> Trailers:
    """Read the hkgit trailers of a raw commit message.

    They count in the last paragraph only, which must not be the first; each `Hkgit-Entry` there
    names an entry. Whatever else shows hkgit's keys is a fault. `lines` are those of the whole
    message, folded ones as one: git's readers of trailers disagree which of them count.
    """
    text = message.decode("utf-8", "replace").replace("\r\n", "\n")
    if "hkgit-" not in text.lower():
        return Trailers()
    above, last = _split_foot(text.rstrip("\n "))
    foot = last.split("\n")
    vouchers = {line: _find_voucher(line) for line in foot if _is_ours(line)}
    own = [line for line in foot if line in vouchers and vouchers[line] is None]
    named = [found[1] for line in own if (found := re.match(_ENTRY, line)) is not None]
    faults = tuple(_find_faults(above, foot, own, named))
    unfolded = re.sub(_FOLD, " ", re.sub(_COMMENT_LINE, "", text))
    lines = [line.rstrip() for line in unfolded.split("\n")]
    return Trailers(
        entries=tuple(dict.fromkeys(named)),
        lines=tuple(line for line in lines if _is_ours(line) and vouchers.get(line) is None),
        faults=faults,
        vouchers=() if faults else tuple(dict.fromkeys(filter(None, vouchers.values()))),
    )


def _split_foot(text: str) -> tuple[list[str], str]:
    """The paragraphs of a message above the last one, and that one unless it is the first.

    Comments below do not count: a merge keeps the list of its conflicts there.
    """
    above = re.split(_PARAGRAPHS, text)
    while len(above) > 1 and re.fullmatch(_COMMENTS, above[-1]):
        above.pop()
    last = above.pop() if len(above) > 1 else ""
    return above, last


def _is_ours(line: str) -> bool:
    """Whether git, which knows no case in keys, would show a line as a trailer of hkgit."""
    return line[:6].lower() == "hkgit-"


def _find_voucher(line: str) -> str | None:
    found = re.match(_VOUCHED, line) if line.startswith("Hkgit-V") else None
    return found[1] if found is not None and line.isprintable() else None


def _find_faults(
    above: Sequence[str], foot: Sequence[str], lines: Sequence[str], named: Sequence[str]
) -> Iterator[str]:
    if any("hkgit-" in each.lower() and re.search(_KEY, each) for each in above):
        yield "Hkgit- trailers above the last paragraph do not count"
    if any(map(_is_ours, foot)) and not all(map(re.compile(_ANY_TRAILER).match, foot)):
        yield "the last paragraph mixes Hkgit- trailers with other text"
    if any(after[:1] in (" ", "\t") and _is_ours(line) for line, after in pairwise(foot)):
        yield "an Hkgit- trailer continues on the next line"
    read = re.compile(_TRAILER).match
    for line in lines:
        found = read(line)
        if found is None or found[1] not in _KEYS or not found[2].isprintable():
            yield f"not a trailer of hkgit: {line[:60]!r}"
        elif found[1] == "Entry" and re.match(_ENTRY, line) is None:
            yield f"names no entry: {line[:60]!r}"
    for name, count in Counter(named).items() if len(named) > 1 else ():
        if count > 1:
            yield f"entry {name[:12]} is named {count} times"
    if lines and not named:
        yield "Hkgit- trailers without an Hkgit-Entry mean nothing"


def append_trailers(subject_and_body: str, lines: tuple[str, ...]) -> bytes:
    """Append trailers to a message's text, below those that it ends with itself."""
    text = subject_and_body.rstrip("\n")
    paragraphs = re.split(_PARAGRAPHS, text)
    foot = paragraphs[-1].split("\n")
    has_own = (
        len(paragraphs) > 1
        and all(map(re.compile(_ANY_TRAILER).match, foot))
        and foot[0][0] not in " \t"
    )
    between = "\n" if has_own else "\n\n"
    return (text + between + "\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def split_template(message: bytes, comment: bytes) -> tuple[bytes, bytes]:
    """Split a message into its words and the template of comments behind them."""
    words, rest = cut_at_scissors(message, comment)
    lines = words.splitlines(keepends=True)
    end = len(lines)
    while end and (lines[end - 1].startswith(comment) or not lines[end - 1].strip()):
        end -= 1
    while end < len(lines) and not lines[end].startswith(comment):
        end += 1
    return b"".join(lines[:end]), b"".join(lines[end:]) + rest


def cut_at_scissors(message: bytes, comment: bytes) -> tuple[bytes, bytes]:
    """Split a message at git's scissors, a whole line: what it keeps, and what it drops."""
    found = re.search(rb"(?m)^%s %s\n" % (re.escape(comment), _SCISSORS), message)
    cut = len(message) if found is None else found.start()
    return message[:cut], message[cut:]


def sign_words(words: bytes, template: bytes, lines: tuple[str, ...]) -> bytes:
    """Put trailers below the words of a message, above the template."""
    signed = append_trailers(words.decode("utf-8", "surrogateescape"), lines)
    return signed + (b"\n" if template else b"") + template


KEY = "Assisted-by"


def list_credited(message: bytes, *deeds: str) -> list[str]:
    """List everyone whom a message names in lines as `Assisted-by`, for `assisted`, as written.

    Wherever these are in it, each with the lines below that git folds into it.
    """
    pattern = rf"(?im)^(?:{'|'.join(deeds)})-by[ \t]*:(.*(?:\n[ \t].*)*)$".encode()
    found = dict.fromkeys(re.findall(pattern, message))
    return [" ".join(each.decode("utf-8", "replace").split()) for each in found]


def list_agents(names: Iterable[str]) -> tuple[str, ...]:
    """List each agent once, whatever the case of its name, as it is written first."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())


def list_missing_lines(entries: Iterable[Entry], message: bytes) -> list[str]:
    """List the trailers of entries that a message has not."""
    there = {each.casefold() for each in list_credited(message, "assisted")}
    wanted = list_agents(" ".join(each.agent.split()) for each in entries)
    return [f"{KEY}: {agent}" for agent in wanted if agent.casefold() not in there]


MAX_EDIT_LINES = 10


def render_trailers(entry: Entry, entry_id: str) -> tuple[str, ...]:
    """Write the trailers of one entry, `Hkgit-Edit` at most ten times."""
    named = [f"Hkgit-Entry: sha256:{entry_id}"]
    if entry.base is not None:
        named.append(f"Hkgit-Base: {entry.base}")
    edits = entry.edits
    kinds, tiers = [edit.evidence for edit in edits], [edit.tier for edit in edits]
    told = [kind for kind in KINDS if kind != LATE or LATE in kinds]
    counts = " ".join([f"{kind}={kinds.count(kind)}" for kind in told])
    named += [
        f"Hkgit-Agent: {entry.agent}",
        f"Hkgit-Evidence: edits={len(edits)} {counts} files={len(entry.files)}",
        "Hkgit-Tiers: "
        + " ".join([f"{each}={tiers.count(each)}" for each in dict.fromkeys(tiers)]),
    ]
    sure = format_confidence(min(edit.confidence for edit in edits), "Hkgit-Confidence: ")
    named += [sure] if sure else []
    files = {file.path: file for file in entry.files if file.path is not None}
    for edit in edits[:MAX_EDIT_LINES]:
        named.append(f"Hkgit-Edit: {_edit_line(edit, files.get(edit.path))}")
    return tuple(named)


def _edit_line(edit: RecordedEdit, file: RecordedFile | None) -> str:
    """One edit on one line: path, base range, hash, tier, confidence below 1.00."""
    digits = "-" if edit.expected_hash is None else edit.expected_hash[:12]
    where = f"{quote_path(edit.path)}:{_range(edit, file)}"
    return f"{where} {digits} {edit.tier}{format_confidence(edit.confidence, ' ')}"


def _range(edit: RecordedEdit, file: RecordedFile | None) -> str:
    if edit.tier == "file":
        if file is None:
            return "new"
        if file.new_path is None:
            return "gone"
        if file.new_path != edit.path:
            return f"-> {quote_path(file.new_path)}"
    first, last = edit.base_lines[0][0], edit.base_lines[-1][1]
    return f"{first}-{last}" if first <= last else f"{last}+"


def message_findings(
    candidate: CandidateCommit, entries: Entries, *, is_strict: bool
) -> Iterator[Finding]:
    """Check that trailers name entries that the commit adds, and say of one what is true."""
    trailers = read_trailers(candidate.message or b"")
    for name in _list_unknown(trailers.entries, entries):
        what = f"Hkgit-Entry names {name[:12]}, which this commit does not add"
        yield Finding("trailer", "message", what, "Remove the trailer.")
    if is_strict and entries:
        true = {line.rstrip() for name, entry in entries for line in render_trailers(entry, name)}
        for line in sorted(set(trailers.lines) - true):
            what = f"the entry does not have {line[:80]!r}"
            yield Finding("trailer", "message", what, "Remove the trailer, or correct it.")


def find_stray_trailers(candidate: CandidateCommit, entries: Entries = ()) -> tuple[str, ...]:
    """List what a message shows of hkgit's keys that represents nothing."""
    trailers = read_trailers(candidate.message or b"")
    missing = (
        f"the message names entry {name[:12]}, which the commit does not add"
        for name in _list_unknown(trailers.entries, entries)
    )
    return (*trailers.faults, *missing)


def _list_unknown(names: Sequence[str], entries: Entries) -> list[str]:
    ids = {entry_id for entry_id, _ in entries}
    return [name for name in names if name not in ids]
