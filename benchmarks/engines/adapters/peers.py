"""peers.py: other people's engines, each installed into an environment of its own."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.engines.adapters import Answer, Engine, NotInstalledError, Session, worker

REQUIREMENTS = {
    "aider": "aider-chat==0.86.2",
    "openai-agents": "openai-agents==0.24.0",
    "harnesskit": "harnesskit==0.5.0",
    "diff-match-patch": "diff-match-patch==20241021",
}


def peer(name: str, cache: Path) -> Session:
    """A long-lived worker for one of `REQUIREMENTS`; raises NotInstalledError."""
    return _session(name, _python_of(name, cache))


def _python_of(name: str, cache: Path) -> Path:
    """The Python of the peer's environment, made where it is not there yet."""
    home = cache / "peers" / name
    python = home / "bin" / "python"
    if not (home / "installed").exists():
        for command in (
            [sys.executable, "-m", "venv", str(home)],
            [str(python), "-m", "pip", "install", "-q", REQUIREMENTS[name]],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise NotInstalledError(done.stderr.strip().rpartition("\n")[2][:200])
        (home / "installed").touch()
    return python


@contextmanager
def _session(name: str, python: Path) -> Iterator[Engine]:
    """The worker, asked line by line and ended at the end."""
    process = subprocess.Popen(
        [str(python), worker.__file__, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:

        def engine(
            before: bytes, old: str, new: str, path: str = "file", *, replace_all: bool = False
        ) -> Answer:
            assert process.stdin is not None
            assert process.stdout is not None
            asked = {"before": base64.b64encode(before).decode(), "old": old, "new": new}
            print(json.dumps(asked), file=process.stdin, flush=True)
            reply = json.loads(process.stdout.readline())
            after = reply["after"]
            data = None if after is None else base64.b64decode(after)
            return Answer(data, reply["ms"], reply["reason"])

        yield engine
