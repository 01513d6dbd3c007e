"""Apply specs of edits and commit them with their evidence."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from hkgit.applying.file_diff import render_diff
from hkgit.applying.outcome import outcome_line, refusal_text, render_apply_json
from hkgit.cli.answer import Answer
from hkgit.cli.common import make_root_relative, open_repository
from hkgit.cli.options import declare, option, option_of, options_in, session_option
from hkgit.cli.output import CONSOLE, QUIET, VERBOSE, print_note, printable_text, show_progress
from hkgit.cli.spec_options import SpecOptions, echo_notes, read_expects, read_specs, refuse
from hkgit.errors import BlindEdit, HkgitError, InvalidInput
from hkgit.evidence.refusal_log import RefusalLog, note_unread
from hkgit.git.repository import Repository
from hkgit.matching.place import format_confidence
from hkgit.text.escape import count_noun, to_json_text
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace
from hkgit.workflows.application import ApplyResult, advise, apply
from hkgit.workflows.arguments import BASE, BRANCH, MESSAGE
from hkgit.workflows.landing_policy import Unread, explain_differing, refuse_blind
from hkgit.workflows.merge_plan import MergePlan, list_conflicts
from hkgit.workflows.target import ApplyRequest, PlannedCommit

_SHOWN = 5
"""At most so many commands that read are named."""


def _blind_json(
    session: str | None, root: Path | None, blind: Sequence[Unread]
) -> list[JsonObject]:
    """Write blind edits as the JSON of `apply`, each with the command that reads its lines."""
    return [
        {
            "number": each.number,
            "path": to_json_text(each.path),
            "lines": None if each.lines is None else [*each.lines],
            "read": to_json_text(_read(session, root, each)),
        }
        for each in blind
    ]


def _warn_of_rejection(
    session: str | None, root: Path | None, result: ApplyResult, given: SpecOptions
) -> None:
    """Say in one line what the policy would reject of what has landed, or would."""
    assert result.target is not None
    policy = result.target.policy
    if result.blind and given.allow_blind:
        count = count_noun(len(result.blind), "edit")
        landed = "would land" if given.dry_run else "landed"
        print_note(f"note: {count} {landed} blind, as asked; {policy.source} would reject that")
    elif result.blind:
        error = refuse_blind(policy, result.blind)
        way = error.fix
        if isinstance(error, BlindEdit):
            way = f"{_take_back(result)}{_advise(session, root, result, result.blind)}"
        print_note(f"note: would be rejected: {error.where}: {error.what}. Fix: {way}")
    else:
        first = next((each.warning for each in result.commits if each.warning), None)
        if first is not None:
            print_note(f"note: would be rejected: {first.where}: {first.what}. {first.fix}")


def _advise(
    session: str | None, root: Path | None, result: ApplyResult, blind: Sequence[Unread]
) -> str:
    """Say how blind edits get their evidence: by reading what they were written against."""
    differing = explain_differing(result.target, blind)
    if differing is not None:
        return differing
    # A receipt refers to lines in the checkout, so a session has none of a revision.
    of_checkout = session is not None and all(each.rev is None for each in blind)
    needs_receipt = of_checkout or any("hash" not in each.accepted for each in blind)
    name = (session or "apply") if needs_receipt else None
    reads = [*dict.fromkeys(f"`{_read(name, root, each)}`" for each in blind)][:_SHOWN]
    again = f"read the lines ({', '.join(reads)}) and run this again with "
    if name is not None:
        return f"{again}`--session {name}`"
    expects = [*dict.fromkeys(f"--expect {_quote(root, each)}=HASH" for each in blind)]
    return f"{again}`{' '.join(expects[:_SHOWN])}`, the hash that is printed"


def _read(session: str | None, root: Path | None, edit: Unread) -> str:
    """Write the command that reads the lines of an edit."""
    rev = "" if edit.rev is None else f" --rev {edit.rev}"
    kept = "" if session is None or rev else f" --session {session}"
    return f"hkgit read {_quote(root, edit)}{rev}{kept}"


def _quote(root: Path | None, edit: Unread) -> str:
    return shlex.quote(edit.where if root is None else os.path.relpath(root / edit.where))


def _take_back(result: ApplyResult) -> str:
    """The command that takes back what has landed, and leaves everything else alone."""
    if not result.landed or result.target is None:
        return ""
    branch, before = result.target.branch, f"{result.landed[0][:12]}^"
    command = f"git update-ref {shlex.quote(f'refs/heads/{branch}')} {before}"
    if result.target.checkout:
        command = f"git reset -q --keep {before}"
    elif result.target.old is None:
        command = f"git branch -q -D {shlex.quote(branch)}"
    return f"take it back (`{command}`), "


def _tell_merge(
    repository: Repository, merging: MergePlan | None, step: PlannedCommit
) -> JsonObject:
    """Say path by path what becomes of the conflicts; answers with the same for the JSON."""
    if merging is None:
        return {}
    conflicts = {}
    for path, is_resolved, missing in list_conflicts(repository, merging, step.files):
        how = "resolved by the edits" if is_resolved else "stays as in the first parent"
        lack = f"; it lacks {count_noun(missing, 'line')} of {merging.name}" if missing else ""
        print_note(f"{'note' if is_resolved else 'warning'}: {path}: in conflict, {how}{lack}")
        conflicts[path] = "resolved" if is_resolved else "kept"
    return {"merge": {"commit": merging.commit, "conflicts": conflicts}}


def _ask(command: str, correction: str) -> bytes:
    """Run a shell command with a correction on its standard input, and return its answer.

    Raises InvalidInput where it fails.
    """
    words = correction.encode("utf-8", "replace")
    done = subprocess.run(command, shell=True, input=words, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        what = f"the command of --reflect exited with {done.returncode}"
        raise InvalidInput("--reflect", what, "Nothing was applied.")
    return done.stdout


@declare
def command(
    *,
    given: SpecOptions = options_in(SpecOptions),
    base: str | None = option_of(BASE, metavar="REV"),
    branch: str | None = option_of(BRANCH, metavar="NAME"),
    merge: tuple[str, ...] = option(
        "Merge REV in the same commit; the spec resolves the conflicts.", metavar="REV"
    ),
    agent: str | None = option("Who made the edits, as name/version.", metavar="NAME"),
    session: str | None = session_option("Use what this session has read as evidence."),
    message: str | None = option_of(MESSAGE, "-m", "--message", metavar="TEXT"),
    verify: str | None = option(
        "Commit only if this passes on the edited files.", metavar="COMMAND"
    ),
    accept_hook_changes: bool = option(
        "Commit what hooks of the repository change as well, recorded as theirs."
    ),
    reflect: str | None = option("Ask this command to correct refused edits.", metavar="COMMAND"),
    retry: bool = option(
        "Plan again if the branch has moved.  [default: retry]", "--retry/--no-retry", default=True
    ),
) -> Answer:
    """Apply specs of edits and commit them with their evidence.

    Each SPEC is a file, or - for standard input, in any dialect that hkgit reads, and becomes one
    commit. Nothing lands unless every edit of every spec applies.
    """
    if len(merge) > 1:  # a merge of more is judged by nobody
        raise click.UsageError("--merge: merge them one by one")
    result, root = ApplyResult(), None
    try:
        repository = open_repository(is_small=True)
        root = repository.work_tree
        expected = read_expects(given.expect, partial(make_root_relative, repository))
        if session is not None and root is not None:
            from hkgit.sessions.edit_session import EditSession

            expected += EditSession.open(root, session).status().receipts
        request = ApplyRequest(
            branch=branch,
            merge=merge[0] if merge else None,
            base=base,
            agent=agent,
            message=message,
            verify=verify,
            # The judge refers to all edits at once.
            options=given.to_options(allow_blind=True),
            reads=expected,
            accept_hook_changes=accept_hook_changes,
            retry=retry,
            allow_blind=given.allow_blind,
            dry_run=given.dry_run,
            say=print_note,
            watch=show_progress("committing spec"),
        )
        result = apply(repository, _add_specs(repository, given, request, reflect))
        if result.blocking:
            result = advise(result, f"Fix: {_advise(session, root, result, result.blocking)}")
        for words in result.conflicts:
            print_note(words)
        if result.error is not None:
            raise result.error
    except HkgitError as error:
        blind = _blind_json(session, root, result.blocking)
        more: JsonObject = {"blind": blind} if blind else {}
        return refuse(error, result.outcomes, given, more, refusal_text(result.outcomes))
    last, target = result.commits[-1], result.target
    assert target is not None, "what lands has a target"
    if last.commit is not None:
        CONSOLE.done = f"commit {last.commit} landed on {target.branch}"
    echo_notes(result.outcomes)
    merging = _tell_merge(repository, target.merging, last.step)
    _warn_of_rejection(session, root, result, given)
    document = render_apply_json("applied", result.outcomes, last.commit, dry_run=given.dry_run)
    return Answer(document | merging, _lines(result, target.branch))


def _add_specs(
    repository: Repository, given: SpecOptions, request: ApplyRequest, reflect: str | None
) -> ApplyRequest:
    """Add the specs that were given; with `reflect` a command corrects them, read or not."""
    root = repository.work_tree
    agent = "unknown" if request.agent is None else request.agent
    note = partial(note_unread, RefusalLog.of(repository.common_dir), agent, "apply")
    read = partial(read_specs, given, root, partial(make_root_relative, repository), note)
    if reflect is None:
        return replace(request, specs=tuple(read()))
    # Few calls need it.
    from hkgit.workflows.reflection import Reflection

    reflection = Reflection(partial(_ask, reflect), read, None if root is None else str(root))
    return replace(request, reflection=reflection)


def _lines(result: ApplyResult, branch: str) -> Iterator[str | bytes]:
    """What has landed, or would: each file's diff, and the evidence it would have."""
    for each in result.commits:
        if each.commit is None:
            for change in each.step.plan.files:
                yield printable_text(render_diff(change).encode("utf-8", "surrogateescape"))
            yield b"\n" + printable_text(each.message)
        elif CONSOLE.loudness > QUIET:  # as git prints it, with the least sure edit
            least = min(each.entry.edits, key=lambda edit: edit.confidence)
            sure = format_confidence(least.confidence, " (lowest confidence ")
            ending = f"{sure}, {least.tier})" if sure else ""
            yield f"[{branch} {each.commit[:7]}] {each.subject}{ending}"
    if result.landed and CONSOLE.loudness == VERBOSE:
        for outcome in result.outcomes:
            yield f"  {outcome_line(outcome)}  {outcome.evidence.kind}"
