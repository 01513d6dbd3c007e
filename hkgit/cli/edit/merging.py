"""merging.py: the option `--merge`, and the report on conflicts."""

from __future__ import annotations

import click

from hkgit.cli.output import print_note
from hkgit.git.repository import Repository
from hkgit.text.counting import count_noun
from hkgit.text.json_nodes import JsonObject
from hkgit.workflows.commits.merge import ConflictResult, list_conflict_results
from hkgit.workflows.commits.plan import PlannedCommit

_HOW = {
    True: ("note", "resolved by the edits"),
    False: ("warning", "stays as the first parent has it"),
}


def choose_merge(given: tuple[str, ...]) -> str | None:
    """Return the one revision to merge; a merge of more is judged by nobody. Raises UsageError."""
    if len(given) > 1:
        raise click.UsageError("--merge: merge them one by one")
    return given[0] if given else None


def tell_merge(repository: Repository, step: PlannedCommit) -> JsonObject:
    """Say path by path what becomes of the conflicts; answers with the same for the JSON."""
    if step.merging is None:
        return {}
    results = list(list_conflict_results(repository, step.merging, step.files))
    for result in results:
        print_note(_line(result, step.merging.name))
    conflicts = {each.path: "resolved" if each.is_resolved else "kept" for each in results}
    return {"merge": {"commit": step.merging.commit, "conflicts": conflicts}}


def _line(result: ConflictResult, name: str) -> str:
    word, how = _HOW[result.is_resolved]
    lack = f"; it lacks {count_noun(result.missing, 'line')} of {name}" if result.missing else ""
    return f"{word}: {result.path}: in conflict, {how}{lack}"
