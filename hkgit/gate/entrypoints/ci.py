"""Jobs of CI: what they judge, and whether their answer binds.

The range of each event, and whose policy judges it:

=====================  ==================================  =====================================
event                  range                               policy of
=====================  ==================================  =====================================
GitHub pull_request    base.sha..head.sha                  base.sha, the target branch
GitHub merge_group     base_sha..head_sha                  base_sha, the target branch
GitHub push            before..after                       before, as on a server
GitLab merge request   target branch..CI_COMMIT_SHA        the target branch
GitLab push            CI_COMMIT_BEFORE_SHA..CI_COMMIT_SHA CI_COMMIT_BEFORE_SHA, as on a server
=====================  ==================================  =====================================

A push is over when its job runs: that judgement tells, the others may bind.

A job sees its environment and its checkout. Whether anybody has to wait for it is in the
host's settings, which only its API tells: that is said, and not asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from hkgit.errors import HkgitError, InvalidInput, Unverifiable
from hkgit.gate.clock import Watch
from hkgit.gate.entrypoints.arrival import (
    EntryPoint,
    TrustedSide,
    Update,
    choose_trusted_side,
    parse_id,
    peel_commit,
)
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import BUILT_IN, Policy
from hkgit.gate.ruling import Report
from hkgit.gate.trusted_policy import read_trusted_policy
from hkgit.git.repository import Repository
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

GITHUB, GITLAB = "GitHub Actions", "GitLab CI"


@dataclass(frozen=True)
class CiEvent:
    """What a CI system runs for: `ref` is to gain, or has gained, the commits of `old..new`.

    `is_offer` says that the ref does not have them yet. None represents a ref that is not there.
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
        return _read_github(environment.get("GITHUB_EVENT_NAME", ""), _read_payload(environment))
    if environment.get("GITLAB_CI"):
        return _read_gitlab(environment)
    what = "is not GitHub Actions or GitLab CI"
    fix = "Run it in the job, or name the commits: hkgit gate --range A..B"
    raise InvalidInput("environment", what, fix)


def judge_event(
    repository: Repository,
    event: CiEvent,
    given: Policy | None = None,
    watch: Watch = iter,
    *,
    say: Callable[[str], None],
    explain: bool = False,
) -> Report:
    """Judge what an event brings.

    Raises Rejected where the update itself is refused; a policy that does not enforce has that
    said.
    """
    side = find_trusted_side(repository, event, given)
    update = Update(event.ref, event.old, event.new)
    point = EntryPoint(repository, JudgeContext(explain=explain))
    try:
        return point.answer(update, side, watch).report
    except HkgitError as error:
        if side.policy.mode == "enforce":
            raise
        say(f"would be rejected: {error}")
        return Report(side.policy)


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
    what = f"{missing} is not here, so there is nothing to compare the commits with"
    return Unverifiable(event.ref, what, _WHOLE)


_WHOLE = "Check out the whole history: fetch-depth: 0 (GitHub), GIT_DEPTH: 0 (GitLab)."


def _read_payload(environment: Mapping[str, str]) -> JsonObject:
    where, path = "GITHUB_EVENT_PATH", environment.get("GITHUB_EVENT_PATH", "")
    fix = "GitHub sets it to the file that describes the event. Elsewhere: hkgit gate --range A..B"
    if not path:
        raise InvalidInput(where, "is empty or not set", fix)
    try:
        payload = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise InvalidInput(where, f"{path} cannot be read: {error.strerror}", fix) from error
    except ValueError as error:
        raise InvalidInput(where, f"{path} is not JSON: {error}", fix) from error
    if not isinstance(payload, dict):
        raise InvalidInput(where, f"{path} is not a JSON object", fix)
    return payload


def _read_github(name: str, payload: JsonObject) -> CiEvent:
    default = None
    try:
        match name:
            case "pull_request" | "pull_request_target":
                base, head = payload["pull_request"]["base"], payload["pull_request"]["head"]
                ref, old, new = f"refs/heads/{base['ref']}", base["sha"], head["sha"]
            case "merge_group":
                group = payload["merge_group"]
                ref, old, new = group["base_ref"], group["base_sha"], group["head_sha"]
            case "push":
                ref, old, new = payload["ref"], payload["before"], payload["after"]
                default = payload["repository"]["default_branch"]
            case _:
                fix = "Run it on pull_request, merge_group or push."
                raise InvalidInput(f"event {name}", "brings no commits", fix)
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"event {name}", f"has no {error}") from error
    return CiEvent(
        host=GITHUB,
        name=name,
        ref=ref,
        old=parse_id(old),
        new=parse_id(new),
        is_offer=name != "push",
        default_branch=default,
    )


def _read_gitlab(environment: Mapping[str, str]) -> CiEvent:
    source = environment.get("CI_PIPELINE_SOURCE", "")
    new = environment.get("CI_COMMIT_SHA")
    if source == "merge_request_event":
        target = environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "")
        # Only a pipeline on the merged result names the commit; else the branch is fetched.
        named = environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
        old = named or f"refs/remotes/origin/{target}"
        ref = f"refs/heads/{target}"
        return CiEvent(host=GITLAB, name=source, ref=ref, old=old, new=new, is_offer=True)
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


class Level(StrEnum):
    """What a check comes to: `broken` stops the gate from judging, `advisory` from binding."""

    OK = "ok"
    ADVISORY = "advisory"
    BROKEN = "broken"
    UNASKED = "unasked"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what was found, and what to do about it."""

    name: str
    level: Level
    what: str
    fix: str = ""


def run_checks(
    repository: Repository, event: CiEvent, environment: Mapping[str, str], judge: Path
) -> Iterator[Check]:
    """Check everything that decides whether the gate of this job binds.

    `judge` is where hkgit's own code is.
    """
    late = f"{event.name}: {event.ref} has its commits already, so this reports and stops nothing"
    yield _tell(
        "event",
        f"{event.name}: its commits are proposed for {event.ref} and can still be stopped",
        "" if event.is_offer else late,
        "Run it on pull or merge requests and in the merge queue as well.",
    )
    sides = [side for side in (event.old, event.new) if side is not None]
    missing = [f"{side} is not in the clone" for side in sides if not peel_commit(repository, side)]
    cut = ["the clone is shallow"] if repository.is_shallow else missing
    yield _tell("history", "the clone is complete", "".join(cut[:1]), _WHOLE, Level.BROKEN)
    yield _check_policy(repository, event)
    yield _check_workflow(event, environment)
    root = repository.work_tree
    is_within = root is not None and judge.resolve().is_relative_to(root.resolve())
    yield _tell(
        "judge",
        "hkgit is installed outside the checkout",
        "hkgit runs from the checkout that it judges" if is_within else "",
        "Install a pinned hkgit before the checkout, outside it.",
        Level.BROKEN,
    )
    # Only names are read: values of these variables are secrets.
    asked = ("config", "--local", "--name-only", "--get-regexp")
    pattern = r"^(http\..*\.extraheader|includeif\..*|credential\..*)$"
    names = repository.git(*asked, pattern, check=False).text.split()
    kept = f"the checkout keeps credentials that anyone who reads it can use: {', '.join(names)}"
    fine, fix = "the checkout keeps no credentials", "Set persist-credentials: false."
    yield _tell("credentials", fine, kept if names else "", fix)
    what = f"whether {event.ref} requires this check, from which source, and who may bypass it"
    fix = "Check the branch's rules: that needs the API."
    yield Check("settings", Level.UNASKED, what, fix)


def _tell(name: str, fine: str, wrong: str, fix: str, level: Level = Level.ADVISORY) -> Check:
    """Make the check of something that is fine, or where that is said, wrong."""
    return Check(name, level, wrong, fix) if wrong else Check(name, Level.OK, fine)


def sum_up(found: list[Check]) -> Level:
    """Sum the checks up: the worst level; never that it binds, since that was not asked."""
    levels = {check.level for check in found}
    return next(each for each in (Level.BROKEN, Level.ADVISORY, Level.UNASKED) if each in levels)


def _check_policy(repository: Repository, event: CiEvent) -> Check:
    try:
        policy = find_trusted_side(repository, event).policy
    except HkgitError as error:
        return Check("policy", Level.BROKEN, f"{error.where}: {error.what}", error.fix)
    if policy.mode != "enforce":
        what = f"{policy.source} has mode {policy.mode}, which rejects nothing"
        return Check("policy", Level.ADVISORY, what, 'Set mode = "enforce" when you are ready.')
    if policy.source == BUILT_IN:
        return Check("policy", Level.OK, "none on the trusted side, so the built-in one applies")
    return Check("policy", Level.OK, f"{policy.source} of the trusted side")


def _check_workflow(event: CiEvent, environment: Mapping[str, str]) -> Check:
    """Whether the change under judgement could have changed the job that judges it."""
    if event.host == GITHUB:
        named = environment.get("GITHUB_WORKFLOW_REF", "")
        ref = named.rpartition("@")[2]
        is_trusted = not event.is_offer or ref == event.ref
        fix = "Require the workflow in a ruleset of the organisation, from another repository."
    else:
        named = environment.get("CI_CONFIG_PATH") or ".gitlab-ci.yml"
        is_trusted = not event.is_offer or "@" in named or named.startswith("https://")
        fix = "Keep it in another project (CI/CD configuration file), or in an execution policy."
    fine = f"{named} does not come from the change"
    wrong = f"{named or 'its file'} comes from the change itself, which may have disabled it"
    return _tell("workflow", fine, "" if is_trusted else wrong, fix)
