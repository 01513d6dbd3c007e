"""gate.py: `hkgit gate`, the judge at every point where commits pass."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hkgit.applying.reporting import visible
from hkgit.commands.common import open_repository
from hkgit.commands.judging import format_option, load_policy, print_report, resolve_range
from hkgit.commands.manners import remark, watched
from hkgit.errors import InvalidInput, Rejected
from hkgit.gate import REJECTED, Report, judge_index, judge_range
from hkgit.git.hooks import calls_gate
from hkgit.git.repository import Repository
from hkgit.reports.text import report_lines


@click.command()
@click.option("--staged", is_flag=True, help="Judge the commit about to be made (pre-commit).")
@click.option(
    "--message-file",
    metavar="FILE",
    # A framework may drop the one name that it passes (see `_message_path`).
    is_flag=False,
    flag_value="",
    help="The same, with its message (commit-msg).",
)
@click.option("--range", "commits", metavar="A..B", help="Judge every commit of a range.")
@click.option("--pre-push", is_flag=True, help="Judge what a push sends (pre-push).")
@click.option("--remote", metavar="NAME", help="Where --pre-push sends it.")
@click.option("--pre-receive", is_flag=True, help="Judge what a server is sent (pre-receive).")
@click.option(
    "--reference-transaction", "transaction", metavar="STATE",
    help="Judge what branches are to become (reference-transaction).",
)  # fmt: skip
@click.option(
    "--budget", type=float, metavar="SECONDS",
    help="What --pre-receive may take; else git's hkgit.budget, else 4.",
)  # fmt: skip
@click.option("--ci", "in_ci", is_flag=True, help="Judge what the CI job at hand runs for.")
@click.option(
    "--simulate", metavar="A..B",
    help="Say what of a range would be rejected, by rule; rejects nothing.",
)  # fmt: skip
@click.option("--explain", is_flag=True, help="Say which rules were tried and which one decided.")
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than the trusted side's.")
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    staged: bool,
    message_file: str | None,
    commits: str | None,
    pre_push: bool,
    remote: str | None,
    pre_receive: bool,
    transaction: str | None,
    budget: float | None,
    in_ci: bool,
    simulate: str | None,
    explain: bool,
    policy: str | None,
    form: str,
) -> None:
    """Judge commits under the repository's policy, believing nothing that cannot be derived."""
    asked = (each is not None for each in (message_file, commits, transaction, simulate))
    if sum((staged, pre_push, pre_receive, in_ci, *asked)) != 1:
        names = "--staged, --message-file, --range, --pre-push, --pre-receive, --ci"
        raise click.UsageError(f"Give exactly one of {names}, --reference-transaction, --simulate.")
    if (explain or simulate is not None) and form not in ("text", "json"):
        raise click.UsageError("--explain and --simulate answer as text or json.")
    if pre_push or pre_receive or transaction is not None:
        from hkgit.commands import refs

        if pre_push:
            passes = refs.judge_push(remote, policy, form)
        elif transaction is not None:
            passes = refs.judge_transaction(transaction, policy, form)
        else:
            passes = refs.judge_reception(budget, policy, form)
        if not passes:
            ctx.exit(Rejected.exit_code)
        return
    if simulate is not None:
        _simulate(simulate, policy, form)
        return
    repository = open_repository(in_hook=commits is None and not in_ci)
    if in_ci:
        report = _judge_event(repository, policy)
    elif commits is not None:
        report = _judge_range(repository, commits, policy)
    else:
        if staged and _is_left_to_commit_msg(repository):
            return
        report = _judge_index(repository, message_file, policy)
        _remember(repository, report)
    if explain:
        from hkgit.commands.explaining import print_explanation

        print_explanation(repository, report, form)
    else:
        print_report(repository, report, form)
    if not report.passes:
        ctx.exit(Rejected.exit_code)


def _simulate(commits: str, policy: str | None, form: str) -> None:
    from hkgit.commands.explaining import print_simulation

    print_simulation(_judge_range(open_repository(), commits, policy), form)


def _judge_range(repository: Repository, commits: str, policy: str | None) -> Report:
    old, new = resolve_range(repository, commits)
    trusted = load_policy(repository, policy, old)
    return judge_range(repository, old, new, trusted, watch=watched("judging commit"))


def _judge_event(repository: Repository, policy: str | None) -> Report:
    from hkgit.points.ci import event_of, judge_event

    event = event_of(os.environ)
    given = None if policy is None else load_policy(repository, policy, None)
    words = f"{event.name} ({event.host}): from {event.old} to {event.new}, for {event.ref}"
    remark(f"hkgit: {visible(words)}")
    return judge_event(repository, event, given, watched("judging commit"))


def _judge_index(repository: Repository, message_file: str | None, policy: str | None) -> Report:
    message = None
    if message_file is not None:
        raw = _read_message(_message_path(repository, message_file))
        message = repository.git("stripspace", "--strip-comments", stdin=raw).stdout
    head = repository.head().commit
    return judge_index(
        repository,
        load_policy(repository, policy, head),
        author=_identity(repository, "GIT_AUTHOR_IDENT"),
        committer=_identity(repository, "GIT_COMMITTER_IDENT"),
        message=message,
    )


_SCISSORS = b"# ------------------------ >8 ------------------------"


def _read_message(path: Path) -> bytes:
    """What git will take for the message; raises InvalidInput when the file cannot be read."""
    try:
        return path.read_bytes().split(_SCISSORS)[0]
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from error


def _identity(repository: Repository, variable: str) -> str:
    """`Name <email>` of the commit about to be made, as git in this hook would write it."""
    return repository.git("var", variable).text.rpartition(" ")[0].rpartition(" ")[0]


def _message_path(repository: Repository, given: str) -> Path:
    """The file of the message; where a framework dropped its name, the one that git just wrote.

    A clean `git merge` writes MERGE_MSG, everything else COMMIT_EDITMSG; the other may be left
    from before. Raises InvalidInput when there is none.
    """
    if given:
        return Path(given)
    usual = (repository.git_dir / name for name in ("MERGE_MSG", "COMMIT_EDITMSG"))
    found = [path for path in usual if path.exists()]
    if not found:
        raise InvalidInput("--message-file", "no commit is being made here", "Name the file.")
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def _is_left_to_commit_msg(repository: Repository) -> bool:
    """Whether `hkgit apply` is committing and commit-msg will judge the same, message and all."""
    if "HKGIT_TRANSACTION" not in os.environ:
        return False
    named = repository.git("rev-parse", "--git-path", "hooks/commit-msg").text
    hook = repository.start / named
    return hook.is_file() and os.access(hook, os.X_OK) and calls_gate(hook.read_bytes())


def _remember(repository: Repository, report: Report) -> None:
    """Tell the `hkgit apply` that is committing that it was the gate that said no."""
    if "HKGIT_TRANSACTION" in os.environ and not report.passes:
        (repository.git_dir / REJECTED).write_text("\n".join(report_lines(report)))
