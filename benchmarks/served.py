"""served.py: what a running `hkgit serve --stdio` takes for a read and an edit (see `edit`)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Client:
    """One that asks and waits for the answer."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._sent, self._answers = process.stdin, process.stdout
        self._threads = Path(f"/proc/{process.pid}/task")

    def cpu(self) -> float:
        """Seconds of the processor that the server has taken so far; Linux alone says so finely."""
        used = (each.read_text().split()[0] for each in self._threads.glob("*/schedstat"))
        return sum(map(int, used)) / 1e9

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; a refusal stops the benchmark."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._sent.write(json.dumps(request).encode() + b"\n")
        self._sent.flush()
        answer = json.loads(self._answers.readline())
        if "result" not in answer:
            raise SystemExit(f"{method}: {answer}")
        return answer["result"]


@contextmanager
def serving(root: Path, environment: Mapping[str, str] | None = None) -> Iterator[Client]:
    """A server that works in a directory."""
    command = [sys.executable, "-P", "-m", "hkgit", "serve", "--stdio"]
    with subprocess.Popen(
        command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        client = Client(process)
        yield client
        assert process.stdin is not None
        process.stdin.close()
