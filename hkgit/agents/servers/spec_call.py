"""`apply` for a connected agent."""

from __future__ import annotations

import sys

from hkgit.agents.servers.replies import Reply, of_refused, outcome_line
from hkgit.applying.outcome_json import render_apply_json
from hkgit.dialects import parse_expect
from hkgit.edits import Spec
from hkgit.git.repository import Repository
from hkgit.sessions.edit_session import EditSession
from hkgit.text.escape import to_json_text, visible
from hkgit.workflows.application import ApplyRequest, ApplyResult, advise, apply
from hkgit.workflows.arguments import Values, planning_options
from hkgit.workflows.commit_plan import Progress
from hkgit.workflows.landing_policy import explain_differing, find_differing
from hkgit.workflows.target import ApplyOptions

_FIX = "Fix: read those lines in this session, then make this call again."


def apply_spec(session: EditSession, spec: Spec, given: Values) -> Reply:
    """Commit a spec with its evidence; what the session has read counts as such."""
    expected = map(parse_expect, given.get("expect", ()))
    options = ApplyOptions(
        branch=given.get("branch"),
        base=given.get("base"),
        agent=session.agent if spec.agent is None else spec.agent,
        message=given.get("message"),
        # The judge speaks of all edits at once.
        options=planning_options(given, allow_blind=True),
        reads=(*expected, *session.status().receipts),
    )
    request = ApplyRequest((spec,), options, given.get("dry_run", False))
    result = _add_advice(apply(Repository.discover(session.root), request, Progress(_say)))
    if result.error is not None:
        reply = of_refused(result.outcomes, result.error)
        text = "\n".join([reply.text, *map(visible, result.conflicts)])
        return Reply(reply.document, text, is_error=True)
    return _reply_landed(result) if result.landed else _reply_planned(result)


def _add_advice(result: ApplyResult) -> ApplyResult:
    """Add to edits that are refused as blind how they get their evidence."""
    if not result.blocking:
        return result
    differing = find_differing(result.target, result.blocking)
    if differing:
        return advise(result, f"Fix: {explain_differing(differing)}")
    first = result.blocking[0]
    if first.rev is None:
        return advise(result, _FIX, first.lines)
    read = f"hkgit read {first.where} --rev {first.rev}"
    return advise(result, f"Fix: give `expect` with the hash that `{read}` prints.")


def _reply_landed(result: ApplyResult) -> Reply:
    done = result.landed[-1]
    subject = done.record.message.decode("utf-8", "replace").split("\n", 1)[0]
    warning = done.warning
    warned = [] if warning is None else [f"note: would be rejected: {warning}"]
    branch = "" if result.target is None else result.target.branch
    head = f"[{branch} {done.commit[:12]}] {visible(subject)}"
    text = "\n".join([head, *map(outcome_line, result.outcomes), *warned])
    return Reply(render_apply_json("applied", result.outcomes, done.commit), text)


def _reply_planned(result: ApplyResult) -> Reply:
    """What a dry run would change."""
    diffs = "".join(to_json_text(outcome.diff) or "" for outcome in result.outcomes)
    messages = "\n".join(each.message.decode("utf-8", "replace") for each in result.records)
    document = render_apply_json("applied", result.outcomes, None, dry_run=True)
    return Reply(document, f"{diffs}\n{messages}")


def _say(text: str) -> None:
    print(f"hkgit: {text}", file=sys.stderr)
