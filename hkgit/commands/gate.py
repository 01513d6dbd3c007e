"""gate.py: `hkgit gate`, the judge at every point where commits pass."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hkgit.commands.common import echo_json, note_json, open_repository
from hkgit.commands.judging import load_policy, report_json, report_lines, resolve_range
from hkgit.commands.manners import QUIET, loudness, watched
from hkgit.errors import InvalidInput, Rejected
from hkgit.gate import REJECTED, Report, judge_index, judge_range
from hkgit.git.hooks import calls_gate
from hkgit.git.repository import Repository

_COLOURS = {"ok  ": "green", "FAIL": "red"}


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
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than the trusted side's.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    callback=note_json,
)  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context,
    *,
    staged: bool,
    message_file: str | None,
    commits: str | None,
    policy: str | None,
    form: str,
) -> None:
    """Judge commits under the repository's policy, believing nothing that cannot be derived."""
    if sum((staged, message_file is not None, commits is not None)) != 1:
        raise click.UsageError("Give exactly one of --staged, --message-file, --range.")
    if commits is not None:
        report = _judge_range(commits, policy)
    else:
        repository = open_repository(in_hook=True)
        if staged and _is_left_to_commit_msg(repository):
            return
        report = _judge_index(repository, message_file, policy)
        _remember(repository, report)
    print_report(report, form)
    if not report.passes:
        ctx.exit(Rejected.exit_code)


def print_report(report: Report, form: str) -> None:
    """The report on standard output, as lines or as one JSON document.

    Where it shall be quiet and nothing is rejected, there are no lines.
    """
    if form == "json":
        echo_json(report_json(report))
    elif loudness() > QUIET or not all(ruling.passes for ruling in report.rulings):
        click.echo("\n".join(map(_coloured, report_lines(report))))


def _coloured(line: str) -> str:
    mark = line[:4]
    return click.style(mark, fg=_COLOURS[mark]) + line[4:] if mark in _COLOURS else line


def _judge_range(commits: str, policy: str | None) -> Report:
    repository = open_repository()
    old, new = resolve_range(repository, commits)
    trusted = load_policy(repository, policy, old)
    return judge_range(repository, old, new, trusted, watch=watched("judging commit"))


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
