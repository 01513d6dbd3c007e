"""Edits past the edit tools, and readings that the model saw a part of, as really sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.programs.codex import find_script_output
from tests.agents.streaming import GREETING, replay, session, statuses, stream
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

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


@pytest.fixture
def seeded(repo: Repo) -> Repo:
    """The repository that the programs worked in."""
    files = {
        "greet.py": GREETING,
        "other.py": MANY,
        "part.py": MANY,
        ".gitattributes": b"* -text\n",
    }
    files |= {"multi.py": b"one = 1\ntwo = 2\nthree = 3\nfour = 4\n"}
    files |= {"many.py": b"a = old_name\nb = old_name\nc = old_name + 1\n"}
    files |= {"sub/inner.py": b"x = 1\ny = 2\nz = 3\n"}
    files |= {"quotes.md": "It\u2019s \u201cfine\u201d.\nSecond line.\n".encode()}
    repo.commit(files | {"nb.ipynb": json.dumps(NOTEBOOK, indent=1).encode() + b"\n"})
    return repo


def _remarks(answers: list[dict[str, Any]]) -> list[str]:
    outputs = (answer.get("hookSpecificOutput", {}) for answer in answers)
    return [output["additionalContext"] for output in outputs if "additionalContext" in output]


def test_what_claude_changes_in_its_shell_is_recorded(seeded: Repo) -> None:
    answers = replay("claude-shell", seeded)
    status = session(seeded)
    assert [sorted(call.files) for call in status.calls] == [
        ["made.py", "multi.py", "quotes.md", "quotes2.md"],
        ["sub/inner.py"],
    ]
    assert [call.blind for call in status.calls] == [2, 0]
    [remark] = _remarks(answers)
    assert "multi.py:4-4, quotes.md:1-2 was not read" in remark


def test_a_commit_of_shell_edits_is_refused_until_they_are_read(seeded: Repo) -> None:
    run("init", cwd=seeded.path)
    seeded.write(".hkgit/config.toml", '[gate]\naccept = ["hash", "receipt", "late"]\n')
    preload_hooks(seeded)
    seeded.git("add", ".hkgit")
    seeded.git("commit", "-q", "-m", "Set up")
    replay("claude-shell", seeded)
    seeded.git("add", "-A")
    assert run("record", "--staged", cwd=seeded.path).code == 0
    refused = run("gate", "--staged", cwd=seeded.path)
    assert refused.code != 0
    [mend] = [
        line.split("fix: ")[1] for line in refused.stdout.decode().splitlines() if "fix: " in line
    ]
    for command in mend.split("  #")[0].split(" && "):
        assert run(*command.split()[1:], cwd=seeded.path).code == 0
    seeded.git("commit", "-q", "-m", "By shell")
    assert run("gate", "--range", "HEAD~1..HEAD", cwd=seeded.path).code == 0


def test_the_output_of_a_command_that_failed_counts(seeded: Repo) -> None:
    replay("claude-failing", seeded)
    status = session(seeded)
    assert (len(status.calls), status.blind) == (1, 0)
    assert {each.path for each in status.receipts} == {"part.py", "other.py"}


def test_what_qwen_tells_of_commands_that_failed_counts(seeded: Repo) -> None:
    """It has an event of its own for these; the first line shown stands behind a word."""
    replay("qwen-failing", seeded)
    status = session(seeded)
    [read] = status.receipts
    assert (read.path, read.start_line, read.end_line) == ("seen/fails.py", 1, 60)
    assert (len(status.calls), status.blind) == (1, 0)


def test_of_qwens_sed_that_is_recorded_which_came_of_it(seeded: Repo) -> None:
    """It takes `sed -i` for an edit, and refuses it where its own tool has not read the file."""
    replay("qwen-sed", seeded)
    status = session(seeded)
    assert [(call.files, call.blind) for call in status.calls] == [(("greet.py",), 0)]


def test_a_cell_of_a_notebook_is_read_and_edited(seeded: Repo) -> None:
    assert _remarks(replay("claude-notebook", seeded)) == []
    status = session(seeded)
    assert [(call.files, call.blind) for call in status.calls] == [(("nb.ipynb",), 0)]


def test_a_cell_that_was_not_shown_is_not_read(seeded: Repo) -> None:
    lines = [line for line in stream("claude-notebook", seeded) if "Read" not in json.dumps(line)]
    replay("claude", seeded, lines=lines)
    assert session(seeded).blind == 1


def test_what_a_sub_agent_read_is_its_own(seeded: Repo) -> None:
    """Its own edit rests on it; that of the agent which has called it does not."""
    answers = replay("claude-sub", seeded)
    agent, sub_agent = sorted(statuses(seeded), key=lambda status: len(status.session))
    assert sub_agent.session.startswith(agent.session + "-")
    assert (agent.blind, sub_agent.blind) == (1, 0)
    assert len(_remarks(answers)) == 1


def test_a_patch_in_codexs_shell_is_recorded_at_the_next_event(seeded: Repo) -> None:
    """Codex carries it out by itself, and says nothing after it."""
    replay("codex-heredoc", seeded)
    status = session(seeded)
    assert [(call.files, call.blind) for call in status.calls] == [(("many.py",), 0)]


def test_a_patch_that_failed_leaves_nothing(seeded: Repo) -> None:
    lines = (line for line in stream("codex-heredoc", seeded) if "disk" not in line)
    replay("codex", seeded, lines=lines)
    assert session(seeded).calls == ()


def test_a_patch_in_codexs_shell_is_steered(seeded: Repo) -> None:
    answers = replay("codex-heredoc", seeded, "--steer")
    assert [("*** Begin Patch" in str(answer)) for answer in answers].count(True) == 1


def test_of_a_script_only_what_it_passed_on_was_read(seeded: Repo) -> None:
    """The second script prints what it reads, and edits before the model sees it."""
    answers = replay("codex-script", seeded)
    status = session(seeded)
    assert [(call.files, call.blind) for call in status.calls] == [
        (("greet.py",), 0),
        (("part.py",), 1),
    ]
    assert len(_remarks(answers)) == 1
    assert {each.path for each in status.receipts} >= {"greet.py", "part.py"}


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
    },
)
def test_a_transcript_that_does_not_say(tmp_path: Path, text: str) -> None:
    (tmp_path / "log").write_text(text)
    assert find_script_output(tmp_path / "log", "c") is None
    assert find_script_output(tmp_path / "none", "c") is None
