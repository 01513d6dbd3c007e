"""explaining.py: print which rule decided (`--explain`), or would have (`--simulate`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from hkgit.audit.reports.sheet import name_commit
from hkgit.cli.common import echo_json
from hkgit.cli.output import echo
from hkgit.gate import Ruling
from hkgit.gate.policy import Policy
from hkgit.text.escaping import escape_console, to_json_text
from hkgit.text.json_nodes import JsonObject
from hkgit.workflows.gate.commits import Simulation

EXAMPLES = 3


def print_explanation(policy: Policy, rulings: Iterable[Ruling], form: str) -> bool:
    """Print the explanation and return whether all passes; lines as they come, JSON at the end."""
    is_rejected, commits = False, []
    if form != "json":
        echo(escape_console(f"policy: {policy.source}"))
    for ruling in rulings:
        is_rejected |= not ruling.passes
        if form == "json":
            commits.append(explain_json(ruling))
            continue
        for line in explain_lines(ruling):
            echo(escape_console(line))
    passes = policy.mode != "enforce" or not is_rejected
    if form == "json":
        echo_json({"passes": passes, "commits": commits})
    return passes


def print_simulation(simulation: Simulation, form: str) -> None:
    """Print the simulation, as lines or as one JSON document."""
    if form == "json":
        echo_json(simulation_json(simulation))
    else:
        echo("\n".join(map(escape_console, simulation_lines(simulation))))


def explain_lines(ruling: Ruling) -> Iterator[str]:
    """List the rules in the order tried on a commit, and the one that decided."""
    end = "passes" if ruling.passes else "is rejected"
    yield f"{name_commit(ruling)} {end}, decided by: {ruling.rule}"
    for number, tried in enumerate(ruling.tried, 1):
        yield f"  {number}. {tried.rule}: {tried.says}"
    for words in ruling.evidence:
        yield f"  evidence: {words}"


def explain_json(ruling: Ruling) -> JsonObject:
    """Write the same for programs."""
    return {
        "commit": ruling.judged.candidate.id,
        "passes": ruling.passes,
        "rule": ruling.rule,
        "tried": [{"rule": each.rule, "says": to_json_text(each.says)} for each in ruling.tried],
        "evidence": [to_json_text(words) for words in ruling.evidence],
    }


def simulation_lines(simulation: Simulation) -> Iterator[str]:
    """List what would have been rejected, by rule, the most frequent first, with examples."""
    rejections = simulation.rejections
    counted = f"{len(rejections)} of {sum(simulation.met.values())} commits"
    yield f"Under {simulation.policy}, {counted} would be rejected."
    for rule, count in Counter(each.rule for each in rejections).most_common():
        yield f"{count:>7}  {rule}"
        for each in [each for each in rejections if each.rule == rule][:EXAMPLES]:
            yield f"         {(each.commit or '')[:12]} {each.where}: {each.what}"
    for verdict, count in Counter(simulation.passed).most_common():
        yield f"{count:>7}  would pass: {verdict}"


def simulation_json(simulation: Simulation) -> JsonObject:
    """Write the same for programs."""
    rejections = simulation.rejections
    return {
        "policy": simulation.policy,
        "commits": sum(simulation.met.values()),
        "rejected": len(rejections),
        "by_rule": dict(Counter(each.rule for each in rejections).most_common()),
        "by_verdict": dict(simulation.met),
        "rejections": [
            {
                "commit": each.commit,
                "rule": each.rule,
                "where": to_json_text(each.where),
                "what": to_json_text(each.what),
            }
            for each in rejections
        ],
    }
