"""The calls of the servers: their arguments, and what they do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from hkgit.agents.servers.replies import (
    Reply,
    describe_outcome,
    of_answer,
    of_reading,
    of_refused,
    of_status,
    of_undone,
)
from hkgit.agents.servers.roots import Root
from hkgit.agents.specs import paths_of
from hkgit.applying.outcome import render_apply_json
from hkgit.applying.workspace import resolve_names
from hkgit.dialects import DIALECTS, append_at_end
from hkgit.dialects.file_names import parse_expect, relative_path
from hkgit.edits import Spec
from hkgit.errors import InvalidInput
from hkgit.git.repository import Repository
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.text.escape import quote_word, to_json_text, visible
from hkgit.values import dataclass, replace
from hkgit.workflows.application import ApplyResult, advise, apply
from hkgit.workflows.arguments import (
    BASE,
    BEFORE,
    BRANCH,
    CALL,
    CHECK_SYNTAX,
    DRY_RUN,
    EMPTY_SEARCH,
    EXPECT,
    FORMAT,
    HASHLINE,
    LIMIT,
    MESSAGE,
    RELOCATE,
    THRESHOLD,
    WHOLE_SESSION,
    Argument,
    Values,
    planning_options,
)
from hkgit.workflows.landing_policy import explain_differing
from hkgit.workflows.target import ApplyRequest

LARGEST_IMAGE = 5 * 2**20
"""In bytes; what agents' models take at most."""

_PATH = "The file, from the root of the checkout."
_TEXT = (
    "The edits, in any notation that hkgit reads: search/replace blocks, a unified diff, an"
    ' apply-patch text, or JSON such as {"file", "old_text", "new_text"},'
    ' {"path", "edits": [{"oldText", "newText"}]} or a spec of hkgit\'s protocol with line'
    " ranges and their hashes."
)
_WHERE = (
    Argument("root", "string", "One of the client's roots; the first one by default."),
    Argument("session", "string", "The session to work in, where a hook has named one."),
)
_SPEC = (
    Argument("text", "text", _TEXT, required=True),
    replace(FORMAT, choices=("auto", *DIALECTS)),
    replace(EXPECT, about=f"{EXPECT.about} What was read with `read` in this session needs none."),
    THRESHOLD,
    RELOCATE,
    CHECK_SYNTAX,
    DRY_RUN,
)


@dataclass(frozen=True)
class Tool:
    """One thing to call. `reads_only` and `is_destructive` are hints for those who ask a user."""

    name: str
    about: str
    arguments: tuple[Argument, ...]
    run: Callable[[EditSession, Root, Values], Reply]
    reads_only: bool = False
    is_destructive: bool = False


def _read(session: EditSession, place: Root, given: Values) -> Reply:
    if "\0" in given["path"]:
        raise InvalidInput("argument path", "holds a NUL", _PATH)
    path = relative_path(given.pop("path"), str(place.root))
    place.expect_inside([path])
    start, end = given.pop("start_line", None), given.pop("end_line", None)
    offset = given.pop("offset", None)
    if offset is not None and start not in (None, offset):
        what = f"has line {offset} and start_line {start}"
        raise InvalidInput("argument offset", what, "Give one of them.")
    reading = session.read(path, offset if start is None else start, end, **given)
    image = _image(place.root / path) if reading.kind == "image" else None
    kept = {name: given[name] for name in ("hashline", "limit") if given.get(name)}
    return of_reading(reading, kept, image)


def _image(path: Path) -> bytes | None:
    """The bytes of an image that a model may look at; None where it is too large to be sent."""
    try:
        return path.read_bytes() if path.stat().st_size <= LARGEST_IMAGE else None
    except OSError:
        return None


def _edit(session: EditSession, place: Root, given: Values) -> Reply:
    spec = _spec(session, place, given, "edit")
    dry_run = given.get("dry_run", False)
    report = session.edit_all(
        (spec,),
        planning_options(given, allow_blind=False),
        expect=tuple(map(parse_expect, given.get("expect", ()))),
        dry_run=dry_run,
    )
    return of_answer(report, dry_run=dry_run, hashline=spec.dialect == "hashline")


_FIX = "Fix: read those lines in this session, then make this call again."


def _apply(session: EditSession, place: Root, given: Values) -> Reply:
    """Commit a spec with its evidence; what the session has read counts as such."""
    spec = _spec(session, place, given, "apply")
    expected = map(parse_expect, given.get("expect", ()))
    request = ApplyRequest(
        (spec,),
        branch=given.get("branch"),
        base=given.get("base"),
        agent=session.agent if spec.agent is None else spec.agent,
        message=given.get("message"),
        # The judge refers to all edits at once.
        options=planning_options(given, allow_blind=True),
        reads=(*expected, *session.status().receipts),
        dry_run=given.get("dry_run", False),
        say=_say,
    )
    result = _add_advice(apply(Repository.discover(session.root), request))
    if result.error is not None:
        return of_refused(result.outcomes, result.error, result.conflicts)
    return _reply_landed(result) if result.landed else _reply_planned(result)


def _add_advice(result: ApplyResult) -> ApplyResult:
    """Add to edits that are refused as blind how they get their evidence."""
    if not result.blocking:
        return result
    differing = explain_differing(result.target, result.blocking)
    if differing is not None:
        return advise(result, f"Fix: {differing}")
    first = result.blocking[0]
    if first.rev is None:
        return advise(result, _FIX, first.lines)
    read = f"hkgit read {quote_word(first.where)} --rev {first.rev}"
    return advise(result, f"Fix: give `expect` with the hash that `{read}` prints.")


def _reply_landed(result: ApplyResult) -> Reply:
    done, commit = result.commits[-1], result.landed[-1]
    branch = "" if result.target is None else result.target.branch
    lines = [f"[{branch} {commit[:12]}] {visible(done.subject)}"]
    lines += map(describe_outcome, result.outcomes)
    lines += [] if done.warning is None else [f"note: would be rejected: {done.warning}"]
    return Reply(render_apply_json("applied", result.outcomes, commit), "\n".join(lines))


def _reply_planned(result: ApplyResult) -> Reply:
    """What a dry run would change."""
    diffs = "".join(to_json_text(outcome.diff) or "" for outcome in result.outcomes)
    messages = "\n".join(each.message.decode("utf-8", "replace") for each in result.commits)
    document = render_apply_json("applied", result.outcomes, None, dry_run=True)
    return Reply(document, f"{diffs}\n{messages}")


def _say(text: str) -> None:
    print(f"hkgit: {text}", file=sys.stderr)


def _undo(session: EditSession, place: Root, given: Values) -> Reply:
    is_whole = given.get("whole_session", False)
    return of_undone(session.undo(given.get("call"), whole_session=is_whole))


def _spec(session: EditSession, place: Root, given: Values, call: str) -> Spec:
    """The spec that is given, all of it inside of what the client allows. Raises InvalidInput."""
    is_appending = given.pop("empty_search", None) == "append"
    text, format = given.pop("text"), given.pop("format", str(FORMAT.default))
    try:
        spec = session.parse(text, format)
    except InvalidInput as error:
        if not given.get("dry_run", False):
            session.note_unread(call, error)
        raise
    spec = append_at_end(spec) if is_appending else spec
    if place.within == place.root:
        # The plan refuses what cannot be a path of the checkout, each edit for itself.
        return spec
    spec = resolve_names(spec, Checkout(place.root))
    place.expect_inside(paths_of(spec))
    return spec


CALLS = {
    call.name: call
    for call in (
        Tool(
            "read",
            "Read lines of a file with their hash. Read what you are going to change: the session"
            " keeps what was read as the evidence for edits of these lines.",
            (
                Argument("path", "string", _PATH, required=True),
                Argument("start_line", "integer", "The first line, from 1 on.", minimum=1),
                Argument("end_line", "integer", "The last line.", minimum=1),
                Argument("offset", "integer", "The same as start_line.", minimum=1),
                LIMIT,
                HASHLINE,
                BEFORE,
                *_WHERE,
            ),
            _read,
            reads_only=True,
        ),
        Tool(
            "edit",
            "Change files in the working tree: all edits of the call, or none. Old text need not"
            " be exact; a doubtful place is refused, with what to send instead.",
            (*_SPEC, EMPTY_SEARCH, *_WHERE),
            _edit,
            is_destructive=True,
        ),
        Tool(
            "apply",
            "Make a commit of edits, with the evidence of what they were written against. They"
            " refer to the branch's last commit, not to uncommitted changes.",
            (*_SPEC, MESSAGE, BRANCH, BASE, *_WHERE),
            _apply,
        ),
        Tool(
            "undo",
            "Undo the last call of `edit` in this session, or a named one, or all.",
            (CALL, WHOLE_SESSION, *_WHERE),
            _undo,
            is_destructive=True,
        ),
        Tool(
            "status",
            "Show this session: its calls, what it has read, and what is not in a commit yet.",
            _WHERE,
            lambda session, place, given: of_status(session.status()),
            reads_only=True,
        ),
    )
}
"""Everything that can be called, by name."""
