"""What the hooks of coding agents are answered around the calls of tools."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from hkgit.agents import find_agent
from hkgit.agents.agent import Agent
from hkgit.agents.begun_calls import begin_call, has_open_work
from hkgit.agents.events import Editing, Looks, ServerCall, Shell, ToolEvent, ToolReading
from hkgit.agents.specs import (
    find_commands,
    find_named_checkouts,
    find_named_paths,
    find_touched_paths,
    relative_to_root,
)
from hkgit.agents.tools import parse_payload, render_answer
from hkgit.cli.output import echo, read_input
from hkgit.errors import Conflict, HkgitError, InvalidInput
from hkgit.sessions.homes import choose_folder, find_checkout, find_git_dir, is_guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hkgit.agents.recorder import Recorder
    from hkgit.sessions.answers import EditReport

_BINARY = 8000
"""git looks for a NUL byte in as many bytes to call a file binary."""


def answer_hook(agent: str, *, steer: bool = False, user: bool = False) -> None:
    """Answer one hook of an agent, whose call is on standard input."""
    known = find_agent(agent)
    text = read_input().decode("utf-8", "replace")
    answer = None
    try:
        event = known.read_event(parse_payload(text))
        if event is not None and not (user and _has_project_hooks(agent, event)):
            tool = known.edit_tool if steer else None
            reply = _answer(known, event, tool)
            if reply is not None:
                from hkgit.git.program import name_program  # most calls are answered nothing

                reply = name_program(reply, is_other_shell=True)
                answer = render_answer(known.denial if event.is_before else known.note, reply)
    except Exception as error:  # noqa: BLE001 - no fault of hkgit may stop an agent
        echo(f"hkgit: not recorded: {error}", err=True)
    echo(json.dumps(answer or {}))


def _has_project_hooks(agent: str, event: ToolEvent) -> bool:
    """Whether hooks of the project report the same call: where the agent was started it has some.

    Some agents name that directory, and say beside it where their shell has gone since.
    """
    from hkgit.agents.setup.installer import has_project_hooks

    started = os.environ.get(f"{agent.upper()}_PROJECT_DIR")
    return has_project_hooks(agent, Path(started) if started else event.directory)


def _answer(agent: Agent, event: ToolEvent, tool: str | None) -> str | None:
    """What the model is to know of a call; outside a checkout nothing.

    `tool` is what its edits are steered to.
    """
    home = find_checkout(event.directory)
    root = _find_root(event, home)
    named = find_named_checkouts(event.did, event.directory)
    replies: list[str | None] = []
    for place in (root, *(each for each in named if each != root)):
        try:
            if place == root or is_guarded(place):
                own_tool = tool if place == root else None
                replies.append(_answer_in(agent, event, own_tool, place, home))
        except (HkgitError, OSError) as error:
            # What names files of the one names none of the other; some are somebody else's.
            if place == root or not isinstance(error, InvalidInput | OSError):
                echo(f"hkgit: not recorded: {error}", err=True)
    return "\n".join(filter(None, replies)) or None


def _answer_in(
    agent: Agent, event: ToolEvent, tool: str | None, root: Path, home: Path
) -> str | None:
    """What the model is to know of what a call does in one checkout."""
    if not (root / ".git").exists():
        return None
    if isinstance(event.did, ServerCall):
        # Few calls are of the server.
        from hkgit.agents.servers.roots import note_caller

        note_caller(root, event.did.arguments, event.session)
        return None
    attached = _find_attached(agent, event, root)
    if event.is_before and tool is None and not attached and _begins_alone(event, root):
        return None
    return _answer_session(agent, event, tool if root == home else None, root, attached)


def _find_attached(agent: Agent, event: ToolEvent, root: Path) -> list[ToolReading]:
    """Find what the model was shown, with its prompt, of the files that it is about to edit."""
    is_edit = event.is_before and not find_commands(event.did)
    if not is_edit or event.transcript is None:
        return []
    found: list[ToolReading] = []
    paths = find_touched_paths(event.did, root, event.directory)
    for each in agent.find_attached(event.transcript) if paths else ():
        with suppress(InvalidInput):
            if relative_to_root(each.path, root, event.directory) in paths:
                found.append(each)
    return found


def _begins_alone(event: ToolEvent, root: Path) -> bool:
    """Keep what a call is about to change, if that is all there is to do before it."""
    folder = choose_folder(root, event.session)
    if not folder.exists() or has_open_work(root, folder):
        return False
    begin_call(root, folder, event.did, event.directory)
    return True


def _answer_session(
    agent: Agent, event: ToolEvent, tool: str | None, root: Path, attached: Sequence[ToolReading]
) -> str | None:
    """What the model is to know, when what was left open is taken in, and what was done."""
    # Before most calls nothing is recorded.
    from hkgit.agents.recorder import Recorder

    turn = agent.find_turn(event)
    recorder = Recorder(root, event.session, event.directory, agent=agent.name, turn=turn)
    if event.transcript is not None and not recorder.folder.exists():
        with suppress(OSError):  # what cannot be read is not known
            recorder.learn_earlier(agent.find_earlier(event.transcript, event))
    is_look = event.is_before or _is_look(recorder, event)
    try:
        recorder.settle(event.transcript, agent.find_output, is_look=is_look)
    except HkgitError as error:
        echo(f"hkgit: not recorded: {error}", err=True)
    recorder.learn_attached(attached)
    if tool is not None and event.is_before and not find_commands(event.did):
        return _steer(event, root, tool)
    if event.is_before:
        recorder.before(event.did)
        return None
    try:
        answer = recorder.after(event)
        reply = None if answer is None or not answer.blind else _unread(answer)
    except Conflict as error:
        reply = f"hkgit: not recorded: {error}"
    return reply or _tell_past_hooks(event, root)


def _find_root(event: ToolEvent, home: Path) -> Path:
    """Find the checkout of a call's files: another one than where the agent works, if guarded.

    That may be a submodule, a linked worktree, or the checkout of another repository.
    """
    for path in find_named_paths(event.did):
        if "\0" not in path:
            place = Path(event.directory, path)
            root = home if place.parent == home else find_checkout(place.parent)
            if root != home and is_guarded(root):
                return root
    return home


def _is_look(recorder: Recorder, event: ToolEvent) -> bool:
    """Whether a call has changed no file, so that what has changed was a formatter's work."""
    match event.did:
        case ToolReading() | Looks() | Shell(told=None, call=None):
            return not recorder.awaits(event.did)
    return False


def _steer(event: ToolEvent, root: Path, tool: str) -> str | None:
    """Why an edit of the agent's own tool is stopped. Raises InvalidInput for one elsewhere."""
    paths = find_touched_paths(event.did, root, event.directory)
    if not paths or not all(_is_editable(root, path) for path in paths):
        return None
    text = f" and this text: {event.did.text}" if isinstance(event.did, Editing) else ""
    return (
        "Files of this repository are changed with the tools of the MCP server `hkgit`, so that"
        " commits carry evidence. Without that server, give the edit to `hkgit edit --session"
        f" {event.session}` on standard input in your shell. Call its tool `edit` ({tool}) with"
        f" session {event.session}{text}"
    )


def _is_editable(root: Path, path: str) -> bool:
    """Whether hkgit edits a file: no binary one (UTF-16), none that a filter stores (git LFS)."""
    try:
        with Path(root, path).open("rb") as file:
            if b"\0" in file.read(_BINARY):
                return False
    except (OSError, ValueError):  # a new file, or a directory, which the tool says
        pass
    from hkgit.git.attributes import Unedited  # only where edits are steered

    git_dir = find_git_dir(root)
    try:
        if git_dir is not None:
            Unedited(root, git_dir).expect_plain(path)
    except HkgitError:
        return False
    return True


def _tell_past_hooks(event: ToolEvent, root: Path) -> str | None:
    """What to do about commits that a command has made past git's hooks."""
    if event.is_before or not any("git" in command for command in find_commands(event.did)):
        return None
    from hkgit.sessions.homes import may_wait

    if not may_wait(root):
        return None
    # Few commands leave such commits.
    from hkgit.cli.record_steps import list_commits_past_hooks
    from hkgit.git.repository import Repository

    lines = list_commits_past_hooks(Repository.discover(root))
    return "\n".join(f"hkgit: {line}" for line in lines) or None


def _unread(answer: EditReport) -> str:
    places = ", ".join(f"{each.path}:{each.lines[0]}-{each.lines[1]}" for each in answer.blind)
    mend = " && ".join(dict.fromkeys(each.command for each in answer.blind))
    return (
        f"hkgit: this edit is blind: {places} was not read before it. Read before you edit. So"
        f" that its commit passes, run {mend} and then make the edit again."
    )
