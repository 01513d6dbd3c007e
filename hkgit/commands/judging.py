"""judging.py: what `gate` and `verify` share: which range, which policy, how a report reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from hkgit.applying.reporting import shown_text, visible
from hkgit.errors import InvalidInput
from hkgit.gate import Report, Ruling, split_range
from hkgit.git.repository import Repository
from hkgit.policy import Policy, load_toml, parse_policy, policy_in, read_policy


def resolve_range(repository: Repository, argument: str) -> tuple[str, str]:
    """The two commits of `A..B`. Raises click.UsageError for another form, else InvalidInput."""
    try:
        old, new = split_range(argument)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from error
    try:
        return repository.resolve(old), repository.resolve(new)
    except InvalidInput as error:
        fix = f"{error.fix} In CI, check out with fetch-depth: 0."
        raise InvalidInput(error.where, error.what, fix) from error


def load_policy(repository: Repository, given: str | None, trusted: str | None) -> Policy:
    """The policy that was named, as FILE or REV:PATH, or that of the trusted commit."""
    if given is None:
        return Policy() if trusted is None else read_policy(repository.snapshot(trusted))
    if Path(given).is_file():
        return _parsed(given, Path(given).read_bytes())
    rev, colon, path = given.partition(":")
    file = repository.snapshot(repository.resolve(rev)).get(path) if colon else None
    if file is None:
        raise InvalidInput("--policy", f"there is no {given}", "Name a FILE or REV:PATH.")
    return _parsed(given, file.data)


def _parsed(source: str, data: bytes) -> Policy:
    table = policy_in(load_toml(source, data), Path(source.rpartition(":")[2]).name)
    return Policy(source=source) if table is None else parse_policy(table, source)


def report_json(report: Report) -> dict[str, Any]:
    """A report as one JSON object."""
    return {
        "passes": report.passes,
        "provisional": report.provisional,
        "policy": {"source": report.policy.source, "mode": report.policy.mode},
        "commits": [ruling_json(ruling) for ruling in report.rulings],
    }


def ruling_json(ruling: Ruling) -> dict[str, Any]:
    """One commit's ruling as a JSON object."""
    judged = ruling.judged
    return {
        "commit": judged.candidate.id,
        "verdict": str(judged.verdict),
        "passes": ruling.passes,
        "rule": ruling.rule,
        "entries": [name for name, _ in judged.entries],
        "findings": [
            {
                "rule": finding.rule,
                "where": shown_text(finding.where),
                "what": shown_text(finding.what),
                "fix": shown_text(finding.fix),
            }
            for finding in ruling.findings
        ],
        "notes": list(judged.notes),
    }


def report_lines(report: Report) -> Iterator[str]:
    """A report for people: a line a commit, its reasons below it, the sum at the end."""
    for ruling in report.rulings:
        judged = ruling.judged
        name = "commit to be made" if judged.candidate.id is None else judged.candidate.id[:12]
        mark = "ok  " if ruling.passes else "FAIL"
        yield f"{mark} {name}  {judged.verdict}  ({ruling.rule})"
        for finding in ruling.findings:
            yield f"     {visible(finding.where)}: {visible(finding.what)}"
            yield f"       -> {visible(finding.fix)}"
        for note in judged.notes:
            yield f"     note: {visible(note)}"
    yield summary(report)


def summary(report: Report) -> str:
    """How many commits, how many pass, and under which policy."""
    count = len(report.rulings)
    noun = "commit" if count == 1 else "commits"
    rejected = sum(not ruling.passes for ruling in report.rulings)
    words = f"{count} {noun}"
    if count:
        words += f", {rejected} rejected" if rejected else ", all pass"
    if report.policy.mode != "enforce" and rejected:
        words += f" (mode {report.policy.mode}: let through)"
    return f"{words}; {report.policy.source}" + (", provisional" if report.provisional else "")
