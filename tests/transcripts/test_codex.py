"""Rollouts of Codex: patches in every wrapping, and files known from what was printed."""

from __future__ import annotations

import json

import pytest

from hkgit.transcripts.replaying import End
from tests.transcripts.conftest import ReplayText
from tests.transcripts.logs import ROOT, Codex

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
            [End.LANDED], id="a here-document",
        ),
        pytest.param(
            seen(f"cat {ROOT}/src/app.py").patch(patch("two", "2", f"{ROOT}/src/app.py")),
            [End.LANDED], id="absolute paths",
        ),
        pytest.param(
            seen("sed -n '1,200p' src/app.py").patch(patch("two", "2")), [End.LANDED],
            id="all of it by sed",
        ),
        pytest.param(
            seen("sed -n '1,3p' src/app.py").patch(patch("two", "2")), [End.NOT_REPLAYABLE],
            id="perhaps not all of it by sed",
        ),
        pytest.param(
            seen().patch(patch("four", "4"), error="Failed to find expected lines"),
            [End.REFUSED], id="refused by both",
        ),
        pytest.param(
            seen().patch(patch("two ", "2"), error="Failed to find expected lines"),
            [End.WON], id="refused in the log alone",
        ),
        pytest.param(
            seen().patch(patch("two", "2")).patch(patch("2", "II")), [End.LANDED, End.LANDED],
            id="on what the patch before left",
        ),
        pytest.param(
            seen().patch(patch("two", "2")).shell("make format").patch(patch("2", "II")),
            [End.LANDED, End.NOT_REPLAYABLE], id="on what a command may have changed",
        ),
        pytest.param(
            Codex().patch("*** Begin Patch\n*** Add File: new.py\n+x\n*** End Patch")
            .patch(patch("x", "y", "new.py")),
            [End.LANDED, End.LANDED], id="on a file that a patch made",
        ),
        pytest.param(Codex().patch(patch("two", "2")), [End.NOT_REPLAYABLE], id="never printed"),
        pytest.param(Codex().patch("*** Begin Patch\nnonsense"), [End.LOST], id="unreadable"),
    ],
)  # fmt: skip
def test_the_end_of_each_patch(replay: ReplayText, rollout: Codex, ends: list[End]) -> None:
    assert [each.end for each in replay(rollout.text)] == ends


def test_plain_output_with_an_exit_code_is_read_as_well(replay: ReplayText) -> None:
    rollout = Codex()
    sent = json.dumps({"cmd": "cat src/app.py"})
    rollout.item({"type": "function_call", "name": "exec", "arguments": sent, "call_id": "1"})
    said = f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{FILE}"
    rollout.item({"type": "function_call_output", "call_id": "1", "output": said})
    assert [each.end for each in replay(rollout.patch(patch("two", "2")).text)] == [End.LANDED]
