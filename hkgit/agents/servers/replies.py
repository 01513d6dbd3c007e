"""Render results of calls as JSON and as text, with the call to make next."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from hkgit.applying.outcome import (
    EditOutcome,
    error_json,
    outcome_line,
    refusal_text,
    render_apply_json,
)
from hkgit.errors import AlreadyApplied, Ambiguous, BlindEdit, Conflict, HkgitError, NoMatch, Stale
from hkgit.sessions.answers import EditReport, UndoReport
from hkgit.sessions.file_lines import Reading
from hkgit.sessions.session_states import Status
from hkgit.text.escape import count_noun, to_json_text, visible
from hkgit.text.strict_json import Json, JsonObject
from hkgit.values import dataclass, replace
from hkgit.workflows.arguments import WrongArguments

_READ_AGAIN = (NoMatch, Stale, Ambiguous, Conflict, AlreadyApplied, BlindEdit)
"""What is fixed by looking at the file."""

_MEND = "So that its commit passes: undo, read those lines, and make the edit again."

AROUND = 10
"""So many lines above and below the likeliest place are worth reading."""


@dataclass(frozen=True)
class Reply:
    """An answer as JSON, what is `said` of it to a model, and whether it is a refusal.

    The document may have the call to make `next`. `is_misuse` says that the call was not what its
    schema asks for.
    `image` is a file that a model looks at; its type is in the document as `mime`.
    """

    document: JsonObject
    said: str
    is_error: bool = False
    is_misuse: bool = False
    image: bytes | None = None

    @property
    def text(self) -> str:
        """What is said, and the call to make next as a line of its own."""
        if "next" not in self.document:
            return self.said
        tool, arguments = self.document["next"]["tool"], self.document["next"]["arguments"]
        following = f"{tool} {json.dumps(arguments, ensure_ascii=False)}"
        if tool == "edit":
            kept = (name for name in ("root", "session") if name in arguments)
            place = "".join(f" and {name} {arguments[name]}" for name in kept)
            what = f"with the corrected text as shown here{place}"
            following = f"edit, {what}, if that is what you mean"
        return f"{self.said}\nNext: {following}"


def of_reading(reading: Reading, kept: JsonObject, image: bytes | None) -> Reply:
    """Reply with lines and their hash, or an image; the call that reads on keeps some arguments."""
    document = reading.document
    if reading.next_line is not None:
        start = reading.next_line
        document["next"] = call("read", path=document["path"], start_line=start, **kept)
    return Reply(document, "\n".join(_reading_lines(reading)), image=image)


def _reading_lines(reading: Reading) -> Iterator[str]:
    if reading.kind != "text":
        yield reading.hint
        return
    where = f"{reading.start_line}-{reading.end_line} of {reading.file.line_count}"
    yield f"{visible(reading.path)}:{where}  {reading.range_hash}"
    if not reading.raw_lines and reading.hint:
        yield reading.hint
    if reading.tags is not None:
        yield from reading.shown
        return
    width = len(str(reading.end_line))
    for number, line in enumerate(reading.lines, reading.start_line):
        yield f"{number:>{width}}| {line}"


def of_answer(answer: EditReport, *, dry_run: bool, hashline: bool) -> Reply:
    """Reply with what became of a call of `edit`; an edit of tags is fixed by reading with tags.

    A blind edit is taken back first: what is read after it is evidence that few policies accept.
    """
    error = answer.error
    document = render_apply_json(answer.status, answer.outcomes, None, error, dry_run=dry_run)
    document |= answer.document
    tags = {"hashline": True} if hashline else {}
    if error is not None:
        return _refuse(document, answer.outcomes, answer.for_model(), answer.conflicts, tags)
    lines = [*map(describe_outcome, answer.outcomes), *(each.what for each in answer.blind)]
    if answer.blind and answer.call is not None:
        document["next"] = call("undo", call=answer.call)
        lines.append(_MEND)
    elif answer.blind:
        first = answer.blind[0]
        document["next"] = _reread(first.path, first.lines, 0, tags)
    lines += [to_json_text(outcome.diff) or "" for outcome in answer.outcomes if dry_run]
    return Reply(document, "\n".join(lines))


def describe_outcome(outcome: EditOutcome) -> str:
    """Say where an edit landed, how surely, on what evidence, and what is worth knowing of it."""
    notes = "".join(f"\nnote: {visible(note)}" for note in outcome.notes)
    return f"{outcome_line(outcome)}  evidence {outcome.evidence.kind}{notes}"


def of_refused(
    outcomes: Sequence[EditOutcome], error: HkgitError, conflicts: Sequence[str]
) -> Reply:
    """Reply why nothing was applied."""
    document = render_apply_json(error.status, outcomes, None, error)
    words = f"Nothing was applied.\n{refusal_text(outcomes) or error}"
    return _refuse(document, outcomes, words, conflicts, {})


def _refuse(
    document: JsonObject,
    outcomes: Sequence[EditOutcome],
    words: str,
    conflicts: Sequence[str],
    tags: JsonObject,
) -> Reply:
    """Reply with the call that fixes the first refusal, where one does."""
    following = _find_fix(outcomes, tags)
    if following is not None:
        document["next"] = following
    return Reply(document, "\n".join([words, *map(visible, conflicts)]), is_error=True)


def of_error(error: HkgitError) -> Reply:
    """Reply why a call came to nothing."""
    document = {"status": error.status, "error": error_json(error)}
    is_misuse = isinstance(error, WrongArguments)
    return Reply(document, to_json_text(str(error)) or "", is_error=True, is_misuse=is_misuse)


def of_undone(undone: UndoReport) -> Reply:
    """Reply with what was taken back: before it is made again, it is read."""
    document, files = undone.document, ", ".join(undone.document["files"])
    left = next((path for path, file in undone.files.items() if file is not None), None)
    if left is not None:
        tags = {"hashline": True} if undone.is_tagged else {}
        document["next"] = call("read", path=to_json_text(left), **tags)
    return Reply(document, f"Undone: {', '.join(undone.calls)}. Changed: {files}.")


def of_status(status: Status) -> Reply:
    """Reply what state a session is in."""
    return Reply(status.document, "\n".join(_status_lines(status)))


def _status_lines(status: Status) -> Iterator[str]:
    yield (
        f"session {status.session}: {count_noun(status.uncommitted, 'edit')} not committed,"
        f" {status.blind} of them blind; {count_noun(len(status.receipts), 'receipt')}"
    )
    for each in status.calls:
        state = "undone" if each.undone else f"{each.committed} of {each.edits} committed"
        yield f"call {each.call}: {', '.join(map(visible, each.files))} ({state})"


def call(tool: str, **arguments: Json) -> JsonObject:
    """Write a call to make."""
    return {"tool": tool, "arguments": arguments}


def keep_place(reply: Reply, root: str | None, session: str | None) -> Reply:
    """Make the next call of a reply in the root and the session that this one has named."""
    named = {"root": root, "session": session}
    kept = {name: value for name, value in named.items() if value is not None}
    if "next" not in reply.document:
        return reply
    following = reply.document["next"]
    following |= {"arguments": following["arguments"] | kept}
    return replace(reply, document=reply.document | {"next": following})


def _find_fix(outcomes: Sequence[EditOutcome], tags: JsonObject) -> JsonObject | None:
    """Find the call that fixes the first refusal; None where none does."""
    refused = [each for each in outcomes if each.error is not None]
    corrected = [to_json_text(each.corrected) for each in refused if each.corrected is not None]
    if len(corrected) == len(outcomes) == 1:
        return call("edit", text=corrected[0])
    for outcome in refused:
        error = outcome.error
        # Blind edits of which no lines are named refer to what is not in the checkout.
        if isinstance(error, _READ_AGAIN) and (error.lines or not isinstance(error, BlindEdit)):
            return _reread(outcome.path, error.lines, AROUND, tags)
    return None


def _reread(path: str, lines: tuple[int, int] | None, around: int, tags: JsonObject) -> JsonObject:
    if lines is None:
        return call("read", path=to_json_text(path), **tags)
    first, last = max(lines[0] - around, 1), max(lines[1], lines[0]) + around
    return call("read", path=to_json_text(path), start_line=first, end_line=last, **tags)
