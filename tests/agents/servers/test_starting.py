"""How the servers start where a person starts them: on a terminal, and without a flag."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.running import run, script


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_mcp_on_a_terminal_says_what_it_is_and_ends_with_its_input(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    command = [str(script("hkgit")), "mcp"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(theirs)
        assert process.stderr is not None
        said = process.stderr.readline()
        os.write(ours, b"\x04")
        out, _ = process.communicate(timeout=60)
        os.close(ours)
    assert b"is a server that an agent starts" in said
    assert b"hkgit serve" in said
    assert out == b""
    assert process.returncode == 0


@pytest.mark.parametrize("flags", [(), ("--stdio",)], ids=["no flag", "--stdio"])
def test_serve_has_one_mode_and_needs_no_flag(tmp_path: Path, flags: tuple[str, ...]) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    done = run("serve", *flags, cwd=tmp_path, stdin=f"{ping}\n".encode())
    assert done.code == 0
    assert done.json()["id"] == 1
    assert "result" in done.json()
