"""What transcripts explain of a change, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hkgit.agents.transcripts.log_reader import Logs
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.workflows.adoption import Adoption, ExplainedLines

_LISTED = 200
"""So many ranges of lines are listed of one change; the JSON has all."""


def log_lines(logs: Logs) -> Iterator[str]:
    """Describe what was read: logs of no known form, broken lines, logs of other repositories."""
    known = [each for each in logs.summaries if each.form is not None]
    used = [each for each in known if each.steps]
    yield f"{count_noun(len(logs.summaries), 'transcript')}, {len(used)} about this change"
    for each in logs.summaries:
        if each.form is None:
            yield f"  {visible(each.path.name)}: in an unknown format"
    broken = sum(each.broken for each in known)
    if broken:
        yield f"  {count_noun(broken, 'line')} could not be read (perhaps a last line cut short)"
    for place in sorted(logs.others):
        yield f"  {visible(place)} is in another repository: skipped"


def adoption_lines(
    repository: Repository, done: Sequence[Adoption], *, is_kept: bool
) -> Iterator[str]:
    """Describe what is explained, by which call; what is not; and what to do next."""
    for each in done:
        if each.commit is not None:
            yield ""
            subject = repository.commit(each.commit).message.partition(b"\n")[0]
            yield f"{each.commit[:12]} {visible(subject.decode('utf-8', 'replace'))}"
        yield from _ranges(each)
        explained, all_of_them = each.explanation.counts
        yield f"{explained} of {count_noun(all_of_them, 'changed line')} explained"
        yield from _list_skipped(each)
        yield from _next(each, is_kept=is_kept)


def _ranges(done: Adoption) -> Iterator[str]:
    ranges = done.explanation.explained
    for each in ranges[:_LISTED]:
        yield f"  {visible(_where(each))}  {_call(done, each)}"
    if len(ranges) > _LISTED:
        yield f"  ... and {count_noun(len(ranges) - _LISTED, 'range')} more: see --json"
    for left in done.explanation.unexplained:
        what = f" ({left.what})" if left.what else ""
        yield f"  {visible(left.where)}  not explained{what}"


def _where(lines: ExplainedLines) -> str:
    if lines.first > lines.last:
        return lines.path
    span = f"{lines.first}-{lines.last}" if lines.first < lines.last else f"{lines.first}"
    return f"{lines.path}:{span}"


def _call(done: Adoption, lines: ExplainedLines) -> str:
    """Which call made some lines, what had been read before, and how much of that it changed."""
    step, unit, edit = done.step(lines.unit), lines.unit, lines.unit.edit
    named = unit.name if step is None else f"{step.tool} {step.where}"
    words = f"{named}, {unit.call.agent}, evidence {edit.evidence}"
    if edit.evidence_lines is not None:
        words += f" of lines {edit.evidence_lines[0]}-{edit.evidence_lines[1]}"
        if lines.changed_share is not None:
            words += f", {lines.changed} of them changed"
    return visible(words)


def _list_skipped(done: Adoption) -> Iterator[str]:
    for why, count in Counter(why for _, why in done.replayed.skipped).most_common(5):
        yield f"  {count_noun(count, 'call')} not replayed: {visible(why)}"


def _next(done: Adoption, *, is_kept: bool) -> Iterator[str]:
    if not done.entries:
        return
    entries = count_noun(done.entries, "entry", "entries")
    if not is_kept:
        yield f"{entries} would be made"
    elif done.record is not None:
        yield f"{entries} kept in {done.record}"
    else:
        yield f"{entries} will be made by the commit: git commit"
        yield from (f"  {visible(each)}" for each in done.proposal.uncovered)


def adoption_json(done: Sequence[Adoption], logs: Logs, *, is_kept: bool) -> JsonObject:
    """Write the same as one JSON object."""
    is_whole = all(each.is_whole for each in done)
    return {
        "status": "explained" if is_whole else "unexplained",
        "kept": is_kept,
        "transcripts": [
            {
                "path": str(each.path),
                "form": each.form,
                "steps": each.steps,
                "broken_lines": each.broken,
            }
            for each in logs.summaries
        ],
        "other_repositories": sorted(logs.others),
        "changes": [_change_json(each) for each in done],
    }


def _change_json(done: Adoption) -> JsonObject:
    explained, all_of_them = done.explanation.counts
    return {
        "commit": done.commit,
        "lines": all_of_them,
        "explained_lines": explained,
        "entries": done.entries,
        "record": done.record,
        "explained": [_render_explained(done, each) for each in done.explanation.explained],
        "unexplained": [
            {"path": to_json_text(each.path), "lines": [each.first, each.last], "what": each.what}
            for each in done.explanation.unexplained
        ],
        "skipped": [
            {"where": step.where, "call": step.call, "tool": step.tool, "why": why}
            for step, why in done.replayed.skipped
        ],
    }


def _render_explained(done: Adoption, lines: ExplainedLines) -> JsonObject:
    step, unit, edit = done.step(lines.unit), lines.unit, lines.unit.edit
    share = lines.changed_share
    return {
        "path": to_json_text(lines.path),
        "lines": [lines.first, lines.last],
        "agent": unit.call.agent,
        "session": unit.key[0],
        "where": None if step is None else step.where,
        "call": None if step is None else step.call,
        "tool": None if step is None else step.tool,
        "evidence": edit.evidence,
        "evidence_lines": None if edit.evidence_lines is None else list(edit.evidence_lines),
        "changed_share": None if share is None else share / 1000,
    }
