"""Say which text of a commit only its ledger entries keep, and how to leave it out.

Who commits hears it at commit-msg, of an amend at post-commit, which git does not tell apart
before; who pushes at pre-push; and whoever asks `hkgit doctor --history`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.output import print_warning
from hkgit.errors import GitRefused
from hkgit.evidence.kept_text import KeptText, find_kept_text, search_commits
from hkgit.evidence.verdict import ReplayResult
from hkgit.git.repository import Repository
from hkgit.text.escape import visible

Found = tuple[str, KeptText]


def warn_of_candidate(repository: Repository, judged: ReplayResult) -> None:
    """Warn of the commit being made."""
    made = judged.candidate
    kept = find_kept_text(repository, made.tree, made.parents, judged.entries)
    if kept:
        _warn(repository, kept, made.parents, "to leave it out once this is committed")


def warn_of_amend(repository: Repository) -> None:
    """Warn of HEAD where it was amended just now."""
    head = repository.head().commit
    done = repository.git("reflog", "-1", "--format=%gs", "HEAD", check=False).text
    if head is not None and done.startswith("commit (amend)"):
        kept = [each for _, each in search_commits(repository, [head])]
        if kept:
            _warn(repository, kept, repository.commit(head).parents, "to leave it out")


def _warn(
    repository: Repository, kept: Sequence[KeptText], parents: Sequence[str], words: str
) -> None:
    for each in kept:
        print_warning(each.described)
    if len(parents) == 1:
        print_warning(f"{words}: {_render_way(repository, kept, 'HEAD')}")


def warn_of_push(repository: Repository, commits: Sequence[str]) -> None:
    """Warn of commits that are about to be pushed."""
    found = [*search_commits(repository, commits)]
    for commit, kept in found:
        print_warning(f"{commit[:12]}: {kept.described}")
    if found:
        print_warning("how to leave it out, before others fetch it: hkgit doctor --history")


def look() -> Answer:
    """Say what the entries of HEAD's history keep."""
    repository = open_repository()
    tip = repository.head().commit
    commits = [] if tip is None else repository.git("rev-list", tip).text.split()
    found = [*search_commits(repository, commits)]
    listed = [
        {"commit": commit, "entry": kept.place, "paths": [*kept.paths], "lines": kept.lines}
        for commit, kept in found
    ]
    return Answer(
        {"status": "stale" if found else "well", "kept_text": listed},
        map(visible, _lines(repository, found)),
        GitRefused.exit_code if found else 0,
    )


def _lines(repository: Repository, found: Sequence[Found]) -> Iterator[str]:
    if not found:
        yield "no entry keeps text that was removed again"
        return
    for commit, kept in found:
        yield f"{commit[:12]} {kept.described}"
        yield f"             git show {commit[:12]}:{kept.place}"
    yield "Everyone who has these commits can read it. If it is a secret, replace it everywhere."
    yield "To leave it out where nobody has fetched them, make each again, in this order:"
    for commit in dict.fromkeys(commit for commit, _ in found):
        own = [kept for each, kept in found if each == commit]
        yield f"  {_render_way(repository, own, commit[:12])}"


def _render_way(repository: Repository, kept: Sequence[KeptText], commit: str) -> str:
    """Render how a commit is made again: with `late` evidence, by who vouches, or by new edits."""
    from hkgit.gate.trusted_policy import read_own_policy  # few commits keep such text

    policy = read_own_policy(repository, repository.head().commit)
    paths = [path for each in kept for path in each.paths]
    if all(map(policy.accepts_late, paths)):
        return f"hkgit redo {commit}"
    if any(grant.covers(paths) for grant in policy.manual):
        return f"hkgit redo --vouch {commit}"
    return f"git reset --keep {commit}~1  # then make what it and later commits changed again"
