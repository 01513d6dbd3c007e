"""What programs have really sent that is unlike the rest: parallel calls, patches, cut answers."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.programs import gemini
from hkgit.sessions import homes as places
from tests.agents.streaming import GREETING, Talk, replay, session, stream, told
from tests.sessions.test_bypassing import HOOKS_OFF
from tests.support.commands import loaded_path, start
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import preload_hooks

MANY = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(1, 16)).encode()
SHELL = "run_shell_command"
LONG = "".join(f"v{n} = 1\n" for n in range(1, 4001))


@pytest.fixture
def seeded(repo: Repo) -> Repo:
    """The repository that the programs worked in."""
    files = {"greet.py": GREETING, "other.py": MANY, "long.py": LONG.encode()}
    files |= {"multi.py": b"one = 1\ntwo = 2\nthree = 3\nfour = 4\n"}
    repo.commit(files | {"sub/inner.py": b"x = 1\ny = 2\nz = 3\n", ".gitattributes": b"* -text\n"})
    return repo


@pytest.mark.parametrize("agent", ["copilot", "opencode"])
def test_of_two_edits_of_a_file_at_once_both_are_recorded(agent: str, seeded: Repo) -> None:
    replay(f"{agent}-parallel", seeded)
    status = session(seeded)
    assert [call.edits for call in status.calls] == [1, 1]
    assert status.blind == 0


def test_copilots_patches_are_recorded(seeded: Repo) -> None:
    """A patch comes as a bare string; the tool took a blank line at the end of the file too."""
    answers = replay("copilot-patch", seeded)
    assert [call.files for call in session(seeded).calls] == [("greet.py",), ("other.py",)]
    assert "other.py" in answers[-1]["additionalContext"]


def test_copilots_patches_are_steered(seeded: Repo) -> None:
    lines = [line["input"] for line in stream("copilot-patch", seeded) if "input" in line]
    patch = next(line for line in lines if line["toolName"] == "apply_patch")
    assert told("copilot", patch, "--steer")["permissionDecision"] == "deny"


@pytest.mark.parametrize("agent", ["gemini", "opencode", "qwen"])
def test_a_command_that_ran_in_another_directory_is_a_reading_there(
    agent: str, seeded: Repo
) -> None:
    replay(f"{agent}-subdir", seeded)
    assert (len(session(seeded).calls), session(seeded).blind) == (1, 0)


def _known(repo: Repo) -> list[tuple[int, int]]:
    return [(read.start_line or 0, read.end_line or 0) for read in session(repo).receipts]


def test_opencodes_cap_leaves_only_the_lines_that_it_shows(seeded: Repo) -> None:
    shown = "\n".join(f"{n}: v{n} = 1" for n in range(1, 703))
    answer = (
        f"<path>{seeded.path}/long.py</path>\n<type>file</type>\n<content>\n{shown}\n\n(Output"
        " capped at 50 KB. Showing lines 1-702. Use offset=703 to continue.)\n</content>"
    )
    talk = Talk(seeded.path, agent="opencode")
    talk.tell("after", "read", answer, filePath=f"{seeded.path}/long.py")
    assert _known(seeded) == [(1, 702)]


def test_the_end_of_a_long_output_that_opencode_kept_counts(seeded: Repo) -> None:
    tail = "".join(LONG.splitlines(keepends=True)[3000:])
    answer = (
        "...output truncated...\n\nFull output saved to: /home/a/.local/share/opencode/"
        f"tool-output/tool_2026a478f0015qhN9vhe4J4jbR\n\n{tail}"
    )
    Talk(seeded.path, agent="opencode").tell("after", "bash", answer, command="cat long.py")
    assert _known(seeded) == [(3001, 4000)]


def _copilot(repo: Repo, tool: str, answer: str, **arguments: object) -> dict[str, Any]:
    result = {"resultType": "success", "textResultForLlm": answer}
    call = {"toolName": tool, "toolArgs": arguments, "toolResult": result}
    return {"sessionId": "s", "cwd": str(repo.path)} | call


def test_a_file_too_large_for_copilot_was_not_seen(seeded: Repo) -> None:
    answer = (
        "File too large to read at once (51.7 KB). Consider using the grep tool to search within"
        " the file, or view with view_range to read specific sections."
    )
    told("copilot", _copilot(seeded, "view", answer, path=f"{seeded.path}/long.py"))
    assert places.find_folders(seeded.path) == []


def test_copilots_range_is_what_stands_in_its_answer(seeded: Repo) -> None:
    answer = "\n".join(f"v{n} = 1" for n in range(30, 41))
    payload = _copilot(seeded, "view", answer, path="long.py", view_range=[30, -1])
    told("copilot", payload)
    assert _known(seeded) == [(30, 40)]


def test_of_a_long_output_copilot_shows_the_beginning(seeded: Repo) -> None:
    answer = (
        "Output too large to read at once (143.5 KB). Saved to: /tmp/1795337484116-copilot-tool-"
        "output-19.txt\nConsider using tools like grep (for searching).\n\nPreview (first 500"
        " chars):\nv1 = 1\nv2 = 1\nv3 = \n<shellId: 2 completed with exit code 0>"
    )
    told("copilot", _copilot(seeded, "bash", answer, command="cat long.py"))
    assert _known(seeded) == [(1, 2)]


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


def test_a_setting_of_geminis_leaves_out_more(
    seeded: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gemini").mkdir()
    settings = {"tools": {"truncateToolOutputThreshold": 1000}}
    (tmp_path / gemini.SETTINGS).write_text(json.dumps(settings))
    _run_in_gemini(seeded, LONG)
    assert sum(last - first + 1 for first, last in _known(seeded)) < 120


@pytest.fixture
def gated(seeded: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The repository, held to its gate, with commits dated now."""
    run("init", cwd=seeded.path)
    seeded.write(".hkgit/config.toml", '[gate]\naccept = ["hash", "receipt", "late"]\n')
    preload_hooks(seeded)
    seeded.git("add", "-A")
    seeded.git("commit", "-q", "--no-verify", "-m", "Set up")
    monkeypatch.setenv("PATH", loaded_path()["PATH"])
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, f"@{int(time.time())} +0000")
    return seeded


def _run(repo: Repo, command: str, env: Mapping[str, str] | None = None) -> tuple[bool, str]:
    """Whether a command succeeds, and what it says."""
    done = start("sh", "-c", command, cwd=repo.path, env=env)
    return done.returncode == 0, done.stdout + done.stderr


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
