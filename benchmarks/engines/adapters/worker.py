"""worker.py: an engine that lives in an environment of its own, asked by lines of JSON.

Run as `python worker.py NAME` by that environment's Python; it imports nothing of this project.
Each line of standard input is `{"before": base64, "old": text, "new": text}`; each line of
standard output `{"after": base64 or null, "ms": milliseconds, "reason": text}`. The time is that
of the engine alone, without importing it and without this protocol.
"""

from __future__ import annotations

import base64
import importlib
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

LIMIT_SECONDS: float = 10
Worker = Callable[[bytes, str, str], "bytes | None"]


class TookTooLong(BaseException):
    """Not an Exception, so that no engine catches it."""


def aider() -> Worker:
    """The SEARCH/REPLACE of aider, which reads and writes files as text."""
    coder = importlib.import_module("aider.coders.editblock_coder")
    file = str(Path(tempfile.mkdtemp()) / "file")  # made where there is no old text

    def work(before: bytes, old: str, new: str) -> bytes | None:
        text = before.decode().replace("\r\n", "\n")
        after = coder.do_replace(file, text, old, new, ("```", "```"))
        return after.encode() if after else None

    return work


def openai_agents() -> Worker:
    """The apply_diff of the OpenAI agents library."""
    module = importlib.import_module("agents.apply_diff")
    sys.path.insert(0, str(Path(__file__).parents[3]))
    notation = importlib.import_module("benchmarks.engines.adapters.notation")

    def work(before: bytes, old: str, new: str) -> bytes | None:
        after: str = module.apply_diff(before.decode(), notation.v4a(old, new))
        return after.encode()

    return work


def harnesskit() -> Worker:
    """The edit of harnesskit, which works on a file."""
    hk = importlib.import_module("hk")
    file = Path(tempfile.mkdtemp()) / "file"

    def work(before: bytes, old: str, new: str) -> bytes | None:
        file.write_bytes(before)
        return file.read_bytes() if hk.apply_edit(str(file), old, new).status == "applied" else None

    return work


def diff_match_patch() -> Worker:
    """Patches made of the edit and applied wherever in the file they fit best."""
    engine: Any = importlib.import_module("diff_match_patch").diff_match_patch()
    engine.Match_Distance = 10_000_000

    def work(before: bytes, old: str, new: str) -> bytes | None:
        after, applied = engine.patch_apply(engine.patch_make(old, new), before.decode())
        return after.encode() if applied and all(applied) else None

    return work


WORKERS: dict[str, Callable[[], Worker]] = {
    "aider": aider,
    "openai-agents": openai_agents,
    "harnesskit": harnesskit,
    "diff-match-patch": diff_match_patch,
}


def answer(work: Worker, line: str) -> dict[str, object]:
    """One question answered; whatever an engine raises is its way to refuse."""
    asked = json.loads(line)
    before = base64.b64decode(asked["before"])
    after, reason = None, ""
    signal.setitimer(signal.ITIMER_REAL, LIMIT_SECONDS)
    began = perf_counter()
    try:
        after = work(before, asked["old"], asked["new"])
    except TookTooLong:
        reason = f"took more than {LIMIT_SECONDS} s"
    except Exception as error:  # noqa: BLE001 - peers raise what they like
        reason = f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    spent = 1000 * (perf_counter() - began)
    encoded = None if after is None else base64.b64encode(after).decode()
    return {"after": encoded, "ms": spent, "reason": reason}


@contextmanager
def alarmed() -> Iterator[None]:
    """The time limit of `answer` in force."""

    def too_long(number: int, frame: object) -> None:
        raise TookTooLong

    usual = signal.signal(signal.SIGALRM, too_long)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, usual)


def main() -> None:
    """Answer until there are no more questions."""
    # What an engine prints must not get between the replies.
    replies, sys.stdout = sys.stdout, sys.stderr
    work = WORKERS[sys.argv[1]]()
    with alarmed():
        for line in sys.stdin:
            print(json.dumps(answer(work, line)), file=replies, flush=True)


if __name__ == "__main__":
    main()
