"""Rollouts of Codex: patches in every wrapping, and files known from what was printed."""

from __future__ import annotations

import json

import pytest

from hkgit.agents.transcripts.replaying import End
from tests.agents.transcripts.conftest import ReplayText
from tests.support.logs import ROOT, Codex

FILE = "one\ntwo\nthree\n"


def patch(old: str, new: str, path: str = "src/app.py") -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch"


def seen(command: str = "cat src/app.py") -> Codex:
    """A rollout in which a file was printed."""
    return Codex().shell(command, FILE)


@pytest.mark.parametrize(
    ("rollout", "ends"),
    [
        pytest.param(seen().patch(patch("two", "2")), [End.LANDED], id="a tool of its own"),
        pytest.param(
            seen().shell(f"apply_patch <<'EOF'\n{patch('two', '2')}\nEOF", "Success."),
            [End.LANDED],
            id="a here-document",
        ),
        pytest.param(
            seen(f"cat {ROOT}/src/app.py").patch(patch("two", "2", f"{ROOT}/src/app.py")),
            [End.LANDED],
            id="absolute paths",
        ),
        pytest.param(
            seen("sed -n '1,200p' src/app.py").patch(patch("two", "2")),
            [End.LANDED],
            id="all of it by sed",
        ),
        pytest.param(
            seen("sed -n '1,3p' src/app.py").patch(patch("two", "2")),
            [End.NOT_REPLAYABLE],
            id="perhaps not all of it by sed",
        ),
        pytest.param(
            seen().patch(patch("four", "4"), error="Failed to find expected lines"),
            [End.REFUSED],
            id="refused by both",
        ),
        pytest.param(
            seen().patch(patch("two ", "2"), error="Failed to find expected lines"),
            [End.WON],
            id="refused in the log alone",
        ),
        pytest.param(
            seen().patch(patch("two", "2")).patch(patch("2", "II")),
            [End.LANDED, End.LANDED],
            id="on what the patch before left",
        ),
        pytest.param(
            seen().patch(patch("two", "2")).shell("make format").patch(patch("2", "II")),
            [End.LANDED, End.NOT_REPLAYABLE],
            id="on what a command may have changed",
        ),
        pytest.param(
            Codex()
            .patch("*** Begin Patch\n*** Add File: new.py\n+x\n*** End Patch")
            .patch(patch("x", "y", "new.py")),
            [End.LANDED, End.LANDED],
            id="on a file that a patch made",
        ),
        pytest.param(Codex().patch(patch("two", "2")), [End.NOT_REPLAYABLE], id="never printed"),
        pytest.param(Codex().patch("*** Begin Patch\nnonsense"), [End.LOST], id="unreadable"),
    ],
)
def test_the_end_of_each_patch(replay: ReplayText, rollout: Codex, ends: list[End]) -> None:
    assert [each.end for each in replay(rollout.text)] == ends


def called(kind: str, sent: dict[str, str], output: object) -> Codex:
    """A rollout of one call with its output as it is."""
    rollout = Codex()
    rollout.item({"type": kind, "call_id": "1", **sent})
    rollout.item({"type": f"{kind}_output", "call_id": "1", "output": output})
    return rollout


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{FILE}", id="a head"),
        pytest.param(f"Wall time: 0\nProcess exited with code 0\nOutput:\n{FILE}", id="another"),
        pytest.param(FILE, id="nothing but the output"),
        pytest.param([{"type": "input_text", "text": FILE}], id="parts"),
    ],
)
def test_what_a_command_printed_is_found_in_every_form(replay: ReplayText, output: object) -> None:
    sent = {"name": "exec_command", "arguments": json.dumps({"cmd": "cat src/app.py"})}
    rollout = called("function_call", sent, output).patch(patch("two", "2"))
    assert [each.end for each in replay(rollout.text)] == [End.LANDED]


@pytest.mark.parametrize(
    ("output", "end"),
    [
        pytest.param("Exit code: 1\nOutput:\nno\n", End.WON, id="an exit code"),
        pytest.param("apply_patch verification failed: no", End.WON, id="words"),
        pytest.param([{"type": "output_text", "text": "Done!"}], End.LANDED, id="parts"),
        pytest.param("Exit code: 0\nOutput:\nSuccess.", End.LANDED, id="success"),
        pytest.param("...", End.LANDED, id="nothing of use"),
    ],
)
def test_whether_a_patch_was_taken_is_found_in_every_form(
    replay: ReplayText, output: object, end: End
) -> None:
    sent = {"name": "apply_patch", "input": "*** Begin Patch\n*** Add File: n\n+x\n*** End Patch"}
    [one] = replay(called("custom_tool_call", sent, output).text)
    assert one.end == end
