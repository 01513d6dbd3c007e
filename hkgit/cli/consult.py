"""`hkgit consult`: what edits that were refused again and again left to people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import print_info
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
    help="Land the edit as it is; drop it; write another one.",
)
@click.option("-m", "--message", default="", metavar="TEXT", help="Why.")
@json_option
def command(id: str | None, decision: str | None, message: str, as_json: bool) -> None:
    """List the questions that refused edits left to people, show one, or answer it.

    The agent gets the answer when it tries again, and the entry that lands records it.
    """
    repository = open_repository()
    log = RefusalLog.of(repository.common_dir)
    found = log.find_consults()
    if id is not None:
        found = [_choose(found, id)]
    if decision is not None:
        if id is None:
            raise click.UsageError("Name a question: hkgit consult ID --decision ...")
        by = _identity(repository)
        log.decide(found[0], Decision(decision, by, message))
        print_info(visible(f"{found[0].id}: {decision}, by {by}"))
    elif as_json:
        echo_json({"consults": [_consult_json(each) for each in found]})
    else:
        for each in found:
            click.echo("\n".join(map(visible, _lines(each, is_whole=id is not None))))


def _choose(found: list[Consult], start: str) -> Consult:
    """Choose the question whose id begins so. Raises InvalidInput where it is not exactly one."""
    fitting = [each for each in found if start and each.id.startswith(start)]
    if len(fitting) != 1:
        what = "is not the id of a question" if not fitting else "is the beginning of several ids"
        raise InvalidInput(start or "ID", what, "hkgit consult lists them.")
    return fitting[0]


def _identity(repository: Repository) -> str:
    """Who answers, as git knows them. Raises InvalidInput for an agent."""
    identity = repository.git("var", "GIT_AUTHOR_IDENT").text
    by = identity[: identity.rindex(">") + 1]
    if load_policy(repository, None, repository.head().commit).is_agent(by):
        raise InvalidInput(by, "is an agent, but a person has to answer", "Let a person run it.")
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
