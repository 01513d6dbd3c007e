"""What programs have really sent: parallel calls, patches, failing commands, cut answers."""

import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.programs import gemini
from hkgit.agents.programs.codex import find_script_output
from hkgit.sessions import homes as places
from tests.agents.streaming import GREETING, Talk, replay, session, statuses, stream, told
from tests.sessions.test_bypassing import HOOKS_OFF
from tests.support.cases import cases
from tests.support.commands import AGENT, loaded_path, start
from tests.support.commits import TAKES_LATE
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard

MANY = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(1, 16)).encode()
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "execution_count": None, "id": "c1", "metadata": {}}
        | {"outputs": [], "source": ["x = 1\n"]}
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
SHELL = "run_shell_command"
LONG = "".join(f"v{n} = 1\n" for n in range(1, 4001))


@pytest.fixture
def seeded(repo: Repo) -> Repo:
    """The repository that the programs worked in."""
    files = {"greet.py": GREETING, "other.py": MANY, "part.py": MANY, "long.py": LONG.encode()}
    files |= {"multi.py": b"one = 1\ntwo = 2\nthree = 3\nfour = 4\n"}
    files |= {"many.py": b"a = old_name\nb = old_name\nc = old_name + 1\n"}
    files |= {"sub/inner.py": b"x = 1\ny = 2\nz = 3\n", ".gitattributes": b"* -text\n"}
    files |= {"quotes.md": "It\u2019s \u201cfine\u201d.\nSecond line.\n".encode()}
    repo.commit(files | {"nb.ipynb": json.dumps(NOTEBOOK, indent=1).encode() + b"\n"})
    return repo


MULTI, GREET, INNER = "multi.py:1-4", "greet.py:1-5", "sub/inner.py:1-3"
BLIND_IN_SHELL = "multi.py:4-4, quotes.md:1-2 was not read"
SENT: dict[str, tuple[list[list[str]], str, str]] = {
    # Two edits of a file at once.
    "copilot-parallel": ([["multi.py", "multi.py"]], "", MULTI),
    "opencode-parallel": ([["multi.py", "multi.py"]], "", MULTI),
    # A patch comes as a bare string; the tool took a blank line at the end of the file too.
    "copilot-patch": ([["greet.py", "other.py, 2 blind"]], "other.py", GREET),
    # A command in another directory reads there.
    "gemini-subdir": ([["sub/inner.py"]], "", INNER),
    "opencode-subdir": ([["sub/inner.py"]], "", INNER),
    "qwen-subdir": ([["sub/inner.py"]], "", INNER),
    "claude-shell": (
        [["made.py multi.py quotes.md quotes2.md, 2 blind", "sub/inner.py"]],
        BLIND_IN_SHELL,
        INNER,
    ),
    "claude-failing": ([["part.py"]], "", "part.py:1-60 other.py:23-29"),
    # It has an event of its own for commands that failed; the first line stands behind a word.
    "qwen-failing": ([["seen/fails.py"]], "", "seen/fails.py:1-60"),
    # It takes `sed -i` for an edit, and refuses it where its own tool has not read the file.
    "qwen-sed": ([["greet.py"]], "", GREET),
    "claude-notebook": ([["nb.ipynb"]], "", "nb.ipynb:3-10"),
    # A sub-agent's own edit rests on what it read; that of the agent which has called it does not.
    "claude-sub": ([["multi.py, 1 blind"], ["greet.py"]], "multi.py", GREET),
    # Codex carries a patch in its shell out by itself, and says nothing after it.
    "codex-heredoc": ([["many.py"]], "", "many.py:1-3"),
    # The second script prints what it reads, and edits before the model sees it.
    "codex-script": ([["greet.py", "part.py, 1 blind"]], "part.py", f"{GREET} part.py:1-6"),
}
"""Of each stream the calls of its sessions, what the model is told, and what it has read."""


@pytest.mark.parametrize("name", SENT)
def test_what_was_sent_is_recorded(name: str, seeded: Repo) -> None:
    recorded, remark, read = SENT[name]
    said = [str(answer) for answer in replay(name, seeded) if answer]
    known = sorted(statuses(seeded), key=lambda status: len(status.session))
    assert [[*map(_describe, status.calls)] for status in known] == recorded
    assert len(said) == bool(remark)
    assert remark in "".join(said)
    found = {f"{r.path}:{r.start_line}-{r.end_line}" for each in known for r in each.receipts}
    assert found >= {*read.split()}
    assert all(each.session.startswith(known[0].session) for each in known)


def _describe(call: Any) -> str:
    return " ".join(sorted(call.files)) + (f", {call.blind} blind" if call.blind else "")


def test_copilots_patches_are_steered(seeded: Repo) -> None:
    lines = [line["input"] for line in stream("copilot-patch", seeded) if "input" in line]
    patch = next(line for line in lines if line["toolName"] == "apply_patch")
    assert told("copilot", patch, "--steer")["permissionDecision"] == "deny"


def test_a_cell_that_was_not_shown_is_not_read(seeded: Repo) -> None:
    lines = [line for line in stream("claude-notebook", seeded) if "Read" not in json.dumps(line)]
    replay("claude", seeded, lines=lines)
    assert session(seeded).blind == 1


def test_a_patch_that_failed_leaves_nothing(seeded: Repo) -> None:
    lines = (line for line in stream("codex-heredoc", seeded) if "disk" not in line)
    replay("codex", seeded, lines=lines)
    assert session(seeded).calls == ()


def test_a_patch_in_codexs_shell_is_steered(seeded: Repo) -> None:
    answers = replay("codex-heredoc", seeded, "--steer")
    assert [("*** Begin Patch" in str(answer)) for answer in answers].count(True) == 1


def test_without_a_transcript_nothing_of_a_script_was_read(seeded: Repo) -> None:
    lines = [line for line in stream("codex-script", seeded) if "log" not in line]
    replay("codex", seeded, lines=lines)
    assert session(seeded).blind == 2


@cases(
    "text",
    {
        "nothing": "",
        "no JSON": "{\n[1]\n7\nitem_completed\n",
        "no output": '{"payload": {"type": "item_completed", "item": {"id": "c"}}}',
        "an output before the call": (
            '{"payload": {"type": "custom_tool_call_output", "output": "x"}}\n'
            '{"payload": {"type": "item_completed", "item": {"id": "c"}}}'
        ),
        "the end of another call": (
            '{"payload": {"type": "item_started", "item": {"id": "c", "is": "item_completed"}}}\n'
            '{"payload": {"type": "custom_tool_call_output", "output": "x"}}'
        ),
    },
)
def test_a_transcript_that_does_not_say(tmp_path: Path, text: str) -> None:
    (tmp_path / "log").write_text(text)
    assert find_script_output(tmp_path / "log", "c") is None
    assert find_script_output(tmp_path / "none", "c") is None


def _known(repo: Repo) -> list[tuple[int, int]]:
    return [(read.start_line or 0, read.end_line or 0) for read in session(repo).receipts]


def _tell(repo: Repo, agent: str, tool: str, answer: str, **given: object) -> None:
    """Tell the hook after a call."""
    if agent != "copilot":
        Talk(repo.path, agent=agent).tell("after", tool, answer, **given)
        return
    result = {"resultType": "success", "textResultForLlm": answer}
    call = {"toolName": tool, "toolArgs": given, "toolResult": result}
    told("copilot", {"sessionId": "s", "cwd": str(repo.path)} | call)


@cases(
    "call, answer, shown",
    {
        "OpenCode's cap leaves the lines that it shows": (
            ("opencode", "read", {"filePath": "long.py"}),
            "<path>long.py</path>\n<type>file</type>\n<content>\n"
            + "".join(f"{n}: v{n} = 1\n" for n in range(1, 703))
            + "\n(Output capped at 50 KB. Showing lines 1-702. Use offset=703 to continue.)\n"
            "</content>",
            [(1, 702)],
        ),
        "OpenCode keeps the end of a long output": (
            ("opencode", "bash", {"command": "cat long.py"}),
            "...output truncated...\n\nFull output saved to: /home/a/.local/share/opencode/"
            "tool-output/tool_2026a478f0015qhN9vhe4J4jbR\n\n"
            + "".join(LONG.splitlines(keepends=True)[3000:]),
            [(3001, 4000)],
        ),
        "a file too large for Copilot was not seen": (
            ("copilot", "view", {"path": "long.py"}),
            "File too large to read at once (51.7 KB). Consider using the grep tool to search"
            " within the file, or view with view_range to read specific sections.",
            [],
        ),
        "Copilot's range is what stands in its answer": (
            ("copilot", "view", {"path": "long.py", "view_range": [30, -1]}),
            "\n".join(f"v{n} = 1" for n in range(30, 41)),
            [(30, 40)],
        ),
        "of a long output Copilot shows the beginning": (
            ("copilot", "bash", {"command": "cat long.py"}),
            "Output too large to read at once (143.5 KB). Saved to: /tmp/1795337484116-copilot-"
            "tool-output-19.txt\nConsider using tools like grep (for searching).\n\nPreview (first"
            " 500 chars):\nv1 = 1\nv2 = 1\nv3 = \n<shellId: 2 completed with exit code 0>",
            [(1, 2)],
        ),
    },
)
def test_of_what_an_agent_cuts_only_what_it_shows_counts(
    call: tuple[str, str, dict[str, Any]],
    answer: str,
    shown: list[tuple[int, int]],
    seeded: Repo,
) -> None:
    agent, tool, given = call
    _tell(seeded, agent, tool, answer, **given)
    assert (_known(seeded) if places.find_folders(seeded.path) else []) == shown


def _run_in_gemini(repo: Repo, output: str, command: str = "cat long.py") -> str:
    """Tell the hook of a command; what the model is told."""
    shown = f"<untrusted_context>\nOutput: {output}Process Group PGID: 40\n</untrusted_context>"
    answer = {"llmContent": shown, "returnDisplay": output}
    return Talk(repo.path, agent="gemini").tell("after", SHELL, answer, command=command)


def test_the_middle_that_gemini_leaves_out_was_not_seen(seeded: Repo) -> None:
    """Its hook is given the whole output, of which the model sees 8,000 and 32,000 characters."""
    long = "".join(f"value_{n} = {n}\n" for n in range(1, 4001))
    seeded.write("long.py", long.encode())
    _run_in_gemini(seeded, long)
    (first, head), (tail, last) = _known(seeded)
    assert (first, last) == (1, 4000)
    assert len("".join(long.splitlines(keepends=True)[:head])) <= 8000
    assert len("".join(long.splitlines(keepends=True)[tail - 1 :])) <= 32000
    assert (head, tail) == (511, 2226)


@pytest.mark.parametrize("variable", ["HOME", "GEMINI_CLI_HOME"])
def test_a_setting_of_geminis_leaves_out_more(
    variable: str, seeded: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / ".gemini").mkdir()
    settings = {"tools": {"truncateToolOutputThreshold": 1000}}
    (tmp_path / gemini.SETTINGS).write_text(json.dumps(settings))
    _run_in_gemini(seeded, LONG)
    assert sum(last - first + 1 for first, last in _known(seeded)) < 120


@pytest.fixture
def gated(seeded: Repo, monkeypatch: pytest.MonkeyPatch, clock: None) -> Repo:
    """The repository, held to its gate, with commits dated now."""
    guard(seeded, {".hkgit/config.toml": TAKES_LATE})
    monkeypatch.setenv("PATH", loaded_path()["PATH"])
    return seeded


def _run(repo: Repo, command: str, env: Mapping[str, str] | None = None) -> tuple[bool, str]:
    """Whether a command succeeds, and what it says."""
    done = start("sh", "-c", command, cwd=repo.path, env=env)
    return done.returncode == 0, done.stdout + done.stderr


def test_a_commit_of_shell_edits_is_refused_until_they_are_read(gated: Repo) -> None:
    replay("claude-shell", gated)
    _, said = _run(gated, "git add -A && git commit -q -m 'By shell'", AGENT)
    [mend] = re.findall(r"fix: (.*?)(?:  #.*)?$", said, re.MULTILINE)
    assert _run(gated, f"{mend} && git commit -q -m 'By shell'", AGENT)[0]
    assert run("gate", "--range", "HEAD~1..HEAD", cwd=gated.path).code == 0


def test_two_blind_places_of_a_patch_are_mended_by_what_is_said(gated: Repo) -> None:
    replay("copilot-patch", gated)
    is_well, said = _run(gated, "git add -A && git commit -m Patch")
    assert not is_well
    [mend] = re.findall(r"fix: (.*?)(?:  #.*)?$", said, re.MULTILINE)
    assert mend.count("hkgit read") == 2
    assert _run(gated, f"{mend} >/dev/null && git commit -q -m Patch")[0]


def test_a_commit_in_geminis_shell_is_told_to_the_model_and_mended(gated: Repo) -> None:
    replay("gemini", gated)
    assert _run(gated, "git add -A && git commit -q -m Work", HOOKS_OFF) == (True, "")
    said = _run_in_gemini(gated, "", "git add -A && git commit -m Work")
    mended = _run(gated, said.rpartition("fix: ")[2], HOOKS_OFF)
    assert mended[0], mended[1]
    assert gated.git("log", "-1", "--format=%B").count("Hkgit-Entry: ") == 2
    assert _run_in_gemini(gated, "", "git status") == ""


def test_an_edit_that_gemini_commits_in_the_same_command_is_told_and_mended(
    gated: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run_in_gemini(gated, gated.read("greet.py").decode(), "cat greet.py")
    command = "sed -i s/Helo/Hello/ greet.py && git commit -qam Work"
    Talk(gated.path, agent="gemini").begin(SHELL, command=command)
    minute_ago = int(time.time()) - 60
    [begun] = gated.path.glob(".git/hkgit/sessions/*/aside/shell-*.json")
    os.utime(begun, (minute_ago, minute_ago))
    with monkeypatch.context() as patch:
        for name, value in {**HOOKS_OFF, "GIT_COMMITTER_DATE": f"@{minute_ago} +0000"}.items():
            patch.setenv(name, value)  # the command ran on
        assert _run(gated, command) == (True, "")
        told_words = _run_in_gemini(gated, "", command)
        assert "blind" not in told_words
        assert "bypassed git's hooks" in run("doctor", cwd=gated.path).out
        mended = _run(gated, told_words.rpartition("fix: ")[2])
    assert mended[0], mended[1]
    assert "strict" in run("gate", "--range", "HEAD~1..HEAD", cwd=gated.path).out
    assert _run_in_gemini(gated, "", "git status") == ""


def _format(repo: Repo, *, after: float) -> None:
    """What a formatter does to a file, so many seconds after the last edit."""
    repo.write("greet.py", repo.read("greet.py").replace(b'"', b"'"))
    written = time.time() + after
    os.utime(repo.path / "greet.py", (written, written))


@pytest.mark.parametrize("after", [0.5, 60], ids=["a formatter", "a person"])
def test_what_is_written_within_moments_is_the_agents(after: float, gated: Repo) -> None:
    """Gemini runs its hooks side by side: a formatter writes after hkgit has recorded."""
    replay("gemini", gated)
    _format(gated, after=after)
    is_well, said = _run(gated, "git add -A && git commit -q -m Work")
    if after > 1:
        assert (is_well, "bytes that no entry explains" in said) == (False, True)
        return
    assert is_well, said
    assert session(gated).uncommitted == 0
    listed = run("log", "-n", "1", cwd=gated.path).out
    assert ("strict" in listed, "unknown" in listed) == (True, False)


def test_a_formatter_that_is_late_is_taken_in_by_the_next_call(gated: Repo) -> None:
    lines = list(stream("gemini", gated))
    replay("gemini", gated, lines=lines[:5])
    _format(gated, after=0.5)
    replay("gemini", gated, lines=lines[5:])
    files = [call.files for call in session(gated).calls]
    assert files == [("greet.py",), ("greet.py",), ("notes.txt",)]
