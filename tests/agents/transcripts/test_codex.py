"""What came of a call of Codex: the forms in which its rollouts tell it."""

from __future__ import annotations

import json

import pytest

from hkgit.agents.programs.codex import read_result

FILE = "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("output", "is_well", "said"),
    [
        pytest.param(f"Exit code: 0\nWall time: 1 s\nOutput:\n{FILE}", True, FILE, id="a head"),
        pytest.param(f"Process exited with code 0\nOutput:\n{FILE}", True, FILE, id="another"),
        pytest.param("Exit code: 1\nOutput:\nno\n", False, "no\n", id="another code"),
        pytest.param(
            f"Wall time: 0\nOutput:\nExit code: 0\nOutput:\n{FILE}", True, FILE, id="in a shell"
        ),
        pytest.param(FILE, None, FILE, id="nothing but the output"),
        pytest.param([{"type": "input_text", "text": FILE}], None, FILE, id="parts"),
        pytest.param([{"type": "output_text", "text": "Done!"}], True, "Done!", id="done"),
        pytest.param("verification failed: no", False, "verification failed: no", id="words"),
        pytest.param(
            json.dumps({"output": FILE, "metadata": {"exit_code": 0}}), True, FILE, id="an object"
        ),
        pytest.param(json.dumps({"success": False, "content": "no"}), False, "no", id="success"),
    ],
)
def test_the_result_of_a_call(output: object, is_well: bool | None, said: str) -> None:
    assert read_result({"output": output}) == (is_well, said)
