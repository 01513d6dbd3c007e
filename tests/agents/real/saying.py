"""How each agent's own tools say a step."""

from __future__ import annotations

from tests.agents.real.steps import (
    Create,
    Edit,
    Json,
    Ours,
    Read,
    Script,
    Search,
    Shell,
    Step,
    call,
    make_patch,
    say_ours,
)


def say_claude(step: Step) -> Json:
    match step:
        case Read(path):
            return call("Read", file_path=f"$ROOT/{path}")
        case Edit(path, old, new):
            return call("Edit", file_path=f"$ROOT/{path}", old_string=old, new_string=new)
        case Create(path, text):
            return call("Write", file_path=f"$ROOT/{path}", content=text)
        case Shell(command):
            return call("Bash", command=command, description="run")
        case Search(word):
            return say_claude(Shell(f"grep -rn {word} ."))
        case Ours() | Script():
            return say_ours(step)


def say_codex(step: Step) -> Json:
    match step:
        case Read(path):
            return call("exec_command", cmd=f"cat $ROOT/{path}")
        case Edit() | Create():
            return call("apply_patch", "custom", input=make_patch(step))
        case Shell(command):
            return call("exec_command", cmd=command)
        case Search(word):
            return say_codex(Shell(f"grep -rn {word} ."))
        case Script(text):
            return call("functions.exec", "custom", input=text)
        case Ours():
            return say_ours(step)


def say_gemini(step: Step) -> Json:
    match step:
        case Read(path):
            return call("read_file", file_path=f"$ROOT/{path}")
        case Edit(path, old, new):
            named = {"file_path": f"$ROOT/{path}", "instruction": "Mend it."}
            return call("replace", **named, old_string=old, new_string=new)
        case Create(path, text):
            return call("write_file", file_path=f"$ROOT/{path}", content=text)
        case Shell(command):
            return call("run_shell_command", command=command, description="run")
        case Search(word):
            return call("grep_search", pattern=word)
        case Ours() | Script():
            return say_ours(step)


def say_qwen(step: Step) -> Json:
    match step:
        case Read(path):
            return call("read_file", file_path=f"$ROOT/{path}")
        case Edit(path, old, new):
            return call("edit", file_path=f"$ROOT/{path}", old_string=old, new_string=new)
        case Create(path, text):
            return call("write_file", file_path=f"$ROOT/{path}", content=text)
        case Shell(command):
            return call("run_shell_command", command=command, is_background=False)
        case Search(word):
            return call("grep_search", pattern=word)
        case Ours() | Script():
            return say_ours(step)


def say_opencode(step: Step) -> Json:
    match step:
        case Read(path):
            return call("read", filePath=f"$ROOT/{path}")
        case Edit(path, old, new):
            return call("edit", filePath=f"$ROOT/{path}", oldString=old, newString=new)
        case Create(path, text):
            return call("write", filePath=f"$ROOT/{path}", content=text)
        case Shell(command):
            return call("bash", command=command, description="run")
        case Search(word):
            return call("grep", pattern=word)
        case Ours() | Script():
            return say_ours(step)


def say_pi(step: Step) -> Json:
    match step:
        case Read(path):
            return call("read", path=f"$ROOT/{path}")
        case Edit(path, old, new):
            edits = [{"oldText": old, "newText": new}]
            return call("edit", path=f"$ROOT/{path}", edits=edits)
        case Create(path, text):
            return call("write", path=f"$ROOT/{path}", content=text)
        case Shell(command):
            return call("bash", command=command)
        case Search(word):
            return say_pi(Shell(f"grep -rn {word} ."))
        case Ours(tool, arguments):
            return call(tool, **arguments)
        case Script():
            return say_ours(step)


def say_cline(step: Step) -> Json:
    match step:
        case Read(path):
            return call("read_files", files=[{"path": f"$ROOT/{path}"}])
        case Edit(path, old, new):
            return call("editor", path=f"$ROOT/{path}", old_text=old, new_text=new)
        case Create(path, text):
            return call("editor", path=f"$ROOT/{path}", new_text=text)
        case Shell(command):
            return call("run_commands", commands=[command])
        case Search(word):
            return call("search_codebase", queries=[word])
        case Ours() | Script():
            return say_ours(step)


def say_goose(step: Step) -> Json:
    match step:
        case Read(path):
            return call("shell", command=f"cat $ROOT/{path}")
        case Edit(path, old, new):
            return call("edit", path=f"$ROOT/{path}", before=old, after=new)
        case Create(path, text):
            return call("write", path=f"$ROOT/{path}", content=text)
        case Shell(command):
            return call("shell", command=command)
        case Search(word):
            return say_goose(Shell(f"grep -rn {word} ."))
        case Ours() | Script():
            return say_ours(step)


def say_copilot(step: Step) -> Json:
    match step:
        case Read(path):
            return call("view", path=f"$ROOT/{path}")
        case Edit(path, old, new):
            return call("edit", path=f"$ROOT/{path}", old_str=old, new_str=new)
        case Create(path, text):
            return call("create", path=f"$ROOT/{path}", file_text=text)
        case Shell(command):
            return call("bash", command=command, description="run", initial_wait=30)
        case Search(word):
            options: Json = {"output_mode": "content", "-n": True}
            return call("grep", pattern=word, **options)
        case Ours() | Script():
            return say_ours(step)
