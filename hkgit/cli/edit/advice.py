"""advice.py: tell what the gate would reject, with the command that makes it pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hkgit.cli.edit.command_line import make_relative, render_again, render_expectations
from hkgit.cli.edit.spec_options import SpecOptions
from hkgit.cli.output import print_note
from hkgit.git.repository import Repository
from hkgit.text.counting import count_noun
from hkgit.workflows.apply import ApplyResult, advise
from hkgit.workflows.commits.rules import Unread


def add_advice(session: str | None, repository: Repository, result: ApplyResult) -> ApplyResult:
    """Add to edits that are refused as blind the command that fixes them."""
    mend = _mend(session, repository, result.blocking) if result.blocking else None
    return result if mend is None else advise(result, f"Mend it: {mend}", mend)


def warn_of_rejection(
    session: str | None, repository: Repository, result: ApplyResult, given: SpecOptions
) -> None:
    """Say in one line what the policy would reject of what has landed, or would."""
    assert result.rules is not None
    source = result.rules.policy.source
    if result.blind and given.allow_blind:
        count = count_noun(len(result.blind), "edit")
        landed = "would land" if given.dry_run else "landed"
        print_note(f"note: {count} {landed} blind, as asked; {source} would reject that")
    elif result.blind:
        mend = _mend(session, repository, result.blind)
        way = "" if mend is None else f"; with evidence: {_take_back(result)}{mend}"
        error = result.rules.refusal(result.blind)
        print_note(f"note: {source} would reject this: {error.where}: {error.what}{way}")
    else:
        first = next((each.warning for each in result.landed if each.warning), None)
        if first is not None:
            print_note(f"note: would be rejected: {first.where}: {first.what}. {first.fix}")


def _mend(session: str | None, repository: Repository, blind: Sequence[Unread]) -> str | None:
    """The command that gives blind edits their evidence; None where there is none."""
    root = repository.work_tree
    if all("hash" in each.accepted and each.whole_hash is not None for each in blind):
        hashes = [(each.path, each.whole_hash or "") for each in blind]
        return render_again(*render_expectations(root, hashes))
    if all("receipt" in each.accepted for each in blind):
        return _read_first(session, root, dict.fromkeys(each.path for each in blind))
    return None


def _read_first(session: str | None, root: Path | None, paths: Iterable[str]) -> str | None:
    """Write the same command in a session that reads the files first."""
    name = session or "apply"
    command = render_again("--session", name)
    if command is None:
        return None
    reads = (f"hkgit read {make_relative(root, path)} --session {name}" for path in paths)
    return " && ".join([*reads, command])


def _take_back(result: ApplyResult) -> str:
    """The command that takes back what has landed, and leaves everything else alone."""
    if not result.landed or result.target is None:
        return ""
    branch, before = result.target.branch, f"{result.landed[0].commit[:12]}^"
    if result.target.checkout:
        return f"git reset -q --keep {before} && "
    if result.target.old is None:
        return f"git branch -q -D {branch} && "
    return f"git update-ref refs/heads/{branch} {before} && "
