"""adopt.py: `hkgit adopt`, evidence from an agent's own transcripts."""

from __future__ import annotations

import click

from hkgit.agents.transcripts.logged.locating import AGENTS
from hkgit.agents.transcripts.logged.reading import Logs
from hkgit.agents.transcripts.logged.telling import adoption_json, adoption_lines, log_lines
from hkgit.cli.agent.adopting import open_logs
from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import print_info
from hkgit.cli.review.judging import resolve_range
from hkgit.errors import Rejected
from hkgit.git.objects.store import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.workflows.adopting.adopting import AdoptRequest, adopt, changed_paths, store_checkout

UNEXPLAINED = Rejected.exit_code


@click.command()
@click.argument("commits", metavar="[A..B]", required=False)
@click.option("--staged", is_flag=True, help="Explain what is staged (where nothing is, the next).")
@click.option("--working-tree", is_flag=True, help="Explain all that is not committed.")
@click.option(
    "--from",
    "source",
    metavar="AGENT|DIR|FILE",
    help=f"Only these transcripts: of one agent ({', '.join(AGENTS)}), or those in a place.",
)
@click.option("-n", "--dry-run", is_flag=True, help="Say what would be explained, keep nothing.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    commits: str | None,
    staged: bool,
    working_tree: bool,
    source: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Find evidence in an agent's own transcripts for what hooks have missed.

    The transcript's readings and edits are replayed on the files as they were. Of a change that
    is not committed the entries are made at its commit; of commits of A..B they are kept beside
    the history, under refs/hkgit/recovered/. What no call explains is told by path and line, and
    the exit code is 6.
    """
    if sum((commits is not None, staged, working_tree)) > 1:
        raise click.UsageError("--staged, --working-tree and A..B exclude each other.")
    repository = open_repository()
    logs = open_logs(repository, source)
    request = _request(repository, logs, commits, working_tree, keeps=not dry_run)
    done = adopt(repository, request)
    if as_json:
        echo_json(adoption_json(done, logs, is_kept=request.keeps))
    else:
        for line in (*log_lines(logs), *adoption_lines(repository, done, is_kept=request.keeps)):
            print_info(line)
    ctx.exit(0 if all(each.is_whole for each in done) else UNEXPLAINED)


def _request(
    repository: Repository,
    logs: Logs,
    commits: str | None,
    of_checkout: bool,
    *,
    keeps: bool,
) -> AdoptRequest:
    """What is asked about; without a word what is staged, else what is in the checkout."""
    if commits is not None:
        old, new = resolve_range(repository, commits)
        listed = [
            commit
            for commit in repository.commits_between(old, new)
            if len(repository.commit(commit).parents) < 2
        ]
        return AdoptRequest(logs, commits=tuple(listed), keeps=keeps)
    tree = None if of_checkout else repository.index_tree()
    if tree is None or not _differs(repository, tree):
        tree = store_checkout(repository)
    return AdoptRequest(logs, tree=tree, keeps=keeps)


def _differs(repository: Repository, tree: str) -> bool:
    head = repository.head().commit
    before = EMPTY_TREE if head is None else repository.commit(head).tree
    return bool(changed_paths(repository, before, tree))
