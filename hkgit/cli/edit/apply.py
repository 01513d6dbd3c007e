"""apply.py: `hkgit apply`, from specs to landed commits."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from hkgit.applying.diff import render_diff
from hkgit.applying.reporting import refusal_text, render_apply_json
from hkgit.cli.common import echo_json, make_root_relative, open_repository
from hkgit.cli.edit.advice import add_advice, blind_json, warn_of_rejection
from hkgit.cli.edit.merging import choose_merge, tell_merge
from hkgit.cli.edit.spec_options import SpecOptions, spec_options
from hkgit.cli.edit.specs import (
    echo_notes,
    outcome_line,
    read_expects,
    read_specs,
)
from hkgit.cli.options import session_option
from hkgit.cli.output import (
    VERBOSE,
    echo,
    finish,
    get_loudness,
    print_error,
    print_info,
    print_note,
    show_progress,
)
from hkgit.cli.streams import printable_text
from hkgit.edits import Read, Spec
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.refusals import RefusalLog, note_unread
from hkgit.git.repository import Repository
from hkgit.matching.places import format_confidence
from hkgit.workflows.apply import ApplyRequest, ApplyResult, apply
from hkgit.workflows.commits.commit import LandedCommit
from hkgit.workflows.commits.plan import Progress
from hkgit.workflows.commits.targets import ApplyOptions


@click.command()
@spec_options
@click.option("--base", metavar="REV", help="The commit that the edits were written against.")
@click.option("--branch", metavar="NAME", help="Land on this branch, made at the base if absent.")
@click.option(
    "--merge",
    metavar="REV",
    multiple=True,
    help="Merge REV in the same commit; the spec resolves the conflicts.",
)
@click.option("--agent", metavar="NAME", help="Who made the edits, as name/version.")
@session_option("Take what this session has read for evidence.")
@click.option("-m", "--message", metavar="TEXT", help="The commit message.")
@click.option("--verify", metavar="COMMAND", help="Commit only if this passes on the edited files.")
@click.option(
    "--accept-hook-changes",
    is_flag=True,
    help="Commit what hooks of the repository change as well, recorded as theirs.",
)
@click.option("--reflect", metavar="COMMAND", help="Ask this command to correct refused edits.")
@click.option(
    "--retry/--no-retry",
    default=True,
    help="Plan again where the branch moved meanwhile.  [default: retry]",
)
def command(
    given: SpecOptions,
    *,
    base: str | None,
    branch: str | None,
    merge: tuple[str, ...],
    agent: str | None,
    session: str | None,
    message: str | None,
    verify: str | None,
    accept_hook_changes: bool,
    reflect: str | None,
    retry: bool,
) -> int:
    """Apply specs of edits and commit them with their evidence.

    Each SPEC is a file, or - for standard input, in any dialect that hkgit reads, and becomes one
    commit. Nothing lands unless every edit of every spec applies.
    """
    result, root = ApplyResult(), None
    try:
        repository = open_repository(is_small=True)
        root = repository.work_tree
        expected = read_expects(given.expect, partial(make_root_relative, repository))
        receipts = _find_receipts(repository, session)
        options = ApplyOptions(
            branch=branch,
            merge=choose_merge(merge),
            base=base,
            agent=agent,
            message=message,
            verify=verify,
            # The judge speaks of all edits at once.
            options=given.to_options(allow_blind=True),
            reads=(*expected, *receipts),
            accept_hook_changes=accept_hook_changes,
            retry=retry,
            allow_blind=given.allow_blind,
            hears_verify=reflect is not None,
        )
        request = _request(repository, given, options, reflect)
        progress = Progress(print_note, show_progress("committing spec"))
        result = add_advice(session, root, apply(repository, request, progress))
        for words in result.conflicts:
            print_note(words)
        if result.error is not None:
            raise result.error
    except HkgitError as error:
        if given.as_json:
            refused = render_apply_json(
                error.status, result.outcomes, None, error, dry_run=given.dry_run
            )
            echo_json(refused | blind_json(session, root, result.blocking))
        print_error(refusal_text(result.outcomes) or str(error))
        return error.exit_code
    _print(repository, result, given)
    warn_of_rejection(session, root, result, given)
    return 0


def _find_receipts(repository: Repository, session: str | None) -> tuple[Read, ...]:
    """Find the receipts of a session that still hold in the checkout."""
    if session is None or repository.work_tree is None:
        return ()
    from hkgit.sessions.session import EditSession

    return EditSession.open(repository.work_tree, session).status().receipts


def _request(
    repository: Repository, given: SpecOptions, options: ApplyOptions, reflect: str | None
) -> ApplyRequest:
    """The specs that were given; with `reflect` a command corrects those that cannot be read."""
    root = repository.work_tree
    read = partial(_read_specs, repository, given, options.agent)
    if reflect is None:
        return ApplyRequest(tuple(read()), options, given.dry_run)
    # Few calls need it.
    from hkgit.cli.edit.reflecting import ask_command
    from hkgit.workflows.commits.correct import Reflection

    ask = partial(ask_command, reflect, Path.cwd())
    reflection = Reflection(ask, None if root is None else str(root))
    return ApplyRequest(tuple(reflection.parse(read)), options, given.dry_run, reflection)


def _read_specs(repository: Repository, given: SpecOptions, agent: str | None) -> list[Spec]:
    """Read the specs; one that cannot be is kept among the refusals. Raises InvalidInput."""
    try:
        return read_specs(given, repository.work_tree, partial(make_root_relative, repository))
    except InvalidInput as error:
        if not given.dry_run:
            log = RefusalLog.of(repository.common_dir)
            note_unread(log, "unknown" if agent is None else agent, "apply", error)
        raise


def _print(repository: Repository, result: ApplyResult, given: SpecOptions) -> None:
    """What has landed, or would: each file's diff, and the evidence it would have."""
    landed = result.landed
    commit = landed[-1].commit if landed else None
    branch = "" if result.target is None else result.target.branch
    if commit is not None:
        finish(f"commit {commit} landed on {branch}")
    echo_notes(result.outcomes)
    merge = tell_merge(repository, landed[-1].step if landed else result.steps[-1])
    if given.as_json:
        answer = render_apply_json("applied", result.outcomes, commit, dry_run=given.dry_run)
        echo_json(answer | merge)
        return
    for step, record in zip(result.steps, result.records, strict=False):
        for change in step.plan.files:
            shown = render_diff(change).encode("utf-8", "surrogateescape")
            echo(printable_text(shown), nl=False)
        echo(b"\n" + printable_text(record.message), nl=False)
    for each in landed:
        print_info(summary_line(branch, each))
    if landed and get_loudness() == VERBOSE:
        for outcome in result.outcomes:
            echo(f"  {outcome_line(outcome)}  {outcome.evidence.kind}")


def summary_line(branch: str, done: LandedCommit) -> str:
    """Write one line as git prints it, with the least sure edit."""
    subject = done.record.message.decode("utf-8", "replace").split("\n", 1)[0]
    least = min(done.record.entry.edits, key=lambda edit: edit.confidence)
    sure = format_confidence(least.confidence, " (lowest confidence ")
    return f"[{branch} {done.commit[:7]}] {subject}" + (f"{sure}, {least.tier})" if sure else "")
