"""explaining.py: `gate --explain`, which rule decided, and `gate --simulate`, what would have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from hkgit.audit.reports.sheet import name_of
from hkgit.cli.common import echo_json
from hkgit.errors import Unverifiable
from hkgit.evidence.ledger.trailers import decimal
from hkgit.gate import Report, Ruling
from hkgit.git.repository import Repository
from hkgit.text.escaping import console, to_json_text

EXAMPLES = 3


def print_explanation(repository: Repository, report: Report, form: str) -> None:
    """The explanation on standard output, as lines or as one JSON document."""
    if form == "json":
        echo_json({"passes": report.passes, "commits": explain_json(repository, report)})
    else:
        click.echo("\n".join(explain_lines(repository, report)))


def print_simulation(report: Report, form: str) -> None:
    """The simulation on standard output, as lines or as one JSON document."""
    if form == "json":
        echo_json(simulation_json(report))
    else:
        click.echo("\n".join(simulation_lines(report)))


def explain_lines(repository: Repository, report: Report) -> Iterator[str]:
    """For each commit the rules in the order in which they were tried, and the one that decided."""
    yield console(f"policy: {report.policy.source}")
    for ruling in report.rulings:
        yield from map(console, _ruling_lines(repository, ruling))


def _ruling_lines(repository: Repository, ruling: Ruling) -> Iterator[str]:
    end = "passes" if ruling.passes else "is rejected"
    yield f"{name_of(ruling)} {end}, decided by: {ruling.rule}"
    for number, tried in enumerate(ruling.tried, 1):
        yield f"  {number}. {tried.rule}: {tried.says}"
    for words in strength_words(repository, ruling):
        yield f"  evidence: {words}"


def strength_words(repository: Repository, ruling: Ruling) -> list[str]:
    """How tight the evidence of each file is, and which hashes other lines share."""
    from hkgit.gate.rules.strength import strengths

    said = []
    try:
        for each in strengths(repository, ruling.judged):
            said.append(
                f"{each.path}: tightness {decimal(each.tightness)}"
                f" ({each.changed} of {each.claimed} claimed lines changed)"
            )
            said += [
                f"{each.path}:{a}-{b}: weak hash, other lines of the file have the same"
                for a, b in each.weak
            ]
    except Unverifiable as error:
        said.append(str(error))
    return said


def explain_json(repository: Repository, report: Report) -> list[dict[str, Any]]:
    """The same for programs, an object a commit."""
    return [
        {
            "commit": ruling.judged.candidate.id,
            "passes": ruling.passes,
            "rule": ruling.rule,
            "tried": [
                {"rule": each.rule, "says": to_json_text(each.says)} for each in ruling.tried
            ],
            "evidence": [to_json_text(words) for words in strength_words(repository, ruling)],
        }
        for ruling in report.rulings
    ]


def simulation_lines(report: Report) -> Iterator[str]:
    """What would have been rejected, by rule, the most frequent first, with examples."""
    rejected = [ruling for ruling in report.rulings if not ruling.passes]
    counted = f"{len(rejected)} of {len(report.rulings)} commits"
    yield console(f"Under {report.policy.source}, {counted} would be rejected.")
    for rule, count in Counter(ruling.rule for ruling in rejected).most_common():
        yield f"{count:>7}  {rule}"
        for ruling in [each for each in rejected if each.rule == rule][:EXAMPLES]:
            finding = ruling.findings[0]
            yield console(f"         {name_of(ruling)} {finding.where}: {finding.what}")
    passing = Counter(str(each.judged.verdict) for each in report.rulings if each.passes)
    for verdict, count in passing.most_common():
        yield f"{count:>7}  would pass: {verdict}"


def simulation_json(report: Report) -> dict[str, Any]:
    """The same for programs."""
    rejected = [ruling for ruling in report.rulings if not ruling.passes]
    return {
        "policy": report.policy.source,
        "commits": len(report.rulings),
        "rejected": len(rejected),
        "by_rule": dict(Counter(ruling.rule for ruling in rejected).most_common()),
        "by_verdict": dict(Counter(str(each.judged.verdict) for each in report.rulings)),
        "rejections": [
            {
                "commit": each.judged.candidate.id,
                "rule": each.rule,
                "where": to_json_text(each.findings[0].where),
                "what": to_json_text(each.findings[0].what),
            }
            for each in rejected
        ],
    }
