"""binding.py: tell whether the gate of a CI job can stop a merge, as far as a job can know.

A job sees its environment and its checkout. Whether anybody has to wait for it stands in the
host's settings, which only its API tells: that is said, and not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from hkgit.errors import HkgitError
from hkgit.gate.entrypoints.ci import GITHUB, CiEvent, find_trusted_side
from hkgit.gate.entrypoints.trust import peel_commit
from hkgit.gate.policy import BUILT_IN
from hkgit.git.repository import Repository
from hkgit.values import dataclass


class Level(StrEnum):
    """What a check comes to: `broken` stops the gate from judging, `advisory` from binding."""

    OK = "ok"
    ADVISORY = "advisory"
    BROKEN = "broken"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True)
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
    yield _moment(event)
    yield _history(repository, event)
    yield _policy(repository, event)
    yield _workflow(event, environment)
    yield _judge(repository, judge)
    yield _credentials(repository)
    yield _settings(event)


def sum_up(found: list[Check]) -> Level:
    """Sum the checks up: the worst level; never that it binds, since that was not asked."""
    levels = {check.level for check in found}
    return next(each for each in (Level.BROKEN, Level.ADVISORY, Level.UNASKED) if each in levels)


def _moment(event: CiEvent) -> Check:
    if event.is_offer:
        what = f"{event.name}: its commits are offered to {event.ref} and can still be stopped"
        return Check("event", Level.OK, what)
    what = f"{event.name}: {event.ref} has its commits already, so this tells and does not stop"
    fix = "Run it on pull or merge requests and in the merge queue as well."
    return Check("event", Level.ADVISORY, what, fix)


def _history(repository: Repository, event: CiEvent) -> Check:
    fix = "Check out the whole history: fetch-depth: 0 (GitHub), GIT_DEPTH: 0 (GitLab)."
    if repository.is_shallow:
        return Check("history", Level.BROKEN, "the clone is shallow", fix)
    for side in (event.old, event.new):
        if side is not None and peel_commit(repository, side) is None:
            return Check("history", Level.BROKEN, f"{side} is not in the clone", fix)
    return Check("history", Level.OK, "all of it is here")


def _policy(repository: Repository, event: CiEvent) -> Check:
    try:
        policy = find_trusted_side(repository, event).policy
    except HkgitError as error:
        return Check("policy", Level.BROKEN, f"{error.where}: {error.what}", error.fix)
    if policy.mode != "enforce":
        what = f"{policy.source} has mode {policy.mode}, which lets everything pass"
        return Check("policy", Level.ADVISORY, what, 'Set mode = "enforce" when you are ready.')
    if policy.source == BUILT_IN:
        return Check("policy", Level.OK, "none on the trusted side, so the built-in one holds")
    return Check("policy", Level.OK, f"{policy.source} of the trusted side")


def _workflow(event: CiEvent, environment: Mapping[str, str]) -> Check:
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
    if is_trusted:
        return Check("workflow", Level.OK, f"{named} is not the change's own")
    what = f"{named or 'its file'} comes from the change itself, which may have emptied it"
    return Check("workflow", Level.ADVISORY, what, fix)


def _judge(repository: Repository, judge: Path) -> Check:
    root = repository.work_tree
    if root is not None and judge.resolve().is_relative_to(root.resolve()):
        fix = "Install a pinned hkgit before the checkout, outside it."
        return Check("judge", Level.BROKEN, "hkgit runs from the checkout that it judges", fix)
    return Check("judge", Level.OK, "hkgit is installed outside the checkout")


def _credentials(repository: Repository) -> Check:
    """Only names are read: values of these variables are secrets."""
    asked = ("config", "--local", "--name-only", "--get-regexp")
    pattern = r"^(http\..*\.extraheader|includeif\..*|credential\..*)$"
    names = repository.git(*asked, pattern, check=False).text.split()
    if names:
        what = f"the checkout keeps credentials for who can read it: {', '.join(names)}"
        return Check("credentials", Level.ADVISORY, what, "Set persist-credentials: false.")
    return Check("credentials", Level.OK, "the checkout keeps none")


def _settings(event: CiEvent) -> Check:
    what = f"whether {event.ref} requires this check, from which source, and who may pass it by"
    return Check("settings", Level.UNASKED, what, "Look at the branch's rules: it needs the API.")
