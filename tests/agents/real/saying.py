"""How each agent's own tools say a step: which tool, and what that calls what the step names."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from tests.agents.real.steps import (
    Create,
    Edit,
    Json,
    Ours,
    Read,
    Say,
    Script,
    Search,
    Shell,
    Step,
    call,
    make_patch,
    say_ours,
)

Words = Callable[..., Json]
"""Says what a step names, in the order of its fields."""


def tool(name: str, *arguments: str, **more: Any) -> Words:
    return lambda *told: call(name, **dict(zip(arguments, told, strict=True)), **more)


def speak(words: dict[type, Words]) -> Say:
    """Make what says each step; without a tool for it, it reads and searches in a shell."""

    def say(step: Step) -> Json:
        told: dict[str, Any] = {each.name: getattr(step, each.name) for each in fields(step)}
        if "path" in told:
            told["path"] = f"$ROOT/{told['path']}"
        if type(step) in words:
            return words[type(step)](*told.values())
        match step:
            case Read():
                return say(Shell(f"cat {told['path']}"))
            case Search(word):
                return say(Shell(f"grep -rn {word} ."))
            case Ours() | Script():
                return say_ours(step)
        raise TypeError(f"no agent says a step {type(step).__name__}")

    return say


say_claude = speak(
    {
        Read: tool("Read", "file_path"),
        Edit: tool("Edit", "file_path", "old_string", "new_string"),
        Create: tool("Write", "file_path", "content"),
        Shell: tool("Bash", "command", description="run"),
    }
)
say_codex = speak(
    {
        Edit: lambda *told: call("apply_patch", "custom", input=make_patch(*told)),
        Create: lambda *told: call("apply_patch", "custom", input=make_patch(*told)),
        Shell: tool("exec_command", "cmd"),
        Script: lambda text: call("functions.exec", "custom", input=text),
    }
)
_GEMINI = {
    Read: tool("read_file", "file_path"),
    Create: tool("write_file", "file_path", "content"),
    Search: tool("grep_search", "pattern"),
}
_REPLACED = ("file_path", "old_string", "new_string")
say_gemini = speak(
    _GEMINI
    | {
        Edit: tool("replace", *_REPLACED, instruction="Mend it."),
        Shell: tool("run_shell_command", "command", description="run"),
    }
)
say_qwen = speak(
    _GEMINI
    | {
        Edit: tool("edit", *_REPLACED),
        Shell: tool("run_shell_command", "command", is_background=False),
    }
)
say_opencode = speak(
    {
        Read: tool("read", "filePath"),
        Edit: tool("edit", "filePath", "oldString", "newString"),
        Create: tool("write", "filePath", "content"),
        Shell: tool("bash", "command", description="run"),
        Search: tool("grep", "pattern"),
    }
)
say_pi = speak(
    {
        Read: tool("read", "path"),
        Edit: lambda path, old, new: call(
            "edit", path=path, edits=[{"oldText": old, "newText": new}]
        ),
        Create: tool("write", "path", "content"),
        Shell: tool("bash", "command"),
        Ours: lambda name, arguments: call(name, **arguments),
    }
)
say_cline = speak(
    {
        Read: lambda path: call("read_files", files=[{"path": path}]),
        Edit: tool("editor", "path", "old_text", "new_text"),
        Create: tool("editor", "path", "new_text"),
        Shell: lambda command: call("run_commands", commands=[command]),
        Search: lambda word: call("search_codebase", queries=[word]),
    }
)
say_goose = speak(
    {
        Edit: tool("edit", "path", "before", "after"),
        Create: tool("write", "path", "content"),
        Shell: tool("shell", "command"),
    }
)
_WITH_LINES: Json = {"output_mode": "content", "-n": True}
say_copilot = speak(
    {
        Read: tool("view", "path"),
        Edit: tool("edit", "path", "old_str", "new_str"),
        Create: tool("create", "path", "file_text"),
        Shell: tool("bash", "command", description="run", initial_wait=30),
        Search: tool("grep", "pattern", **_WITH_LINES),
    }
)
