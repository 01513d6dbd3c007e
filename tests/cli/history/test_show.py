"""`hkgit show` of an entry of another ladder: what was not computed again is only claimed."""

from __future__ import annotations

from tests.support.attacks import forge, governed_repository, honest
from tests.support.commits import commit
from tests.support.repos import Repo
from tests.support.running import run


def test_tiers_of_another_ladder_are_said_to_be_claimed(repo: Repo) -> None:
    change = honest(governed_repository(repo))
    forge("ladder", to=3)(change)
    commit(repo, change)
    said = run("show", "HEAD", cwd=repo.path).out
    assert "replay    replayed and recomputed: every byte, range and hash\n" in said
    assert "ladder    3, threshold 0.80; tier and confidence are only claimed\n" in said
    assert "only claimed" not in run("show", "HEAD~", cwd=repo.path).out
