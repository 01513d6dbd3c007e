"""storing.py: put the rows of a judged repository into the tables, and why there are none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from hkgit.audit.fleet.listing import ListedRepository
from hkgit.audit.fleet.places import FleetDirectory
from hkgit.audit.fleet.states import read_state
from hkgit.audit.fleet.tasks import (
    Failure,
    StoreJob,
    make_failure,
)
from hkgit.audit.tables.duck import keep_duck
from hkgit.audit.tables.evidence_rows import Rows
from hkgit.audit.tables.identity import RepositoryIdentity, find_roots, name_url
from hkgit.audit.tables.rows import describe_judges
from hkgit.audit.tables.writing import ExportFacts, plan_export, write_tables
from hkgit.errors import HkgitError
from hkgit.git.repository import Repository
from hkgit.values import replace


def store_rows(job: StoreJob) -> int | Failure:
    """Put the rows of all parts into the tables; how many commits they are.

    Done twice it is as done once: rows that are there already stay as they are.
    """
    try:
        return _store(job)
    except (HkgitError, OSError) as error:
        return make_failure(error, job.listed.place)


@keep_duck()
def _store(job: StoreJob) -> int:
    plan, tables = job.plan, job.directory.tables
    repository = Repository.discover(job.directory.mirror(plan.name))
    tip = next(iter(plan.tips.values()))
    identity = identify_listed(job.listed, find_roots(repository, tip))
    gone: tuple[str, ...] = ()
    if plan.is_fresh:  # the list is of all that there is: what the tables have beside it has gone
        listed = (job.directory.pending(plan.name) / "commits").read_text("ascii").split()
        judge = describe_judges(plan.policy)
        gone = plan_export(tables, identity, listed, judge, whole=True).gone
    facts = ExportFacts(" ".join(plan.tips), tip, plan.policy_digest, plan.policy.source)
    write_tables(tables, identity, _read_rows(job), facts, gone=gone)
    return plan.count


def _read_rows(job: StoreJob) -> Iterator[Rows]:
    pending = job.directory.pending(job.plan.name)
    for start in range(0, job.plan.count, job.size):
        with (pending / f"{start}.jsonl").open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def identify_listed(listed: ListedRepository, roots: tuple[str, ...] = ()) -> RepositoryIdentity:
    """Name a listed repository as the tables do."""
    return RepositoryIdentity(name_url(listed.identity), listed.identity, roots)


def note_failure(directory: FleetDirectory, listed: ListedRepository, failure: Failure) -> None:
    """Say in the tables why a repository could not be judged; what they have of it stays."""
    state = read_state(directory, listed.directory)
    tips = {} if state is None else state.tips
    error = f"{failure.where}: {failure.what}"
    facts = ExportFacts(" ".join(tips or listed.refs), next(iter(tips.values()), None))
    facts = replace(facts, status="failed", error=error)
    write_tables(directory.tables, identify_listed(listed), (), facts)


def remove_pending(directory: FleetDirectory, name: str) -> None:
    """Forget what was under way, which is in the state now."""
    place: Path = directory.pending(name)
    shutil.rmtree(place, ignore_errors=True)
