"""conftest.py: the orchard with all that tables can tell of: refusals, a revert, a moved file."""

from pathlib import Path

import pytest

from hkgit.audit.commits import History
from hkgit.audit.tables.export_tables import ExportResult, write_tables
from hkgit.evidence.refusal_log import Refusal, RefusalLog
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.trusted_policy import read_trusted_policy
from tests.support.commits import applied, commit
from tests.support.objects import open_repository
from tests.support.orchard import Orchard
from tests.support.repos import Repo
from tests.support.specs import search_replace

SECRET = "https://mara:s3cret@Example.org:443/mara/orchard.git"


def export_all(repo: Repo, directory: Path, revision: str = "HEAD") -> ExportResult:
    """Export what leads to a revision, or a range, under the policy at HEAD."""
    repository = open_repository(repo)
    policy = read_trusted_policy(repository, repository.head().commit)
    old, _, new = revision.rpartition("..")
    asked = CommitRange(repository.resolve(old) if old else None, repository.resolve(new))
    return write_tables(History(repository, asked, policy), revision, directory)


def edit_text(repo: Repo, path: str, old: str, new: str, **claims: object) -> str:
    """A commit of one edit by quotation, whose entry claims this and that."""
    change = applied(repo, search_replace(old, new, path))
    change.entry["claims"] |= claims
    return commit(repo, change)


def refusal(name: str, tries: object = 1, time: object = 1773000000) -> dict[str, object]:
    """What an entry claims of an edit that was refused before."""
    return {"id": name, "path": "README.md", "status": "stale", "time": time, "tries": tries}


@pytest.fixture(scope="module")
def grown(orchard: Orchard, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A clone with a remote, a commit that was refused twice, and one that is taken back."""
    path = tmp_path_factory.mktemp("grown") / "orchard"
    repo = orchard.repo.copy(path)
    repo.git("remote", "add", "origin", SECRET)
    repo.git("revert", "--no-edit", "HEAD")
    claims = [refusal("aa" * 8), refusal("bb" * 8, 2)]
    edit_text(repo, "README.md", "# Orchard", "# The orchard", refusals=claims)
    RefusalLog.of(path / ".git").note(
        "aider/0.86", "apply", 1773000000, [Refusal("src/x.py", "no_match", "is nowhere")]
    )
    return repo


@pytest.fixture(scope="module")
def tables(grown: Repo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of that clone."""
    directory = tmp_path_factory.mktemp("tables") / "tables"
    export_all(grown, directory)
    return directory
