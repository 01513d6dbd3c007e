"""Windsurf's Cascade (now Devin Desktop). docs.windsurf.com/windsurf/cascade/hooks.

It names a file that was read, and not the lines that the model was shown; so nothing counts as
read, and its own edits are blind. Steered to hkgit's tools, they are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hkgit.agents.events import Did, Shell, ToolEvent
from hkgit.agents.setup.settings import JsonPart, Part, guard_in_time, is_steering
from hkgit.agents.tools import SAID, make_editing, session_name, text_of
from hkgit.text.strict_json import JsonObject

NAME = "windsurf"
EDIT_TOOL = "edit"
DENIAL: JsonObject = {"deny": SAID}  # the hook's command says it on standard error
NOTE: JsonObject | None = None  # after a call nothing that a hook says is read

_BEFORE, _AFTER, _RUN = "pre_write_code", "post_write_code", "post_run_command"


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it; its servers stand in a file of the user's."""
    run = [{"command": guard_in_time(command, does_stop=is_steering(command))}]
    hooks = dict.fromkeys((_BEFORE, _AFTER, _RUN), run)
    owner = f"hkgit hook {NAME}"
    return [JsonPart(".windsurf/hooks.json", {"hooks": hooks}, owner=owner)]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    name, info = payload.get("agent_action_name"), payload.get("tool_info")
    if name not in (_BEFORE, _AFTER, _RUN) or not isinstance(info, dict):
        return None
    did = _run(info) if name == _RUN else _edit(info)
    session = session_name(NAME, payload.get("trajectory_id"))
    if did is None:
        return None
    return ToolEvent(
        is_before=name == _BEFORE,
        session=session,
        directory=_find_place(info),
        did=did,
    )


def _edit(info: Mapping[str, object]) -> Did | None:
    path = info.get("file_path")
    return make_editing(path, info.get("edits")) if isinstance(path, str) else None


def _run(info: Mapping[str, object]) -> Did | None:
    """A command; what it has printed is in no documentation, and counts where it is told."""
    command = info.get("command_line")
    return Shell(command, text_of(info.get("output"))) if isinstance(command, str) else None


def _find_place(info: Mapping[str, object]) -> Path:
    """Find where a command ran, or the directory nearest to a file: a workspace has several."""
    if isinstance(info.get("cwd"), str):
        return Path(str(info["cwd"]))
    around = Path(str(info.get("file_path", "."))).parents
    return next((each for each in around if "\0" not in str(each) and each.is_dir()), Path())
