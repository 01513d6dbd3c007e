"""Print rulings: one commit, a range, why, and what a policy would say."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from hkgit.audit.reports.findings import name_commit
from hkgit.audit.reports.text import report_lines, ruling_lines, summarize
from hkgit.cli.common import echo_json
from hkgit.cli.output import QUIET, echo, get_loudness, print_note, show_progress, style
from hkgit.errors import InvalidInput
from hkgit.gate.commit_range import Watch, split_range
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.git.program_path import name_program
from hkgit.git.repository import Repository
from hkgit.text.escape import escape_console, to_json_text
from hkgit.text.strict_json import JsonObject
from hkgit.workflows.judgement import Simulation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate.commit_range import RulingStream


_COLOURS = {"ok  ": "green", "warn": "yellow", "FAIL": "red"}
_SERVER = r"https?://[\w.-]+(:\d+)?"
_NAME = r"[\w.-]+/[\w.-]+"


def resolve_range(repository: Repository, argument: str) -> tuple[str, str]:
    """Find the two commits of `A..B`. Raises UsageError for another form, else InvalidInput."""
    try:
        old, new = split_range(argument)
    except InvalidInput as error:
        import click  # no hook judges a range

        raise click.UsageError(str(error)) from error
    try:
        return repository.resolve(old), repository.resolve(new)
    except InvalidInput as error:
        if repository.is_shallow or repository.head().commit is None:  # as the error says
            raise
        fix = f"{error.fix} In CI, check out with fetch-depth: 0."
        raise InvalidInput(error.where, error.what, fix) from error


def print_report(repository: Repository, report: Report, form: str) -> None:
    """Print the report in one of `reports.FORMATS`.

    Where it shall be quiet and nothing is found, there are no lines. `github` also adds to
    the page of the job, where there is one.
    """
    if form == "text":
        if get_loudness() > QUIET or not report.is_clean:
            echo(name_program("\n".join(map(_colour, report_lines(report)))))
        return
    from hkgit.audit.reports import render
    from hkgit.audit.reports.findings import place_report

    sheet = place_report(repository, report, _commit_url())
    echo(render(sheet, form), nl=False)
    if form == "github":
        from hkgit.audit.reports import summary

        _add_to_job_summary(summary.render(sheet))


def print_judgement(repository: Repository, report: Report, form: str, *, explain: bool) -> bool:
    """Print a report, or which rules decided; return whether the policy passes it."""
    if not explain:
        print_report(repository, report, form)
        return report.passes
    return print_explanation(report.policy, report.rulings, form)


def choose_watch(words: str, form: str) -> Watch:
    """Show how far the judge is, unless the lines on a terminal show it themselves."""
    return iter if form == "text" and sys.stdout.isatty() else show_progress(words)


def print_stream(repository: Repository, stream: RulingStream, form: str) -> bool:
    """Print the rulings in one of `reports.FORMATS`; return whether the policy passes them.

    Text comes line by line, a document at the end: it says first whether all passes, and an error
    halfway would leave half of it. Memory grows with what is found, not with the range.
    """
    if form == "text":
        return _print_rulings(stream.policy, stream.rulings)
    if form == "github":
        return _print_job_log(repository, stream)
    if form == "json":
        return _print_json(repository, stream)
    return _print_document(repository, stream, form)


def _print_rulings(policy: Policy, rulings: Iterator[Ruling]) -> bool:
    """Print the report as text, each commit as soon as it is judged; return whether it passes.

    Where it shall be quiet, only commits with a finding are told, and with none of them nothing.
    """
    is_quiet = get_loudness() == QUIET
    count = rejected = shown = 0
    for ruling in rulings:
        count += 1
        rejected += not ruling.passes
        if is_quiet and not ruling.findings:
            continue
        shown += 1
        for line in ruling_lines(ruling, policy):
            echo(_colour(name_program(line)))
    if shown or not is_quiet:
        echo(escape_console(summarize(policy, count, rejected)))
    return policy.mode != "enforce" or not rejected


def _print_document(repository: Repository, stream: RulingStream, form: str) -> bool:
    """Print the report as one document; return whether the policy passes it.

    The document is printed when all is judged, so that it is whole or a refusal.
    """
    kept = []
    last = None
    for last in stream.rulings:
        if last.findings or not last.passes:
            kept.append(last)
    if last is not None and (not kept or kept[-1] is not last):
        kept.append(last)  # findings are placed in the newest commit
    report = Report(stream.policy, tuple(kept))
    print_report(repository, report, form)
    return report.passes


def _print_job_log(repository: Repository, stream: RulingStream) -> bool:
    """Print each commit as soon as it is judged, then what GitHub shows on the files."""
    from hkgit.audit.reports.findings import place_findings
    from hkgit.audit.reports.github import render_annotations
    from hkgit.audit.reports.summary import JobSummary

    policy, page, annotations = stream.policy, JobSummary(_commit_url()), []
    count = rejected = 0
    for ruling, items in place_findings(repository, stream.rulings, _tip_tree(repository, stream)):
        count += 1
        rejected += not ruling.passes
        for line in ruling_lines(ruling, policy):
            echo(line)
        annotations.append(render_annotations(items, policy))
        page.add(ruling)
    echo(escape_console(summarize(policy, count, rejected)))
    echo("".join(annotations), nl=False)
    _add_to_job_summary(page.render(policy))
    return policy.mode != "enforce" or not rejected


def _tip_tree(repository: Repository, stream: RulingStream) -> str:
    """The tree in which findings are placed: that of the newest commit."""
    from hkgit.git.objects import EMPTY_TREE

    return EMPTY_TREE if stream.tip is None else repository.commit(stream.tip).tree


def _print_json(repository: Repository, stream: RulingStream) -> bool:
    from tempfile import TemporaryFile

    from hkgit.audit.reports.findings import place_findings
    from hkgit.audit.reports.plain import render_commit, render_ends

    policy, tip = stream.policy, _tip_tree(repository, stream)
    is_rejected, mark = False, ""
    with TemporaryFile("w+", encoding="ascii") as kept:
        for ruling, items in place_findings(repository, stream.rulings, tip):
            is_rejected |= not ruling.passes
            kept.write(mark + render_commit(ruling, items, policy))
            mark = ","
        passes = policy.mode != "enforce" or not is_rejected
        before, after = render_ends(policy, passes=passes)
        echo(before, nl=False)
        kept.seek(0)
        while part := kept.read(1 << 16):
            echo(part, nl=False)
    echo(after if mark else after.removeprefix("\n  "), nl=False)
    return passes


def _colour(line: str) -> str:
    mark = line[:4]
    return style(mark, _COLOURS[mark], sys.stdout) + line[4:] if mark in _COLOURS else line


def _commit_url() -> str | None:
    """What GitHub shows a commit under, of the repository whose workflow runs this."""
    server, name = (os.environ.get(f"GITHUB_{key}", "") for key in ("SERVER_URL", "REPOSITORY"))
    is_known = re.fullmatch(_SERVER, server) is not None and re.fullmatch(_NAME, name) is not None
    return f"{server}/{name}/commit/" if is_known else None


def _add_to_job_summary(text: str) -> None:
    """Append to the file that GitHub renders on the page of the job."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        print_note(f"warning: no job summary: {path}: {error.strerror}")


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
