"""writers.py: `python -m benchmarks.writers`: many writers of one branch, and a person with git.

Each writer lands commits of one line of a file that all of them share. Counted is what came of
it: no commit may be lost or be there twice, and the last text of every writer must stand there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.pairs import sh

HKGIT = [sys.executable, "-P", "-m", "hkgit"]
SHARED = "shared.txt"


def main() -> None:
    """Print what became of every commit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--commits", type=int, default=25, help="of each writer")
    parser.add_argument("--by-hand", type=int, default=25, help="commits of a person with git")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        base = _prepare(root, asked.writers)
        started = time.perf_counter()
        with ThreadPoolExecutor(asked.writers + 1) as pool:
            by_hand = pool.submit(_person, root, asked.by_hand)
            work = [pool.submit(_writer, root, n, asked.commits) for n in range(asked.writers)]
            landed = [subject for each in work for subject in each.result()]
            landed += by_hand.result()
        _report(root, base, landed, time.perf_counter() - started)


def _prepare(root: Path, writers: int) -> str:
    """A repository with a line for every writer; the commit that it begins with."""
    sh(["git", "init", "-q", "-b", "main", "."], root)
    (root / SHARED).write_text("".join(f"{n}:start\n---\n" for n in range(writers)))
    (root / "mine.txt").write_text("0\n")
    sh(["git", "add", "-A"], root)
    sh(["git", "commit", "-q", "-m", "Base"], root)
    return sh(["git", "rev-parse", "HEAD"], root).strip()


def _writer(root: Path, writer: int, commits: int) -> list[str]:
    """Land commits one after the other, and give their subjects."""
    subjects = []
    before = f"{writer}:start"
    for number in range(commits):
        after = f"{writer}:{number}"
        edit = {"file": SHARED, "old_text": before, "new_text": after}
        sh([*HKGIT, "apply", "--stdin", "-m", f"writer {after}"], root, json.dumps(edit).encode())
        subjects.append(f"writer {after}")
        before = after
    return subjects


def _person(root: Path, commits: int) -> list[str]:
    """Commit by hand in the same checkout, again where git was busy."""
    subjects = []
    for number in range(commits):
        (root / "mine.txt").write_text(f"{number + 1}\n")
        command = ["git", "-c", "user.name=P", "-c", "user.email=p@example.org"]
        command += ["commit", "-q", "-a", "-m", f"by hand {number}"]
        while subprocess.run(command, cwd=root, capture_output=True).returncode != 0:
            time.sleep(0.01)
        subjects.append(f"by hand {number}")
        time.sleep(0.2)
    return subjects


def _report(root: Path, base: str, expected: list[str], seconds: float) -> None:
    found = Counter(sh(["git", "log", "--format=%s"], root).splitlines())
    found.pop("Base")
    lost = [subject for subject in expected if found[subject] == 0]
    twice = [subject for subject, count in found.items() if count > 1]
    sh(["git", "fsck", "--strict"], root)
    changes = sh(["git", "status", "--porcelain"], root)
    print(f"{len(expected)} commits in {seconds:.0f} s: {len(lost)} lost, {len(twice)} twice")
    print(f"left in the checkout: {changes or 'nothing'}")
    judged = json.loads(sh([*HKGIT, "verify", f"{base}..HEAD", "--json"], root))["commits"]
    print("verdicts:", dict(Counter(commit["replay"] for commit in judged)))


if __name__ == "__main__":
    main()
