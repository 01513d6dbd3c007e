"""initiating.py: what `hkgit init` did, and all that it could have changed."""

from __future__ import annotations

import json

from tests.support.commands import hkgit
from tests.support.repos import Repo


def files_of(repo: Repo) -> dict[str, bytes]:
    """Every file of the work tree, and every hook."""
    found = {}
    for path in sorted(repo.path.rglob("*")):
        name = path.relative_to(repo.path).as_posix()
        if path.is_file() and (not name.startswith(".git/") or name.startswith(".git/hooks/")):
            found[name] = path.read_bytes()
    return found


def init_steps(repo: Repo, *args: str, code: int = 0) -> dict[str, str]:
    """What `hkgit init` did with each file."""
    document = json.loads(hkgit(repo, "init", "--json", *args, code=code))
    return {step["path"]: step["action"] for step in document["steps"]}
