"""agreement.py: hold the second verifier, `docs/derive.py`, against hkgit's own replay.

A plugin of pytest: behind tests that make repositories, each of their commits is given to both.
Where they disagree, one of them is wrong; the test fails, and the repository is kept.
"""

import re
import shutil
import tempfile
from collections.abc import Generator, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from hkgit.errors import HkgitError
from hkgit.evidence.replay import candidate_of, replay
from hkgit.evidence.verdict import Finding, Verdict
from hkgit.git.repository import Repository
from tests.support.objects import open_repository
from tests.support.properties import is_thorough
from tests.support.repos import MADE, Repo

derive: Any = import_module("docs.derive")  # without types, as anyone may read it

ONE_OF = 60
"""Of so many tests a plain run compares the repositories of one; with ALL_EXAMPLES=1 of all."""

DERIVED = (Verdict.STRICT, Verdict.REANCHORED)
NOT, UNJUDGED = "not derived", "not judged here"
BYTES = ("before", "after", "mode", "hunk", "bytes", "anchor", "surplus", "entry", "hash")
"""Rules of replay that are about bytes, not about who asked for them."""

_OF_EDITS = re.compile(
    r"(?:claims|edits|ladder|parameters|reads|spec)\b.*: "
    r"|the expected hash|evidence \w+ without"
)
"""What is wrong under these rules with other parts of an entry, which bytes do not need."""


def is_of_bytes(finding: Finding) -> bool:
    """Whether a finding says that bytes do not follow from an entry."""
    return finding.rule in BYTES and _OF_EDITS.match(finding.what) is None


def list_answers(repository: Repository, commit: str) -> set[str]:
    """List what the second verifier may say of a commit, going by hkgit."""
    try:
        candidate = candidate_of(repository, commit)
        judged = replay(repository, candidate, recomputes=False)
    except HkgitError:  # something is missing or malformed
        return {NOT, UNJUDGED, "no entry"}
    if len(candidate.parents) > 1:
        return {UNJUDGED}
    if judged is None or judged.verdict is Verdict.EMPTY:
        return {"no entry"}
    match judged.verdict:
        case Verdict.MIXED:
            return {NOT}
        case Verdict.PRUNE:
            return {UNJUDGED}
        case Verdict.FAIL:
            # What comes behind the first finding may follow from it.
            is_wrong = is_of_bytes(judged.findings[0])
            return {NOT, UNJUDGED} if is_wrong else {NOT, UNJUDGED, "derived"}
        case Verdict.REVERT:
            return {UNJUDGED, "no entry", "derived"}
    assert judged.verdict in DERIVED, judged.verdict
    return {"derived"}


def derive_again(git: Any, commit: str) -> tuple[str, str]:
    """Ask the second verifier of a commit: its answer, and why."""
    try:
        derive.check_commit(git, commit)
    except derive.Answer as answer:
        status, why = answer.args
        return status, why
    return "derived", ""


def list_commits(git: Any) -> list[str]:
    """List every commit that a repository has, those that no ref leads to among them."""
    listed = "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"
    words = git.ask("cat-file", *listed)
    return [name for kind, name in zip(words[::2], words[1::2], strict=True) if kind == "commit"]


def find_disagreements(path: Path, commits: Iterable[str] | None = None) -> Iterator[str]:
    """Yield a line for each commit, by default of all, that the two verifiers judge otherwise."""
    repository = open_repository(Repo(path))
    git = derive.Git(str(path))
    try:
        for commit in list_commits(git) if commits is None else commits:
            status, why = derive_again(git, commit)
            allowed = list_answers(repository, commit)
            # A tree that hkgit need not look at, or reads as gits of old wrote it.
            is_unread = why.endswith((" is malformed", " is missing or damaged"))
            if status not in allowed and not is_unread:
                yield f"{commit}: derive.py: {status} {why}; hkgit allows {sorted(allowed)}"
    finally:
        git.batch.communicate()


def expect_agreement(path: Path, commits: Iterable[str] | None = None) -> None:
    """Fail where the two verifiers disagree on a commit, and keep the repository."""
    found = [*find_disagreements(path, commits)]
    if found:
        kept = Path(tempfile.mkdtemp(prefix="hkgit-disagree-")) / "repo"
        shutil.copytree(path, kept, symlinks=True)
        raise AssertionError("\n".join([*found, f"the repository is kept: {kept}"]))


def _can_be_opened(path: Path) -> bool:
    """Whether a repository is there still, and whole; some tests see to it that it is not."""
    try:
        return path.exists() and bool(Repository.discover(path))
    except HkgitError:
        return False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Compare both verifiers on the repositories that a test has made.

    After its fixtures: what a test changes of the environment is put back by then.
    """
    done = yield
    made = dict.fromkeys(MADE)
    MADE.clear()
    if is_thorough() or crc32(item.nodeid.encode()) % ONE_OF == 0:
        for path in filter(_can_be_opened, made):
            expect_agreement(path)
    return done
