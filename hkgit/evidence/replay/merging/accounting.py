"""accounting.py: a merge, held against the ref that it lands on, whichever parent is called first.

Judged by itself a merge may keep either side, and evidence on either. But what the ref had is
accounted for on the way to where it comes:

1. What a conflict left to people, and the ref's side had changed, is kept or said by an edit.
2. Histories that have nothing of the ref's are evidence only for files that it never had.
3. What an entry did, and one side has undone since, does not come back from the other side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from hkgit.edits import encode_text
from hkgit.evidence.ledger.names import LEDGER
from hkgit.evidence.replay.findings import Finding, ReplayResult
from hkgit.evidence.replay.merging.losing import find_lost
from hkgit.evidence.replay.merging.returning import find_returned
from hkgit.git.repository import Repository
from hkgit.text.document import Document


def merge_findings(
    repository: Repository, judged: ReplayResult, landing: str | None, tip: str | None
) -> Iterator[Finding]:
    """Find what is wrong with a merge of two that passes by itself.

    `landing` is the commit that the ref has now, `tip` one that it comes to; None for what is not
    known.
    """
    if tip is not None:
        yield from find_returned(repository, judged, tip)
    if landing is None:
        return
    tip = tip or judged.candidate.parents[0]
    foreign = [*_foreign(repository, judged, landing, tip)]
    yield from foreign
    if judged.entries and not foreign:
        yield from _find_dropped(repository, judged, landing)


# What the ref's side had changed


def _find_dropped(repository: Repository, judged: ReplayResult, landing: str) -> Iterator[Finding]:
    """Find lines of the landing side that a merge drops and no entry accounts for.

    The first parent's file is accounted for by the entry; the other's, line by line.
    """
    first, second = judged.candidate.parents
    bases = repository.merge_bases(landing, second)
    if all(repository.is_ancestor(base, first) for base in bases):
        return
    files = repository.snapshot(judged.candidate.tree)
    for file in repository.find_contested_files((first, second)):
        known = [] if file.ours is None else _lines_accounted(judged, file.path, file.ours.data)
        for start, end in find_lost(file, files.get(file.path), known):
            what = f"drops what {second[:12]} has in lines {start}-{end}, and no edit says that"
            yield Finding(
                rule="merge",
                where=file.path,
                what=what,
                fix=_other_way(first, second),
                path=file.path,
            )


def _other_way(first: str, second: str) -> str:
    merge = f"git checkout -b again {second[:12]} && hkgit apply --merge {first[:12]} SPEC"
    return f"Keep these lines, or merge the other way round: {merge}"


def _lines_accounted(judged: ReplayResult, path: str, ours: bytes) -> list[bytes]:
    """The lines that the entries of a merge take away from a file, or write in it at some time."""
    lines = Document(ours).lines
    hunks = [
        hunk
        for _, entry in judged.entries
        for file in entry.files
        if path in (file.path, file.new_path)
        for hunk in file.hunks
    ]
    shown = [line for hunk in hunks for line in lines[hunk.start_line - 1 : hunk.end_line]]
    written = (Document(encode_text(hunk.new_text)).lines for hunk in hunks)
    return [*shown, *(line for each in written for line in each)]


# Histories that have nothing of the ref's


def _foreign(
    repository: Repository, judged: ReplayResult, landing: str, tip: str
) -> Iterator[Finding]:
    """Files that the ref had, changed by a side that did not begin with them."""
    roots = _new_roots(repository, landing, tip)
    if not roots:
        return
    first, second = judged.candidate.parents
    bases = repository.merge_bases(first, second)
    strange = [base for base in bases if _is_strange(repository, base, roots, landing)]
    if bases and not strange:
        return
    sides = [repository.snapshot(base) for base in strange]
    for parent in (first, second):
        met = repository.merge_base(landing, parent)
        if met is None:
            continue
        had = [repository.snapshot(each) for each in (landing, met)]
        changes = repository.changes(repository.commit(parent).tree, judged.candidate.tree)
        for path in (each.path for each in changes if not each.path.startswith(f"{LEDGER}/")):
            is_had = any(files.entry(path) is not None for files in had)
            if is_had and (not bases or any(files.entry(path) is not None for files in sides)):
                yield _no_evidence(path)
        if not bases:
            added = [each.path for each in changes if each.old is None]
            yield from map(_no_evidence, _had_once(repository, landing, added))


def _is_strange(repository: Repository, base: str, roots: Sequence[str], landing: str) -> bool:
    """Whether a common ancestor has a beginning that is not the ref's, and not the ref itself."""
    is_new = any(repository.is_ancestor(root, base) for root in roots)
    return is_new and not repository.is_ancestor(landing, base)


def _no_evidence(path: str) -> Finding:
    what = "is changed by a history that began without the one of this branch, which has the file"
    fix = "Make the change with `hkgit apply` on the branch itself."
    return Finding(rule="merge", where=path, what=what, fix=fix, path=path)


@lru_cache(maxsize=4)
def _new_roots(repository: Repository, landing: str, tip: str) -> tuple[str, ...]:
    return repository.roots_between(landing, tip)


def _had_once(repository: Repository, landing: str, paths: Sequence[str]) -> Iterator[str]:
    """Some of these paths that the history of a commit had, and has no more."""
    plain = [path for path in paths if "\n" not in path and not path.startswith(f"{LEDGER}/")]
    if not plain:
        return
    asked = encode_text("\n".join([landing, "--", *plain, ""]))
    literal = {"GIT_LITERAL_PATHSPECS": "1"}
    listed = repository.git("rev-list", "-1", "--full-history", "--stdin", stdin=asked, env=literal)
    if not listed.text:
        return
    commit = repository.commit(listed.text)
    old = repository.commit(commit.parents[0]).tree if commit.parents else None
    touched = {each.path for each in repository.changes(old, commit.tree)}
    yield from [path for path in plain if path in touched] or plain[:1]
