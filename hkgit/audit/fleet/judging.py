"""judging.py: judge a part of a repository's commits, and keep what came out in files."""

from __future__ import annotations

import json
import threading

from hkgit.audit.fleet.tally import Tally
from hkgit.audit.fleet.tasks import (
    Failure,
    PartJob,
    make_failure,
)
from hkgit.audit.tables.rows import describe_judges, is_lasting, make_rows
from hkgit.audit.tables.store import write_json
from hkgit.audit.trail import Trail
from hkgit.errors import HkgitError
from hkgit.gate import Gate
from hkgit.git.repository import Repository
from hkgit.text.json_nodes import JsonObject

_OF_THREAD = threading.local()
"""The judge of this thread, which keeps what it has read; a worker may have several threads."""


def judge_part(job: PartJob) -> int | Failure:
    """Judge the commits of a part, and keep what came out; how many they were."""
    try:
        job.directory.expect_seen()
        return _judge(job)
    except (HkgitError, OSError) as error:
        return make_failure(error, job.name)


def _judge(job: PartJob) -> int:
    trail, judge = _trail_of(job), describe_judges(job.policy)
    settled, opened, left = Tally(), Tally(), []
    pending = job.directory.pending(job.name)
    commits = _read_part(job)
    with (pending / f"{job.start}.jsonl").open("w", encoding="utf-8") as file:
        for commit in commits:
            audited = trail.tell(commit)
            if job.has_tables:
                rows = make_rows(trail.repository, audited, job.policy, judge)
                file.write(json.dumps(rows) + "\n")
            if is_lasting(audited.ruling):
                settled.count(audited)
            else:
                opened.count(audited)
                left.append(commit)
    document: JsonObject = {
        "settled": settled.to_json(),
        "open_tally": opened.to_json(),
        "open": left,
    }
    write_json(pending / f"{job.start}.json", document)  # the rows are there before it
    return len(commits)


def _trail_of(job: PartJob) -> Trail:
    key = (job.directory.root, job.name, job.basis, job.tip)
    if getattr(_OF_THREAD, "key", None) != key:
        repository = Repository.discover(job.directory.mirror(job.name))
        _OF_THREAD.trail = Trail(repository, Gate(repository, job.policy, tip=job.tip))
        _OF_THREAD.key = key
    trail: Trail = _OF_THREAD.trail
    return trail


def _read_part(job: PartJob) -> list[str]:
    """Read the ids of a part, without reading the list of all: each takes the same room."""
    with (job.directory.pending(job.name) / "commits").open("rb") as file:
        width = len(file.readline())
        file.seek(job.start * width)
        return file.read(job.size * width).decode("ascii").split()
