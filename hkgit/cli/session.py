"""`hkgit session`: the sessions of a checkout, and their end."""

from __future__ import annotations

import time

import click

from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import print_info
from hkgit.cli.session_options import find_work_root
from hkgit.sessions import end as ending
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.end import SessionState
from hkgit.sessions.session_json import session_json, status_json
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject


@click.group()
def command() -> None:
    """List the sessions of a checkout, and end them."""


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the sessions, and how many edits of each are not committed yet."""
    repository, root = open_repository(), find_work_root()
    ending.expire(root)
    found = ending.list_sessions(repository, root)
    if as_json:
        echo_json({"sessions": [session_json(each) for each in found]})
    for each in () if as_json else found:
        click.echo(visible(describe_session(each)))
    if not found and not as_json:
        print_info("no session in this checkout")


@command.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show the calls of one session, and what it has read."""
    state = _one(name)
    status = EditSession.open(find_work_root(), name).status()
    if as_json:
        echo_json(session_json(state) | status_json(status))
        return
    click.echo(visible(describe_session(state)))
    for call in status.calls:
        undone = ", undone" if call.is_undone else ""
        edits = count_noun(call.edits, "edit")
        line = f"call {call.id}  {' '.join(call.files)}  {edits} by {call.agent}{undone}"
        click.echo(visible(f"  {line}"))
    for read in status.receipts:
        click.echo(visible(f"  read {read.path}:{read.start_line}-{read.end_line}"))


@command.command()
@click.argument("name")
@json_option
def end(name: str, as_json: bool) -> None:
    """End a session; edits not committed yet keep their evidence until they are."""
    state = ending.end(open_repository(), find_work_root(), name)
    if as_json:
        echo_json({"status": "ended", **session_json(state)})
    elif state.waiting:
        edits = count_noun(state.waiting, "edit")
        print_info(f"{name} has ended; {edits} can still be committed, then it is removed")
    else:
        print_info(f"{name} has ended and is removed")


@command.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--force", is_flag=True, help="Also those with uncommitted edits: these get no evidence."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
@json_option
def clean(names: tuple[str, ...], force: bool, dry_run: bool, as_json: bool) -> None:
    """Remove the sessions without uncommitted edits, or of these the NAMEs; files are not"
    " changed."""
    gone, kept = ending.clean(
        open_repository(), find_work_root(), names, force=force, dry_run=dry_run
    )
    if as_json:
        document: JsonObject = {
            "status": "cleaned",
            "dry_run": dry_run,
            "removed": [each.name for each in gone],
            "kept": [each.name for each in kept],
        }
        echo_json(document)
        return
    for each in gone:
        print_info(f"{'would be removed' if dry_run else 'removed'}  {each.name}")
    for each in kept:
        mend = f"hkgit session clean --force {each.name}"
        why = (
            f"{count_noun(each.waiting, 'edit')} would lose evidence" if each.waiting else "damaged"
        )
        print_info(f"kept  {each.name}: {why}; {mend}")
    if not gone and not kept:
        print_info("nothing to remove")


def _one(name: str) -> SessionState:
    found = ending.list_sessions(open_repository(), find_work_root())
    state = next((each for each in found if each.name == name), None)
    if state is None:
        raise ending.refuse_missing_session(name)
    return state


def describe_session(state: SessionState) -> str:
    """Describe a session in one line."""
    if state.damage is not None:
        fix = f"hkgit session clean --force {state.name} removes it"
        return f"{state.name}  its journal {state.damage}: {fix}"
    waits = "nothing to commit"
    if state.waiting:
        blind = f", {state.blind} blind" if state.blind else ""
        waits = f"{count_noun(state.waiting, 'edit')} to be committed{blind}"
    ends = "" if state.expires is None else f", expires {_day(state.expires)}"
    ended = ", ended" if state.is_ended else ""
    calls = count_noun(state.calls, "call")
    return f"{state.name}  {calls}, {waits}, used {_day(state.last_used)}{ends}{ended}"


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
