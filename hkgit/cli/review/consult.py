"""consult.py: `hkgit consult`, list, show and answer questions left to people."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import click

from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import print_info
from hkgit.errors import GitRefused, InvalidInput
from hkgit.gate import load_policy
from hkgit.gate.conflicts.consulting import (
    DECISIONS,
    Consult,
    ConsultAnswer,
    answer_consult,
    consult_json,
    read_consults_below,
    read_consults_of,
    take_committed_answers,
)
from hkgit.gate.conflicts.records import Text
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.git.repository import Repository
from hkgit.text.escaping import visible
from hkgit.values import replace
from hkgit.workflows.answer import commit_answer


@click.group()
def command() -> None:
    """List, show and answer the questions that edits which cannot land have left to people."""


@command.command("list")
@click.option("--rev", help="Look at a revision instead of the working tree.")
@click.option("--open", "only_open", is_flag=True, help="Only those that nobody has answered.")
@json_option
def list_(rev: str | None, only_open: bool, as_json: bool) -> None:
    """List the CONSULTs, and who answered what."""
    found = [
        each
        for each in _find_consults(open_repository(), rev)
        if each.answer is None or not only_open
    ]
    if as_json:
        echo_json([consult_json(each) for each in found])
    for each in () if as_json else found:
        state = "open" if each.answer is None else f"{each.answer.decision} by {each.answer.by}"
        tried = f"{len(each.conflict.tries)} tries by {each.conflict.agent}"
        click.echo(visible(f"{each.id}  {each.conflict.path}  {tried}  {state}"))


@command.command()
@click.argument("id")
@click.option("--rev", help="Look at a revision instead of the working tree.")
@json_option
def show(id: str, rev: str | None, as_json: bool) -> None:
    """Show one CONSULT with all that an answer needs."""
    consult = _one(_find_consults(open_repository(), rev), id)
    if as_json:
        echo_json(consult_json(consult))
    else:
        click.echo("\n".join(map(visible, _lines(consult))))


@command.command()
@click.argument("id")
@click.option(
    "--decision",
    required=True,
    type=click.Choice(DECISIONS),
    help="The edit is wanted as it is; it is not; another one shall be written.",
)
@click.option("-m", "--message", default="", metavar="TEXT", help="Why.")
def answer(id: str, decision: str, message: str) -> None:
    """Answer a CONSULT, and commit the answer under your own name."""
    repository = open_repository()
    if repository.work_tree is None:
        raise GitRefused("HEAD", "a bare repository has no checkout to answer in")
    consult = _one(_find_consults(repository, None), id)
    by = _identity(repository)
    met = next(
        (each for each in ConflictStore.of(repository.common_dir) if each.id == consult.id), None
    )
    latest = consult if met is None else replace(consult, conflict=met)
    given = answer_consult(latest, ConsultAnswer(decision, message, by, int(time.time())))
    commit_answer(repository, repository.work_tree, given)
    print_info(visible(f"{given.id}: {decision}, by {by}"))


def _find_consults(repository: Repository, rev: str | None) -> list[Consult]:
    if rev is None and repository.work_tree is not None:
        head = repository.head().commit
        committed = () if head is None else read_consults_of(repository, head)
        return list(take_committed_answers(read_consults_below(repository.work_tree), committed))
    return list(read_consults_of(repository, repository.resolve(rev or "HEAD")))


def _one(found: Sequence[Consult], start: str) -> Consult:
    """The CONSULT whose id begins so. Raises InvalidInput where it is not exactly one."""
    fitting = [each for each in found if start and each.id.startswith(start)]
    if len(fitting) != 1:
        what = "names no CONSULT" if not fitting else "begins more than one id"
        raise InvalidInput(start or "ID", what, "hkgit consult list shows them.")
    return fitting[0]


def _identity(repository: Repository) -> str:
    """Who answers, as git knows them. Raises InvalidInput for an agent."""
    identity = repository.git("var", "GIT_AUTHOR_IDENT").text
    by = identity[: identity.rindex(">") + 1]
    if load_policy(repository, None, repository.head().commit).is_agent(by):
        raise InvalidInput(by, "is an agent, and a person answers", "Let a person run this.")
    return by


def _lines(consult: Consult) -> Iterator[str]:
    conflict = consult.conflict
    yield f"CONSULT {consult.id}: {conflict.path}, an edit of {conflict.agent}"
    yield "the edit"
    yield from _indent(conflict.edit)
    yield from _text("expected", conflict.expected)
    yield from _text("stands there now", conflict.found)
    yield "changed by"
    for cause in dict.fromkeys((*conflict.causes, *consult.between)):
        yield f"  {cause.commit[:12]}  {_day(cause.time)}  {cause.author}  {cause.subject}"
    yield "tries"
    for tried in conflict.tries:
        yield f"  {_day(tried.time)}  on {tried.tip[:12]}  {tried.reason}"
    if consult.answer is None:
        yield f"answer it: hkgit consult answer {consult.id} --decision {'|'.join(DECISIONS)}"
    else:
        yield f"answered {_day(consult.answer.time)} by {consult.answer.by}:"
        yield f"  {consult.answer.decision}  {consult.answer.message}"


def _text(title: str, text: Text) -> Iterator[str]:
    where = "" if text.lines is None else f" (lines {text.lines[0]}-{text.lines[1]})"
    yield f"{title}{where}: {'-' if text.range_hash is None else text.range_hash[:12]}"
    yield from _indent(text.text or "")


def _indent(text: str) -> Iterator[str]:
    yield from (f"  | {line}" for line in text.splitlines())


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
