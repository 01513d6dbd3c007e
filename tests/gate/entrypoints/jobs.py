"""jobs.py: what a CI job runs for, as its runner tells it and as an event."""

import json
from pathlib import Path
from typing import Any

from hkgit.gate.entrypoints.ci import CiEvent
from tests.support.repos import Repo

PUSH = {
    "ref": "refs/heads/main",
    "before": "b" * 40,
    "after": "c" * 40,
    "repository": {"default_branch": "main"},
}
"""The payload of a push on GitHub."""


def github(tmp_path: Path, name: str, payload: Any) -> dict[str, str]:
    """The environment of a job on GitHub."""
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/ci.yml@refs/heads/main",
    }


def event_on(checkout: Repo, old: str | None, new: str | None, **more: Any) -> CiEvent:
    """What a job on a checkout runs for: a pull request onto main, if nothing else is said."""
    sides = [None if rev is None else checkout.resolve(rev) for rev in (old, new)]
    settings: dict[str, Any] = {"ref": "refs/heads/main", "is_offer": True} | more
    return CiEvent("here", "test", old=sides[0], new=sides[1], default_branch="main", **settings)
