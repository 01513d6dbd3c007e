"""What agents show their models without a call, as `@file`, counts as read.

The lines are those that the programs of `tests/agents/real` write, without what matters to nobody
here.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

import pytest

from tests.agents.streaming import GREETING, Talk, change, session, told
from tests.support.adopting import adopt, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.transcripts import OPENCODE, ClaudeLog, make_database

Line = dict[str, Any]


class Converse(Protocol):
    """Has an agent edit `greet.py`, shown in its prompt or only later; counts blind edits."""

    def __call__(self, prompt: Prompt, *, is_later: bool) -> int: ...


def _attach(attachment: Line) -> Line:
    common = {"isSidechain": False, "sessionId": "s", "version": "2.1.330", "cwd": "$ROOT"}
    time = {"timestamp": "2026-11-24T17:37:37.394Z", "uuid": "ec70db56"}
    return {"type": "attachment", "attachment": attachment} | common | time


def _file(name: str, content: str, first: int = 1) -> Line:
    file = {"filePath": f"$ROOT/{name}", "content": content, "startLine": first}
    kind = {"type": "text", "file": file}
    return _attach({"type": "file", "filename": f"$ROOT/{name}", "content": kind})


def _ask(message: str, call: str) -> Line:
    use = {"type": "tool_use", "id": call, "name": "Edit", "input": {}}
    return {"type": "assistant", "message": {"id": message, "content": [use]}, "sessionId": "s"}


SHOWN = _file("greet.py", GREETING.decode())
RULES = _attach(
    {"type": "instructions", "files": [{"path": "$ROOT/CLAUDE.md", "content": "Be kind.\nSay hi."}]}
)
BELOW = _attach(
    {
        "type": "nested_memory",
        "path": "$ROOT/CLAUDE.md",
        "content": {"path": "$ROOT/CLAUDE.md", "content": "Be kind.\nSay hi.\n"},
    }
)


def _edit(repo: Repo, lines: list[Line], name: str, old: str, *options: str) -> str:
    """Edit a file with Claude Code's own tool; what the model is told before it."""
    transcript = repo.path.parent / "s.jsonl"
    text = "\n".join(map(json.dumps, lines))
    transcript.write_text(text.replace("$ROOT", repo.path.as_posix()) + "\n")
    about = {"transcript_path": str(transcript), "tool_use_id": "toolu_9"}
    talk = Talk(repo.path, "s", *options, **about)
    given = {"file_path": str(repo.path / name), "old_string": old, "new_string": "Hello"}
    if not (said := talk.tell("before", "Edit", **given)):
        change(repo.path / name, (old, "Hello"))
        talk.tell("after", "Edit", **given)
    return said


@cases(
    "lines, name, old, blind",
    {
        "a file of the prompt": ([SHOWN], "greet.py", "Helo", 0),
        "it is asked for": ([SHOWN, _ask("m", "toolu_9")], "greet.py", "Helo", 0),
        "a part": ([_file("greet.py", "def greet(name):")], "greet.py", "Helo", 1),
        "other words": ([_file("greet.py", "Other.\n")], "greet.py", "Helo", 1),
        "shown later": ([_ask("m", "toolu_9"), SHOWN], "greet.py", "Helo", 1),
        "shown by another call of the same answer": (
            [_ask("m", "toolu_8"), SHOWN, _ask("m", "toolu_9")],
            "greet.py",
            "Helo",
            1,
        ),
        "shown by an earlier answer": (
            [_ask("m", "toolu_8"), SHOWN, _ask("n", "toolu_9")],
            "greet.py",
            "Helo",
            0,
        ),
        "instructions": ([RULES], "CLAUDE.md", "Say hi", 0),
        "instructions of a directory": ([BELOW], "CLAUDE.md", "Say hi", 0),
        "another file": ([RULES], "greet.py", "Helo", 1),
    },
)
def test_what_was_attached_before_the_answer_that_edits_has_been_read(
    lines: list[Line], name: str, old: str, blind: int, greeting: Repo
) -> None:
    greeting.commit({"CLAUDE.md": b"Be kind.\nSay hi.\n"})
    _edit(greeting, lines, name, old)
    [call] = session(greeting).calls
    assert call.blind == blind


def test_steered_what_was_attached_counts_for_the_edit_by_the_server(greeting: Repo) -> None:
    assert _edit(greeting, [SHOWN], "greet.py", "Helo", "--steer")
    spec = '{"file": "greet.py", "old_text": "Helo", "new_text": "Hello"}'
    done = run("edit", "--session", "claude-s", stdin=spec.encode(), cwd=greeting.path)
    assert done.code == 0
    assert "blind" not in done.out + done.err


class Prompt:
    """A conversation whose prompt shows `greet.py`, as its agent writes it down."""

    def __init__(self, repo: Repo) -> None:
        self.repo, self.folder = repo, repo.path.parent
        self.path, self.shown = repo.path / "greet.py", GREETING.decode()
        self.transcript = self.folder / "s.jsonl"

    def write(self, asked: Line, answer: Line, *, is_later: bool) -> None:
        """Write the answer that edits down, and the prompt before it, or behind."""
        lines = (answer, asked) if is_later else (asked, answer)
        self.transcript.write_text("".join(f"{json.dumps(each)}\n" for each in lines))

    def edit(self, agent: str, tool: str, **given: object) -> int:
        """How many edits are blind after the agent has made one."""
        about = {"tool_use_id": "call_9", "transcript_path": str(self.transcript)}
        end = Talk(self.repo.path, agent=agent, **about).begin(tool, **given)
        change(self.path, ("Helo", "Hello"))
        end("ok")
        return session(self.repo).blind

    def replace(self, agent: str, tool: str) -> int:
        return self.edit(
            agent, tool, file_path=str(self.path), old_string="Helo", new_string="Hello"
        )


def _qwen(prompt: Prompt, *, is_later: bool) -> int:
    parts = [{"text": f"\nContent from {prompt.path}:\n"}, {"text": prompt.shown}]
    asked = {"type": "user", "uuid": "p", "message": {"role": "user", "parts": parts}}
    use = {"functionCall": {"id": "call_9", "name": "edit", "args": {}}}
    answer = {"type": "assistant", "uuid": "a", "message": {"role": "model", "parts": [use]}}
    prompt.write(asked, answer, is_later=is_later)
    return prompt.replace("qwen", "edit")


def _gemini(prompt: Prompt, *, is_later: bool) -> int:
    parts = [{"text": "\nContent from @greet.py:\n"}, {"text": prompt.shown}]
    asked, answer = {"type": "user", "id": "p", "content": parts}, {"type": "gemini", "id": "a"}
    prompt.write(asked, answer, is_later=is_later)
    return prompt.replace("gemini", "replace")


def _gemini_rules(prompt: Prompt, *, is_later: bool) -> int:
    ends = [f"--- {x}ontext from: {prompt.path} ---" for x in ("C", "End of C")]
    first = {"type": "user", "content": [{"text": f"{ends[0]}\n{prompt.shown}{ends[1]}"}]}
    asked, answer = {"$set": {"messages": [first]}}, {"type": "gemini", "id": "a"}
    prompt.write(asked, answer, is_later=is_later)
    return prompt.replace("gemini", "replace")


def _pi(prompt: Prompt, *, is_later: bool) -> int:
    said = f'<file name="{prompt.path}">\n{prompt.shown}\n</file>\nMend it.'
    asked = {"id": "p", "message": {"role": "user", "content": [{"type": "text", "text": said}]}}
    answer = {"id": "a", "message": {"role": "assistant", "content": [{"id": "call_9"}]}}
    prompt.write(asked, answer, is_later=is_later)
    edits = [{"oldText": "Helo", "newText": "Hello"}]
    return prompt.edit("pi", "edit", path=str(prompt.path), edits=edits)


def _opencode(prompt: Prompt, *, is_later: bool, name: str = "opencode") -> int:
    asked = f'Called the Read tool with the following input: {{"filePath": "{prompt.path}"}}'
    lines = enumerate(prompt.shown.splitlines(), 1)
    shown = "".join(f"{number}: {line}\n" for number, line in lines)
    texts = [] if is_later else [asked, f"<path>{prompt.path}</path>\n{shown}"]
    kind = {"type": "text", "synthetic": True}
    parts = [
        (f"p{number}", "m1", "s", number, json.dumps(kind | {"text": text}))
        for number, text in enumerate(texts)
    ]
    sessions = [("s", str(prompt.repo.path), "1")]
    make_database(prompt.folder / name / f"{name}.db", OPENCODE, sessions, parts)
    words = {"oldString": "Helo", "newString": "Hello"}
    return prompt.edit(name, "edit", filePath=str(prompt.path), **words)


def _kilo(prompt: Prompt, *, is_later: bool) -> int:
    return _opencode(prompt, is_later=is_later, name="kilo")


def _cline(prompt: Prompt, *, is_later: bool) -> int:
    place = prompt.folder / "data" / "sessions" / "s" / "s.messages.json"
    place.parent.mkdir(parents=True)
    part = {"type": "file", "path": str(prompt.path), "content": prompt.shown}
    messages = [{"id": "p", "role": "user", "content": [] if is_later else [part]}]
    place.write_text(json.dumps({"sessionId": "s", "messages": messages}))
    given = {"path": str(prompt.path), "old_text": "Helo", "new_text": "Hello"}
    call = {"name": "editor", "input": given, "output": {"success": True, "result": "ok"}}
    common = {"sessionContext": {"rootSessionId": "s"}, "workspaceRoots": [str(prompt.repo.path)]}
    told("cline", common | {"hookName": "tool_call", "tool_call": call})
    change(prompt.path, ("Helo", "Hello"))
    told("cline", common | {"hookName": "tool_result", "tool_result": call})
    return session(prompt.repo).blind


@pytest.mark.parametrize("is_later", [False, True], ids=["before", "later or never"])
@pytest.mark.parametrize(
    "converse",
    [_qwen, _gemini, _gemini_rules, _pi, _opencode, _kilo, _cline],
    ids=lambda x: x.__name__,
)
def test_a_file_in_the_prompt_has_been_read(
    converse: Converse, is_later: bool, greeting: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "CLINE_DIR"):
        monkeypatch.setenv(name, str(greeting.path.parent))
    assert converse(Prompt(greeting), is_later=is_later) == is_later


@pytest.mark.parametrize(
    ("folder", "blind"), [(".", 0), ("sub", 0), ("..", 1)], ids=["here", "below", "elsewhere"]
)
def test_the_instructions_of_codex_have_been_read(folder: str, blind: int, greeting: Repo) -> None:
    greeting.commit({"AGENTS.md": GREETING, "sub/a.txt": b"a\n"})
    prompt = Prompt(greeting)
    prompt.path = greeting.path / "AGENTS.md"
    place = (greeting.path / folder).resolve()
    rules = f"<INSTRUCTIONS>\n{prompt.shown}\n</INSTRUCTIONS>"
    part = {"type": "input_text", "text": f"# AGENTS.md instructions for {place}\n\n{rules}"}
    shown = {"type": "response_item", "payload": {"role": "user", "content": [part]}}
    prompt.write(shown, {}, is_later=False)
    lines = '@@\n-    print("Helo, " + name)\n+    print("Hello, " + name)\n'
    patch = f"*** Begin Patch\n*** Update File: AGENTS.md\n{lines}*** End Patch\n"
    assert prompt.edit("codex", "apply_patch", command=patch) == blind


def test_adopt_finds_what_was_attached(greeting: Repo) -> None:
    greeting.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
    log = ClaudeLog(greeting.path)
    log.edit("greet.py", "Helo", "Hello", GREETING.decode())
    about = {"sessionId": "5945-5d2e", "timestamp": "2024-05-05T00:00:00Z"}
    log.lines.insert(0, json.dumps(SHOWN | about).replace("$ROOT", greeting.path.as_posix()))
    assert explained(adopt(greeting, log, "-n")) == [("greet.py", [2, 2], "receipt")]
