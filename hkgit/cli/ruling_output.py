"""Print rulings: one commit, a range, why, and what a policy would say."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hkgit.audit.reports import ReportTotals, begin
from hkgit.audit.reports.findings import ReportItem, name_commit
from hkgit.cli.answer import echo_json
from hkgit.cli.output import QUIET, echo, get_loudness, print_note, show_progress, style
from hkgit.errors import InvalidInput
from hkgit.gate.commit_range import CommitRange, Watch, split_range
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.program import name_program
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


def find_range(
    repository: Repository, words: str, policy: str | None = None, *, is_range: bool = False
) -> tuple[CommitRange, Policy]:
    """Find what `A..B` or, unless it must be a range, `REV` names, and the policy that judges it.

    That is the one at A, at HEAD where no range is named, or the one that is named. Raises
    UsageError and InvalidInput.
    """
    if is_range or ".." in words:
        asked = CommitRange(*resolve_range(repository, words))
    else:
        asked = CommitRange(None, repository.resolve(words))
    return asked, load_policy(repository, policy, asked.old or repository.head().commit)


def print_judgement(repository: Repository, report: Report, form: str, *, explain: bool) -> bool:
    """Print a report, or which rules decided; return whether the policy passes it."""
    if not explain:
        tree = report.rulings[-1].judged.candidate.tree if report.rulings else None
        totals = ReportTotals(report.policy, report.provisional)
        return _print(repository, iter(report.rulings), tree, form, totals)
    return print_explanation(report.policy, report.rulings, form)


def choose_watch(words: str, form: str) -> Watch:
    """Show how far the judge is, unless the lines on a terminal show it themselves."""
    return iter if form == "text" and sys.stdout.isatty() else show_progress(words)


def print_stream(repository: Repository, stream: RulingStream, form: str) -> bool:
    """Print the rulings in one of `reports.FORMATS`; return whether the policy passes them.

    Text comes line by line, a document at the end: it says first whether all passes, and an error
    halfway would leave half of it. Memory grows with what is found, not with the range.
    """
    is_placed = form != "text" and stream.tip is not None
    tree = repository.commit(stream.tip).tree if is_placed and stream.tip is not None else None
    return _print(repository, stream.rulings, tree, form, ReportTotals(stream.policy))


def _print(
    repository: Repository,
    rulings: Iterator[Ruling],
    tree: str | None,
    form: str,
    totals: ReportTotals,
) -> bool:
    """Print rulings, their findings placed in the tree of the newest commit.

    Where it shall be quiet, of text only commits with a finding are told, and with none of them
    nothing. `github` also adds to the page of the job, where there is one.
    """
    is_quiet, is_shown = form == "text" and get_loudness() == QUIET, False
    address = _commit_url() if form == "github" else None
    with closing(begin(form, totals.policy, address)) as report:
        for ruling, items in _place(repository, rulings, tree, form):
            totals.add(ruling)
            text = report.add(ruling, items)
            if not is_quiet or ruling.findings:
                is_shown = True
                _echo(text, form)
        if is_shown or not is_quiet:
            _echo(report.end(totals), form)
        if form == "github":
            from hkgit.audit.reports import github

            assert isinstance(report, github.GitHubFormat)
            _add_to_job_summary(report.page.render(totals))
    return totals.passes


def _place(
    repository: Repository, rulings: Iterator[Ruling], tree: str | None, form: str
) -> Iterator[tuple[Ruling, Sequence[ReportItem]]]:
    if form == "text" or tree is None:
        return ((ruling, ()) for ruling in rulings)
    from hkgit.audit.reports.findings import place_findings

    return place_findings(repository, rulings, tree)


def _echo(parts: Iterable[str], form: str) -> None:
    for part in parts:
        echo(_colour(name_program(part)) if form == "text" else part, nl=False)


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
