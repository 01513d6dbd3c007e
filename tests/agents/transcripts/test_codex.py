"""What came of a call of Codex: the forms in which its rollouts tell it."""

from __future__ import annotations

import json

from hkgit.agents.programs.codex import read_result
from tests.support.cases import cases

FILE = "one\ntwo\nthree\n"


@cases(
    "output, is_well, said",
    {
        "a head": (f"Exit code: 0\nWall time: 1 s\nOutput:\n{FILE}", True, FILE),
        "another": (f"Process exited with code 0\nOutput:\n{FILE}", True, FILE),
        "another code": ("Exit code: 1\nOutput:\nno\n", False, "no\n"),
        "in a shell": (f"Wall time: 0\nOutput:\nExit code: 0\nOutput:\n{FILE}", True, FILE),
        "nothing but the output": (FILE, None, FILE),
        "parts": ([{"type": "input_text", "text": FILE}], None, FILE),
        "done": ([{"type": "output_text", "text": "Done!"}], True, "Done!"),
        "words": ("verification failed: no", False, "verification failed: no"),
        "an object": (json.dumps({"output": FILE, "metadata": {"exit_code": 0}}), True, FILE),
        "success": (json.dumps({"success": False, "content": "no"}), False, "no"),
    },
)
def test_the_result_of_a_call(output: object, is_well: bool | None, said: str) -> None:
    assert read_result({"output": output}) == (is_well, said)
