"""The ledger entry and the message of a planned commit."""

from __future__ import annotations

import time

from hkgit.applying.net import NetChange, words_of_files, words_written
from hkgit.applying.outcome import files_before
from hkgit.applying.series import PlannedSpec
from hkgit.edits import File, MappingSnapshot, Overlay, Snapshot
from hkgit.errors import InvalidInput
from hkgit.evidence.claims import make_claims, make_squash_claim, record
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, Entry, entry_id, entry_path
from hkgit.evidence.refusal_log import make_refusal_claims
from hkgit.evidence.trailers import append_trailers, list_missing_lines, render_trailers
from hkgit.matching.place import Settings
from hkgit.text.escape import count_noun
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass
from hkgit.workflows.commit_plan import PlannedCommit
from hkgit.workflows.target import ApplyOptions


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step with its entry, as it will stand in the commit."""

    entry: Entry
    id: str
    message: bytes


def record_step(
    step: PlannedCommit,
    choices: ApplyOptions,
    verify: dict[str, object] | None,
    *,
    credits_agents: bool = False,
    as_said: bool = False,
) -> RecordedStep:
    """Make the entry and message of a step in which every edit applied.

    With `credits_agents` the message says that the agent assisted, too. With `as_said` the entry
    holds each edit, else their net change where they wrote over one another. Raises InvalidInput
    for an agent or a message that cannot stand in a commit.
    """
    agent = _first(choices.agent, step.spec.agent, "unknown")
    _check_agent(agent)
    net = None if as_said else _find_net_change(step, choices.options.settings)
    told = step if net is None else net
    claims = _make_claims(step, choices, agent, verify)
    if net is not None:
        claims["squashed"] = make_squash_claim(len(step.plan.outcomes), [agent])
    entry = record(
        told.spec,
        told.plan,
        settings=choices.options.settings,
        base=step.base,
        spec_digest=told.spec.digest,
        reads=told.reads,
        claims=claims,
    )
    name = entry_id(entry.to_bytes())
    text = _choose_message(step, choices)
    credit = list_missing_lines([entry], text.encode()) if credits_agents else []
    message = append_trailers(text, (*credit, *render_trailers(entry, name)))
    return RecordedStep(entry, name, message)


def _find_net_change(step: PlannedCommit, settings: Settings) -> PlannedSpec | None:
    """The net change of a spec that wrote text and took it back; None for any other spec.

    The ledger holds no such text: no diff shows it. Raises InvalidInput where no diff says what
    the edits make together.
    """
    changes, outcomes = step.plan.files, step.plan.outcomes
    if not step.spec.sequential or len(outcomes) < 2:
        return None
    landed = words_of_files(file for each in changes for file in (each.before, each.after))
    if words_written(step.spec, outcomes) <= landed:
        return None
    net = NetChange()
    net.add(step.plan)
    try:
        return net.restate(Overlay(MappingSnapshot(), files_before(changes)), settings)
    except InvalidInput as error:
        what = "its edits write text and take it back, which a ledger may not keep"
        raise InvalidInput(error.where, what, "Write each line once, as it is to stay.") from error


def _make_claims(
    step: PlannedCommit, choices: ApplyOptions, agent: str, verify: dict[str, object] | None
) -> JsonObject:
    return make_claims(
        agent,
        int(time.time()),
        verify=verify,
        allow_blind=choices.allow_blind,
        refusals=_find_refusals(step, choices, agent),
    )


def _choose_message(step: PlannedCommit, choices: ApplyOptions) -> str:
    text = _first(choices.message, step.spec.summary, default_subject(step))
    if not text.strip():
        raise InvalidInput("--message", "is blank", "Say what the commit does, or leave it out.")
    if any(line.lower().startswith("hkgit-") for line in text.splitlines()):
        raise InvalidInput("--message", "holds a Hkgit- trailer", "hkgit writes those itself.")
    return text


def _find_refusals(
    step: PlannedCommit, choices: ApplyOptions, agent: str
) -> list[dict[str, object]]:
    """Find what the agent was refused before in the files that the step changes."""
    if choices.refused is None:
        return []
    paths = {outcome.path for outcome in step.plan.outcomes}
    return make_refusal_claims(choices.refused.find_open(agent, paths))


def _first(*texts: str | None) -> str:
    """The first text that was given."""
    return next(text for text in texts if text is not None)


def default_subject(step: PlannedCommit) -> str:
    """`Apply 3 edits to 2 files`, or `Merge topic`."""
    if step.merging is not None:
        return f"Merge {step.merging.name}"
    edits, files = len(step.plan.outcomes), len(step.plan.files)
    return f"Apply {count_noun(edits, 'edit')} to {count_noun(files, 'file')}"


def _check_agent(agent: str) -> None:
    if not agent.strip() or not agent.isprintable():
        raise InvalidInput("--agent", "is not one line of printable text", "Write name/version.")


def ledger_files(files: Snapshot, record: RecordedStep) -> dict[str, File | None]:
    """List what hkgit itself adds to a commit: the entry and, the first time, its attributes."""
    added: dict[str, File | None] = {entry_path(record.id): File(record.entry.to_bytes())}
    if files.get(ATTRIBUTES_PATH) is None:
        added[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    return added
