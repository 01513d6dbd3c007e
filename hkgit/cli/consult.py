"""`hkgit consult`: what edits that were refused again and again left to people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from hkgit.cli.answer import Answer, answer_option
from hkgit.cli.common import open_repository
from hkgit.errors import InvalidInput
from hkgit.evidence.refusal_log import DECISIONS, Consult, Decision, RefusalLog
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import visible


@click.command()
@click.argument("id", required=False)
@click.option(
    "--decision",
    type=click.Choice(DECISIONS),
    help="The edit is wanted as it is; it is not; another one shall be written.",
)
@click.option("-m", "--message", default="", metavar="TEXT", help="Why.")
@answer_option
def command(id: str | None, decision: str | None, message: str) -> Answer:
    """List the questions that refused edits have left to people, show one, or answer it.

    The agent hears the answer when it tries again, and the entry that lands says it.
    """
    repository = open_repository()
    log = RefusalLog.of(repository.common_dir)
    found = log.find_consults()
    if id is not None:
        found = [_choose(found, id)]
    if decision is not None:
        if id is None:
            raise click.UsageError("Say which question: hkgit consult ID --decision ...")
        by = _identity(repository)
        log.decide(found[0], Decision(decision, by, message))
        found = [_choose(log.find_consults(), found[0].id)]
        line = f"{found[0].id}: {decision}, by {by}"
        return Answer({"consults": [_consult_json(found[0])]}, [visible(line)], is_info=True)
    lines = (line for each in found for line in _lines(each, is_whole=id is not None))
    return Answer({"consults": [*map(_consult_json, found)]}, map(visible, lines))


def _choose(found: list[Consult], start: str) -> Consult:
    """Choose the question whose id begins so. Raises InvalidInput where it is not exactly one."""
    fitting = [each for each in found if start and each.id.startswith(start)]
    if len(fitting) != 1:
        what = "names no question" if not fitting else "begins more than one id"
        raise InvalidInput(start or "ID", what, "hkgit consult lists them.")
    return fitting[0]


def _identity(repository: Repository) -> str:
    """Who answers, as git knows them. Raises InvalidInput for an agent."""
    identity = repository.git("var", "GIT_AUTHOR_IDENT").text
    by = identity[: identity.rindex(">") + 1]
    if load_policy(repository, None, repository.head().commit).is_agent(by):
        raise InvalidInput(by, "is an agent, and a person answers", "Let a person run this.")
    return by


def _consult_json(consult: Consult) -> dict[str, object]:
    tries = [asdict(each) | {"time": each.when} for each in consult.tries]
    return {"id": consult.id, "tries": tries}


def _lines(consult: Consult, *, is_whole: bool) -> Iterator[str]:
    last, decided = consult.tries[-1], consult.decided
    state = "open" if decided is None else f"{decided.decision} by {decided.by}"
    yield f"{consult.id}  {last.path}  refused {len(consult.tries)} times to {last.agent}  {state}"
    if not is_whole:
        return
    for each in consult.tries:
        yield f"  {each.when[:16].replace('T', ' ')}  {each.call}  {each.status}: {each.reason}"
    if decided is None:
        yield f"answer it: hkgit consult {consult.id} --decision {'|'.join(DECISIONS)} [-m TEXT]"
    elif decided.message:
        yield f"  {decided.message}"
