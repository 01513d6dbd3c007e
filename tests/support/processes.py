"""processes.py: the processes of git that read objects for hkgit."""

import subprocess
from contextlib import suppress
from pathlib import Path


def list_readers(folder: Path) -> list[int]:
    """List the processes that read objects and were started in a directory."""
    command = ["ps", "-ww", "-eo", "pid=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pids = [line.split()[0] for line in listed.splitlines() if "cat-file --batch" in line]
    return [int(pid) for pid in pids if _find_place(pid) == folder]


def _find_place(pid: str) -> Path | None:
    """Find the directory of a process; a dead one has none."""
    with suppress(OSError):
        return Path("/proc", pid, "cwd").readlink()
    return None
