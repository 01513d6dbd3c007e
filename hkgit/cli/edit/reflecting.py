"""reflecting.py: the command of `apply --reflect` that corrects what was refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hkgit.errors import InvalidInput


def ask_command(command: str, directory: Path, correction: str) -> bytes:
    """Run a shell command with a correction on its standard input, and return its answer.

    Raises InvalidInput where it fails.
    """
    done = subprocess.run(
        command,
        shell=True,
        cwd=directory,
        input=correction.encode("utf-8", "replace"),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        what = f"the command of --reflect exited with {done.returncode}"
        raise InvalidInput("--reflect", what, "Nothing was applied.")
    return done.stdout
