"""Whoever asks for a document gets one: each command's errors, with `--json`, are JSON as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docs.write_reference import list_commands
from tests.support.running import Result, run

WITH_JSON = sorted(
    name
    for name, ctx in list_commands()
    if any("--json" in each.opts for each in ctx.command.params)
)
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "attest": ("A..B", "--key", "key"),
    "blame": ("a.py",),
    "edit": ("spec",),
    "read": ("a.py",),
    "report": ("A..B",),
    "verify": ("A..B",),
    "apply": ("spec",),
    "bench": ("--transcripts", "logs"),
    "export": ("--to", "tables"),
    "session show": ("mine",),
    "sql": ("select 1",),
}
"""What these cannot be called without; the others may be called without anything."""


def _error(result: Result) -> dict[str, Any]:
    """The error of the one document on standard output."""
    document = json.loads(result.out)
    error = document.get("error")
    assert isinstance(error, dict), result.out
    assert error["exit_code"] == result.code
    return error


@pytest.mark.parametrize("name", WITH_JSON)
def test_wrong_usage_is_a_document(tmp_path: Path, name: str) -> None:
    result = run(*name.split(), "--json", "--no-such-option", cwd=tmp_path)
    assert result.code == 64, result.err
    assert "--no-such-option" in _error(result)["what"]


@pytest.mark.parametrize("name", WITH_JSON)
def test_a_refusal_is_a_document(tmp_path: Path, name: str) -> None:
    """In a directory that is no repository, with files that are not there."""
    result = run(*name.split(), *ARGUMENTS.get(name, ()), "--json", cwd=tmp_path)
    assert result.code != 0, result.out
    error = _error(result)
    assert [key for key in ("where", "what", "fix") if not error[key]] == []
