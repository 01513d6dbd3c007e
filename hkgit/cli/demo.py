"""hkgit at work on a throw-away repository of its own sources; `demo.sh` says what happens."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from hkgit.cli.options import declare, option
from hkgit.cli.output import echo
from hkgit.errors import HkgitError
from hkgit.git.facts import scrub_environment


def play(root: Path) -> None:
    """Play the whole demo in an empty directory. Raises HkgitError where a command is at fault."""
    roles = ("AUTHOR", "COMMITTER")
    environment = {
        **scrub_environment(os.environ),
        **{f"GIT_{role}_NAME": "Ada Person" for role in roles},
        **{f"GIT_{role}_EMAIL": "ada@example.org" for role in roles},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHON": sys.executable,
    }
    with as_file(files("hkgit")) as sources:
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(sources, root / "hkgit", ignore=ignored)
        command = ["sh", str(sources / "cli" / "demo.sh")]
        if subprocess.run(command, cwd=root, env=environment, check=False).returncode != 0:
            raise HkgitError("demo", "a command did not answer as it should")


@declare
def command(*, keep: bool = option("Keep the repository and print its path.")) -> None:
    """Show hkgit at work in a throw-away repository made of its own sources."""
    if keep:
        root = Path(tempfile.mkdtemp(prefix="hkgit-demo-"))
        play(root)
        echo(f"\nKept: {root}")
        return
    with tempfile.TemporaryDirectory(prefix="hkgit-demo-", ignore_cleanup_errors=True) as folder:
        play(Path(folder))
