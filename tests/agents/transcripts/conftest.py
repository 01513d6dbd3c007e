"""conftest.py: logs replayed from text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.agents.transcripts.reading import read_log
from hkgit.agents.transcripts.replaying import Replay, replay_log

ReplayText = Callable[[str], list[Replay]]


@pytest.fixture
def replay(tmp_path: Path) -> ReplayText:
    """Every call of a log given as text."""

    def read(text: str) -> list[Replay]:
        path = tmp_path / "session.jsonl"
        path.write_text(text)
        return list(replay_log(read_log(path).events))

    return read
