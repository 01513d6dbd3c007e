"""ci.py: continuous integration, where a judge runs beside the server and says what it saw.

The range of each event, and whose policy judges it:

=====================  ==================================  =====================================
event                  range                               policy of
=====================  ==================================  =====================================
GitHub pull_request    base.sha..head.sha                  base.sha, the target branch
GitHub merge_group     base_sha..head_sha                  base_sha, the target branch
GitHub push            before..after                       before, as on a server (trust.side_of)
GitLab merge request   target branch..CI_COMMIT_SHA        the target branch
GitLab push            CI_COMMIT_BEFORE_SHA..CI_COMMIT_SHA CI_COMMIT_BEFORE_SHA, as on a server
=====================  ==================================  =====================================

A push is over when its job runs: that judgement tells, the others may bind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from hkgit.errors import InvalidInput, Unverifiable
from hkgit.gate import Report, Watch, read_trusted_policy
from hkgit.gate.entrypoints.judging import EntryPoint
from hkgit.gate.entrypoints.trust import TrustedSide, choose_trusted_side, peel_commit
from hkgit.gate.entrypoints.updates import Update, parse_id
from hkgit.gate.policy import Policy
from hkgit.git.repository import Repository
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass

GITHUB, GITLAB = "GitHub Actions", "GitLab CI"


@dataclass(frozen=True, slots=True)
class CiEvent:
    """What a CI system runs for: `ref` is to gain, or has gained, the commits of `old..new`.

    `is_offer` says that the ref does not have them yet. None stands for a ref that is not there.
    """

    host: str
    name: str
    ref: str
    old: str | None
    new: str | None
    is_offer: bool
    default_branch: str | None = None


def read_event(environment: Mapping[str, str]) -> CiEvent:
    """Read the event of a CI job from its environment. Raises InvalidInput."""
    if environment.get("GITHUB_ACTIONS"):
        return _github(environment.get("GITHUB_EVENT_NAME", ""), _payload(environment))
    if environment.get("GITLAB_CI"):
        return _gitlab(environment)
    what = "is neither GitHub Actions nor GitLab CI"
    raise InvalidInput("environment", what, "Name the commits: hkgit gate --range A..B")


def judge_event(
    repository: Repository,
    event: CiEvent,
    given: Policy | None = None,
    watch: Watch = iter,
    *,
    explain: bool = False,
) -> Report:
    """Judge what an event brings. Raises Rejected where the update itself is refused."""
    side = find_trusted_side(repository, event, given)
    update = Update(event.ref, event.old, event.new)
    answer = EntryPoint(repository, watch=watch, explain=explain).answer(update, side)
    if answer.refusal is not None and not answer.passes:
        raise answer.refusal
    return answer.report if answer.report is not None else Report(side.policy, ())


def find_trusted_side(
    repository: Repository, event: CiEvent, given: Policy | None = None
) -> TrustedSide:
    """Find where the range of an event begins, and whose policy judges it. Raises Unverifiable."""
    old = peel_commit(repository, event.old)
    if event.is_offer:
        if old is None:
            raise _refuse_missing(event)
        policy = given if given is not None else read_trusted_policy(repository, old)
        policy = policy.for_refs([event.ref])
        return TrustedSide(policy, None, old, is_given=given is not None)
    default = None
    if event.ref != f"refs/heads/{event.default_branch}":
        default = peel_commit(repository, f"refs/remotes/origin/{event.default_branch}")
        if default is None and old is None:
            raise _refuse_missing(event)
    if event.old is not None and old is None and default is None:
        raise _refuse_missing(event)
    return choose_trusted_side(repository, [event.ref], old, default, given)


def _refuse_missing(event: CiEvent) -> Unverifiable:
    missing = event.old or f"refs/remotes/origin/{event.default_branch}"
    what = f"{missing} is not here, so there is nothing to hold the commits against"
    fix = "Check out the whole history: fetch-depth: 0 (GitHub), GIT_DEPTH: 0 (GitLab)."
    return Unverifiable(event.ref, what, fix)


def _payload(environment: Mapping[str, str]) -> JsonObject:
    where, path = "GITHUB_EVENT_PATH", environment.get("GITHUB_EVENT_PATH", "")
    fix = "GitHub names there the file that tells of the event. Elsewhere: hkgit gate --range A..B"
    if not path:
        raise InvalidInput(where, "is empty or not set", fix)
    try:
        payload = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise InvalidInput(where, f"{path} cannot be read: {error.strerror}", fix) from error
    except ValueError as error:
        raise InvalidInput(where, f"{path} is not JSON: {error}", fix) from error
    if not isinstance(payload, dict):
        raise InvalidInput(where, f"{path} holds no object", fix)
    return payload


def _github(name: str, payload: JsonObject) -> CiEvent:
    try:
        match name:
            case "pull_request" | "pull_request_target":
                return _github_pull_request(name, payload["pull_request"])
            case "merge_group":
                return _github_merge_group(name, payload["merge_group"])
            case "push":
                return _github_push(name, payload)
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"event {name}", f"has no {error}") from error
    fix = "Run it on pull_request, merge_group or push."
    raise InvalidInput(f"event {name}", "brings no commits", fix)


def _github_pull_request(name: str, pull: JsonObject) -> CiEvent:
    base, head = pull["base"], pull["head"]
    ref = f"refs/heads/{base['ref']}"
    return CiEvent(host=GITHUB, name=name, ref=ref, old=base["sha"], new=head["sha"], is_offer=True)


def _github_merge_group(name: str, group: JsonObject) -> CiEvent:
    old, new = group["base_sha"], group["head_sha"]
    return CiEvent(host=GITHUB, name=name, ref=group["base_ref"], old=old, new=new, is_offer=True)


def _github_push(name: str, payload: JsonObject) -> CiEvent:
    return CiEvent(
        host=GITHUB,
        name=name,
        ref=payload["ref"],
        old=parse_id(payload["before"]),
        new=parse_id(payload["after"]),
        is_offer=False,
        default_branch=payload["repository"]["default_branch"],
    )


def _gitlab(environment: Mapping[str, str]) -> CiEvent:
    source = environment.get("CI_PIPELINE_SOURCE", "")
    new = environment.get("CI_COMMIT_SHA")
    if source == "merge_request_event":
        target = environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "")
        # Only a pipeline on the merged result names the commit; else the branch is fetched.
        named = environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
        old = named or f"refs/remotes/origin/{target}"
        return CiEvent(
            host=GITLAB, name=source, ref=f"refs/heads/{target}", old=old, new=new, is_offer=True
        )
    if source != "push":
        fix = "Run it in merge request pipelines or on push."
        raise InvalidInput(f"pipeline by {source or 'nobody'}", "brings no commits", fix)
    tag = environment.get("CI_COMMIT_TAG")
    ref = f"refs/tags/{tag}" if tag else f"refs/heads/{environment.get('CI_COMMIT_BRANCH', '')}"
    before = parse_id(environment.get("CI_COMMIT_BEFORE_SHA", ""))
    return CiEvent(
        host=GITLAB,
        name=source,
        ref=ref,
        old=before,
        new=new,
        is_offer=False,
        default_branch=environment.get("CI_DEFAULT_BRANCH"),
    )
