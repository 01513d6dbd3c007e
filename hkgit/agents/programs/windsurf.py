"""Windsurf's Cascade (now Devin Desktop). docs.windsurf.com/windsurf/cascade/hooks.

It names a file that was read, and not the lines that the model was shown; so nothing counts as
read, and its own edits are blind. Steered to hkgit's tools, they are not.
"""

from __future__ import annotations

from pathlib import Path

from hkgit.agents.agent import Agent, HookCommand, Keys, Settings
from hkgit.agents.json_fields import table
from hkgit.agents.tools import SAID, Tool, read_edits, shell
from hkgit.text.strict_json import JsonObject

_BEFORE, _AFTER, _RUN = "pre_write_code", "post_write_code", "post_run_command"


def _build_settings(command: HookCommand) -> Settings:
    run = [{"command": command.guard_in_time(does_stop=command.is_steering)}]
    return {".windsurf/hooks.json": {"hooks": dict.fromkeys((_BEFORE, _AFTER, _RUN), run)}}


def _find_place(info: JsonObject) -> Path:
    """Find where a command ran, or the directory nearest to a file: a workspace has several."""
    if isinstance(info.get("cwd"), str):
        return Path(str(info["cwd"]))
    around = Path(str(info.get("file_path", "."))).parents
    return next((each for each in around if "\0" not in str(each) and each.is_dir()), Path())


EDITS: dict[str, Tool] = {"write_code": read_edits}
LOOKS: dict[str, Tool] = {"run_command": shell("command_line")}


def _reword(payload: JsonObject) -> JsonObject:
    stage, _, tool = str(payload.get("agent_action_name")).partition("_")
    info = table(payload.get("tool_info"))
    # What a command has printed is in no documentation, and counts where it is told.
    said = {"cwd": _find_place(info), "tool_response": info.get("output")}
    return {**payload, "stage": stage, "tool": tool, **said}


AGENT = Agent(
    name="windsurf",
    edits=EDITS,
    looks=LOOKS,
    denial={"deny": SAID},  # the hook's command says it on standard error
    note=None,  # after a call nothing that a hook says is read
    keys=Keys(
        stage="stage",
        before="pre",
        after="post",
        tool="tool",
        arguments="tool_info",
        session="trajectory_id",
    ),
    reword=_reword,
    settings=_build_settings,
    remaining=(
        "connect the server in ~/.codeium/windsurf/mcp_config.json (command hkgit, args mcp)",
        "it does not report what it was shown, so its own edits are blind without --mode steer",
        "where .devin/hooks.json exists, it is read instead: move these hooks there",
    ),
)
