"""What was refused in this clone, what became of it, and what it left to people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hkgit.audit.commits import fits_agent
from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.options import argument, declare, limit_option, option
from hkgit.cli.terminal_rows import Cell, render_rows
from hkgit.errors import InvalidInput
from hkgit.evidence.refusal_log import DECISIONS, Consult, Decision, RefusalLog, RefusedAttempt
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.facts import find_agent_shell
from hkgit.git.repository import Repository
from hkgit.text.escape import visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import asdict


@declare
def refusals(
    *,
    agent: str | None = option("Only those of an agent, with or without version.", metavar="GLOB"),
    only_open: bool = option("Only those that have not landed yet.", "--open"),
    max_count: int = limit_option(50, "refusals"),
) -> Answer:
    """List what apply, edit and the servers refused in this clone, the newest first.

    It is a local record: what counts is in the entry that landed in the end.
    """
    log = RefusalLog.of(open_repository().common_dir)
    wanted = [
        each
        for each in reversed(log.read())
        if (agent is None or fits_agent([each.agent], agent))
        and (each.landed is None or not only_open)
    ][:max_count]
    document = {"refusals": [_document(each) for each in wanted]}
    rows = render_rows((16, 12, 5, 3, 9, 9), _rows(wanted))
    lines = rows if wanted else ["nothing was refused here"]
    return Answer(document, lines, is_long=True)


def _document(each: RefusedAttempt) -> JsonObject:
    document = asdict(each) | {"time": each.when}
    del document["text"]  # a digest that only the record is asked for
    return document


def _rows(wanted: Sequence[RefusedAttempt]) -> Iterator[Sequence[Cell]]:
    yield "time", "agent", "call", "try", "why", "became", "where"
    for each in wanted:
        became = ("open", "yellow") if each.landed is None else (each.landed[:9], "green")
        where = visible(f"{each.path}: {each.reason}" if each.path else each.reason)
        when = each.when[:16].replace("T", " ")
        yield when, visible(each.agent), each.call, str(each.tries), each.status, became, where


@declare
def consult(
    *,
    id: str | None = argument(),
    decision: str | None = option(
        "Land the edit as it is; drop it; write another one.", type=click.Choice(DECISIONS)
    ),
    message: str = option("Why.", "-m", "--message", default="", metavar="TEXT"),
) -> Answer:
    """List the questions that refused edits left to people, show one, or answer it.

    The agent gets the answer when it tries again, and the entry that lands records it.
    """
    repository = open_repository()
    log = RefusalLog.of(repository.common_dir)
    found = log.find_consults()
    if id is not None:
        found = [_choose(found, id)]
    if message and decision is None:
        raise click.UsageError("-m says why something is decided: name the --decision as well.")
    if decision is not None:
        if id is None:
            raise click.UsageError("Name a question: hkgit consult ID --decision ...")
        by = _identity(repository)
        log.decide(found[0], Decision(decision, by, message))
        found = [_choose(log.find_consults(), found[0][0].id)]
        line = f"{found[0][0].id}: {decision}, by {by}"
        return Answer({"consults": [_consult_json(found[0])]}, [visible(line)], is_info=True)
    lines = [line for each in found for line in _consult_lines(each, is_whole=id is not None)]
    document = {"consults": [*map(_consult_json, found)]}
    return Answer(document, map(visible, lines or ["nothing was asked here"]))


def _choose(found: list[Consult], start: str) -> Consult:
    """Choose the question whose id begins so. Raises InvalidInput where it is not exactly one."""
    fitting = [each for each in found if start and each[0].id.startswith(start)]
    if len(fitting) != 1:
        what = "is not the id of a question" if not fitting else "is the beginning of several ids"
        raise InvalidInput(start or "ID", what, "hkgit consult lists them.")
    return fitting[0]


def _identity(repository: Repository) -> str:
    """Who answers, as git knows them. Raises InvalidInput for an agent, and in an agent's shell."""
    identity = repository.git("var", "GIT_AUTHOR_IDENT").text
    by = identity[: identity.rindex(">") + 1]
    shell, policy = find_agent_shell(), load_policy(repository, None, repository.head().commit)
    if shell is not None or policy.is_agent(by):
        fix = "Let a person run it, in their own shell."
        raise InvalidInput(shell or by, "is an agent, but a person has to answer", fix)
    return by


def _consult_json(question: Consult) -> dict[str, object]:
    return {"id": question[0].id, "tries": [*map(_document, question)]}


def _consult_lines(question: Consult, *, is_whole: bool) -> Iterator[str]:
    first, last = question[0], question[-1]
    decided = first.decided
    state = "open" if decided is None else f"{decided.decision} by {decided.by}"
    refused = f"refused {len(question)} times to {last.agent}"
    yield f"{first.id}  {last.path}  {refused}  {state}"
    if not is_whole:
        return
    for each in question:
        yield f"  {each.when[:16].replace('T', ' ')}  {each.call}  {each.status}: {each.reason}"
    if decided is None:
        yield "answer it with one of these, and -m TEXT if you like:"
        yield from (f"  hkgit consult {first.id} --decision {each}" for each in DECISIONS)
    elif decided.message:
        yield f"  {decided.message}"
