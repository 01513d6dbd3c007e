"""Show one commit's evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain

from hkgit.audit.commits import REPLAYS, AuditedCommit
from hkgit.audit.page.hunks import DiffRow, ReviewHunk, list_hunks
from hkgit.audit.reports.text import report_lines
from hkgit.audit.signers import VERDICT, Signed, Signers, render_signature
from hkgit.cli.answer import Answer
from hkgit.cli.history import open_history
from hkgit.cli.log import signed_json
from hkgit.cli.options import argument, declare
from hkgit.cli.output import style
from hkgit.cli.terminal_rows import EVIDENCE_COLOURS, fit, measure_terminal
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.recomputation import is_rated_here
from hkgit.evidence.verdict import Verdict
from hkgit.gate.ruling import Report, Ruling
from hkgit.matching.place import format_confidence, format_decimal
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject

_COLOURS = {"+": "green", "-": "red", " ": None}


def hunk_lines(hunks: Sequence[ReviewHunk]) -> Iterator[str]:
    """Describe every hunk: where and on what it rests, what was read, and the diff."""
    width = measure_terminal()
    for hunk in hunks:
        yield ""
        yield _head(hunk)
        for seen in hunk.seen:
            yield f"  {seen.how}"
        if hunk.unseen:
            lines, what = hunk.added, "added at a place that was not read"
            if hunk.changed:
                lines, what = hunk.unseen, "changed without being read"
            yield "  " + style(f"{count_noun(lines, 'line')} {what}", "yellow")
        if hunk.note:
            yield f"  {hunk.note}"
        yield from (_row(row, width) for row in hunk.rows)
        if hunk.left_out:
            yield f"  and {count_noun(hunk.left_out, 'line')} more"


def _head(hunk: ReviewHunk) -> str:
    is_range = hunk.start <= hunk.end
    place = f"{hunk.start}-{hunk.end}" if is_range else f"{max(hunk.start - 1, 0)}+"
    rests = style(hunk.evidence, EVIDENCE_COLOURS.get(hunk.evidence))
    sure = format_confidence(hunk.confidence, ", confidence ")
    return f"{style(f'{hunk.path}:{place}', 'bold')}  {rests}{sure}"


def _row(row: DiffRow, width: int) -> str:
    number = "" if row.old is None else str(row.old)
    eye = row.seen or ("unseen" if row.sign == "-" else "")
    text = style(fit(f"{row.sign} {row.text}", max(width - 16, 20)), _COLOURS[row.sign])
    return f"  {number:>5}  {eye:<6} {text}".rstrip()


def hunk_json(hunk: ReviewHunk) -> JsonObject:
    """Write a hunk as one JSON object."""
    return {
        "path": hunk.path,
        "lines": [hunk.start, hunk.end],
        "evidence": hunk.evidence,
        "confidence": None if hunk.confidence is None else hunk.confidence / 1000,
        "changed": hunk.changed,
        "added": hunk.added,
        "unseen": hunk.unseen,
        "read": [
            {"lines": [each.start, each.end], "kind": each.kind, "how": each.how}
            for each in hunk.seen
        ],
    }


@declare
def command(*, revision: str = argument("COMMIT", default="HEAD")) -> Answer:
    """Show what can be derived of a commit, what is only claimed, and who signed it.

    Each hunk is shown below what was read before it. The policy and the trusted keys are those
    at HEAD.
    """
    history = open_history(revision, is_range=False)
    repository, policy, commit = history.repository, history.policy, history.asked.new
    ruling = history.rule(commit)
    signatures = Signers(repository, repository.head().commit).of(ruling)
    audited = AuditedCommit(ruling)
    hunks = list_hunks(repository, audited)
    document = {
        **signed_json(audited, signatures, policy.source),
        "ledger": [json.loads(entry.to_bytes()) for _, entry in ruling.judged.entries],
        "hunks": [*map(hunk_json, hunks)],
    }
    head = f"commit {style(commit, 'yellow')}  {audited.subject}"
    whose = f"  {audited.who}, {audited.time.isoformat()}"
    rules = (f"  {line}" for line in report_lines(Report(policy, (ruling,))))
    lines = chain(_evidence_lines(ruling, signatures), hunk_lines(hunks))
    return Answer(document, chain([head, whose], rules, lines), is_long=True)


def _evidence_lines(ruling: Ruling, signatures: Sequence[Signed]) -> Iterator[str]:
    basis = "" if ruling.judged.basis is None else f" ({visible(ruling.judged.basis)})"
    is_resolved = ruling.judged.verdict is Verdict.MERGE and ruling.judged.entries
    more = ", with its conflicts as the entries resolve them" if is_resolved else ""
    yield f"replay    {REPLAYS[ruling.replay]}{more}{basis}"
    yield from (render_signature(each) for each in signatures if each.kind == VERDICT)
    for left in ruling.judged.leftovers:
        yield f"by hand   {visible(left.path)}{_ranges(left.lines)}"
    for name, entry in ruling.judged.entries:
        yield f"entry     sha256:{name}"
        yield from (render_signature(each) for each in signatures if each.of == f"sha256:{name}")
        yield f"base      {entry.base or '-'}"
        claimed = "" if is_rated_here(entry) else "; tier and confidence are only claimed"
        yield f"ladder    {entry.ladder}, threshold {format_decimal(entry.threshold)}{claimed}"
        yield "edits"
        yield from (f"  {_edit(edit)}" for edit in entry.edits)
        yield "files"
        yield from (f"  {_file(file)}" for file in entry.files)
        yield "claimed   " + "  ".join(_claims(entry))


def _edit(edit: RecordedEdit) -> str:
    digits = "-" if edit.expected_hash is None else edit.expected_hash[:12]
    repairs = f"  repaired: {', '.join(edit.repairs)}" if edit.repairs else ""
    return (
        f"{edit.id}  {visible(edit.path)}{_ranges(edit.base_lines)}  {edit.evidence} {digits}"
        f"  {edit.tier}{format_confidence(edit.similarity, '  similarity ')}"
        f"{format_confidence(edit.confidence, '  confidence ')}{repairs}"
    )


def _ranges(lines: Sequence[tuple[int, int]]) -> str:
    """`:2-3,7+`, an insertion by the line above it; nothing for a file as a whole."""
    shown = ",".join(f"{a}-{b}" if a <= b else f"{b}+" for a, b in lines)
    return f":{shown}" if shown else ""


def _file(file: RecordedFile) -> str:
    before = "new" if file.before is None else f"{file.before.mode:06o} {file.before.sha256[:12]}"
    after = "gone" if file.after is None else f"{file.after.mode:06o} {file.after.sha256[:12]}"
    moved = ""
    if None not in (file.path, file.new_path) and file.path != file.new_path:
        moved = f" -> {visible(file.new_path or '')}"
    hunks = count_noun(len(file.hunks), "hunk")
    return f"{visible(file.name)}{moved}  {before} -> {after}  {hunks}"


def _claims(entry: Entry) -> Iterator[str]:
    for key, value in entry.claims.items():
        if value not in (None, []):
            yield f"{key}={visible(json.dumps(value, ensure_ascii=False))}"
