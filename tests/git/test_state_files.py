"""What hkgit's own directories hold, while other processes make and remove them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hkgit.git.state_files import find_files


def test_what_fits_is_found_in_order(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.lock"):
        (tmp_path / name).touch()
    assert find_files(tmp_path, "*.jsonl") == [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]


def test_a_directory_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert find_files(tmp_path / "none", "*") == []


def test_nobody_fails_where_another_comes_and_goes(tmp_path: Path) -> None:
    directory = tmp_path / "tx"
    script = "import os\nwhile True: os.mkdir('tx'); os.rmdir('tx')"
    other = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path)
    try:
        while not directory.exists():
            assert other.poll() is None
        assert {tuple(find_files(directory, "*")) for _ in range(5000)} == {()}
    finally:
        other.kill()
        other.wait()
