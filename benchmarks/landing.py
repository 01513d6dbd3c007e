"""landing.py: `python -m benchmarks.landing`: a one-line edit landed, beside git doing the same.

The peer is what a careful script does without hkgit: a worktree, the edit, a commit, a
fast-forward, the worktree removed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.pairs import in_turn, make_repository, sh

HKGIT = [sys.executable, "-P", "-m", "hkgit"]
OURS, THEIRS = "d0000/f000001.txt", "d0000/f000002.txt"


def main() -> None:
    """Print a row for each size of repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 20000])
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    print("files      hkgit apply   git worktree + commit + merge")
    for count in asked.files:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{count:6d}  {_measured(Path(folder), count, asked.runs)}")


def _measured(folder: Path, count: int, runs: int) -> str:
    root = folder / "repository"
    root.mkdir()
    make_repository(root, count)

    def ours(number: int) -> None:
        line = (root / OURS).read_text().split("\n")[4]
        edit = {"file": OURS, "old_text": line, "new_text": f"ours {number}"}
        sh([*HKGIT, "apply", "--stdin"], root, json.dumps(edit).encode())

    def theirs(number: int) -> None:
        tree = folder / f"tree-{number}"
        sh(["git", "worktree", "add", "-q", "--detach", str(tree)], root)
        lines = (tree / THEIRS).read_text().split("\n")
        lines[4] = f"theirs {number}"
        (tree / THEIRS).write_text("\n".join(lines))
        sh(["git", "commit", "-q", "-a", "-m", "Edit"], tree)
        commit = sh(["git", "rev-parse", "HEAD"], tree).strip()
        sh(["git", "merge", "-q", "--ff-only", commit], root)
        sh(["git", "worktree", "remove", str(tree)], root)

    return in_turn(ours, theirs, runs).row()


if __name__ == "__main__":
    main()
