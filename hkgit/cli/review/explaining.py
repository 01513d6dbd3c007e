"""explaining.py: print which rule decided (`--explain`), or would have (`--simulate`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hkgit.audit.reports.sheet import name_commit
from hkgit.cli.common import echo_json
from hkgit.cli.output import echo
from hkgit.gate import Report, Ruling
from hkgit.text.escaping import escape_console, to_json_text
from hkgit.text.json_nodes import JsonObject

EXAMPLES = 3


def print_explanation(report: Report, form: str) -> None:
    """Print the explanation, as lines or as one JSON document."""
    if form == "json":
        echo_json({"passes": report.passes, "commits": explain_json(report)})
    else:
        echo("\n".join(explain_lines(report)))


def print_simulation(report: Report, form: str) -> None:
    """Print the simulation, as lines or as one JSON document."""
    if form == "json":
        echo_json(simulation_json(report))
    else:
        echo("\n".join(simulation_lines(report)))


def explain_lines(report: Report) -> Iterator[str]:
    """List, for each commit, the rules in the order tried, and the one that decided."""
    yield escape_console(f"policy: {report.policy.source}")
    for ruling in report.rulings:
        yield from map(escape_console, _ruling_lines(ruling))


def _ruling_lines(ruling: Ruling) -> Iterator[str]:
    end = "passes" if ruling.passes else "is rejected"
    yield f"{name_commit(ruling)} {end}, decided by: {ruling.rule}"
    for number, tried in enumerate(ruling.tried, 1):
        yield f"  {number}. {tried.rule}: {tried.says}"
    for words in ruling.evidence:
        yield f"  evidence: {words}"


def explain_json(report: Report) -> list[JsonObject]:
    """Write the same for programs, an object a commit."""
    return [
        {
            "commit": ruling.judged.candidate.id,
            "passes": ruling.passes,
            "rule": ruling.rule,
            "tried": [
                {"rule": each.rule, "says": to_json_text(each.says)} for each in ruling.tried
            ],
            "evidence": [to_json_text(words) for words in ruling.evidence],
        }
        for ruling in report.rulings
    ]


def simulation_lines(report: Report) -> Iterator[str]:
    """List what would have been rejected, by rule, the most frequent first, with examples."""
    rejected = [ruling for ruling in report.rulings if not ruling.passes]
    counted = f"{len(rejected)} of {len(report.rulings)} commits"
    yield escape_console(f"Under {report.policy.source}, {counted} would be rejected.")
    for rule, count in Counter(ruling.rule for ruling in rejected).most_common():
        yield f"{count:>7}  {rule}"
        for ruling in [each for each in rejected if each.rule == rule][:EXAMPLES]:
            finding = ruling.findings[0]
            yield escape_console(f"         {name_commit(ruling)} {finding.where}: {finding.what}")
    passing = Counter(str(each.judged.verdict) for each in report.rulings if each.passes)
    for verdict, count in passing.most_common():
        yield f"{count:>7}  would pass: {verdict}"


def simulation_json(report: Report) -> JsonObject:
    """Write the same for programs."""
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
