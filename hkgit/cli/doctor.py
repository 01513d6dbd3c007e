"""Check a repository, and repair what a crash left."""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

import hkgit
from hkgit.agents import HOOKED, find_agent, has_server
from hkgit.agents.setup.installer import (
    OutdatedHooks,
    find_outdated,
    find_user_hooks,
    has_project_hooks,
    list_user_wide,
)
from hkgit.applying.outcome import error_json
from hkgit.cli.answer import Answer, find_form, json_option
from hkgit.cli.common import open_repository
from hkgit.cli.session import describe_session
from hkgit.cli.versions import list_versions
from hkgit.errors import GitRefused
from hkgit.gate.entrypoints.ci import Check, Level, read_event, run_checks, sum_up
from hkgit.gate.entrypoints.hook_scripts import HOOKS, is_own
from hkgit.git.repository import Repository
from hkgit.git.transaction.index import find_foreign_lock
from hkgit.git.transaction.landing import find_unfinished
from hkgit.git.transaction.transaction import Outcome, Settled
from hkgit.sessions.bypass import (
    CommitPastHooks,
    are_hooks_off,
    describe_commits_past_hooks,
    find_commits_past_hooks,
)
from hkgit.sessions.end import SessionState, list_sessions
from hkgit.sessions.homes import find_folders
from hkgit.sessions.writer import find_crashed
from hkgit.text.escape import escape_console, to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import asdict, dataclass
from hkgit.workflows import framework_hooks, health
from hkgit.workflows.git_hooks import find_place


def find_other_hk() -> str | None:
    """Find the program that `hk` starts, where it is another one than that beside this hkgit."""
    found = shutil.which("hk")
    if found is None:
        return None
    own = Path(sysconfig.get_path("scripts"), "hk")
    if own.exists() and Path(found).resolve() == own.resolve():
        return None
    return None if b"hkgit.cli" in _begin(Path(found)) else found


def _begin(program: Path) -> bytes:
    try:
        with program.open("rb") as stream:
            return stream.read(4096)
    except OSError:
        return b""


_SAID = {
    Level.BROKEN: "broken: the gate cannot judge here",
    Level.ADVISORY: "advisory: it reports, and can be bypassed",
    Level.UNASKED: "binding, if the target's rules require this check and pin its source",
}


def look_at_ci() -> Answer:
    """Say whether the gate can do its work in this job. Raises InvalidInput."""
    event = read_event(os.environ)
    found = list(run_checks(open_repository(), event, os.environ, Path(hkgit.__file__)))
    level = sum_up(found)
    checks = [
        {
            "name": check.name,
            "level": str(check.level),
            "what": to_json_text(check.what),
            "fix": check.fix,
        }
        for check in found
    ]
    names = ("host", "name", "ref", "old", "new")
    described = {name: getattr(event, name) for name in names}
    return Answer(
        {"status": str(level), "event": described, "checks": checks},
        map(escape_console, _lines(found, level)),
        GitRefused.exit_code if level is Level.BROKEN else 0,
    )


def _lines(found: Sequence[Check], level: Level) -> Iterator[str]:
    for check in found:
        yield f"{check.level:9}{check.name}: {check.what}"
        if check.fix:
            yield f"         -> {check.fix}"
    yield _SAID[level]


_NEXT = {
    Outcome.NOTHING: "what it left is removed",
    Outcome.LANDED: "what it left is removed",
    Outcome.CUT: "the checkout is updated",
}


@click.command()
@click.option("--fix", is_flag=True, help="Repair what a crash left.")
@click.option(
    "--ci", "in_ci", is_flag=True, help="Check whether the gate in this CI job is binding."
)
@click.option(
    "--history", "in_history", is_flag=True, help="Find text that only ledger entries keep."
)
@json_option
def command(*, fix: bool, in_ci: bool, in_history: bool) -> Answer:
    """Check versions, repository, hooks and transactions; with --fix repair what a crash left.

    Only what belongs to hkgit is touched. `hkgit apply` repairs the same on its own. With --history
    it reads the entries of all commits up to HEAD instead, for text that an agent wrote and then
    removed.
    """
    if in_ci:
        return look_at_ci()
    if in_history:
        from hkgit.cli import removed_text

        return removed_text.look()
    versions = list_versions()
    if find_form() == "text":
        click.echo("  ".join(f"{name} {number}" for name, number in versions.items()))
    repository = open_repository()
    found = _examine(repository, fix=fix)
    status = "well" if found.is_well else "stale"
    document = {"status": status, "versions": versions, **_health_document(repository, found)}
    code = 0 if found.is_well else GitRefused.exit_code
    return Answer(document, _health_lines(repository, found), code)


@dataclass(frozen=True)
class _Examination:
    """What was found: transactions and calls that crashed, sessions, commits and hooks of agents.

    `is_fixed` says that what crashed has been repaired, as far as it can be.
    """

    stale: tuple[Settled, ...]
    halves: Sequence[str]
    sessions: Sequence[SessionState]
    past_hooks: Sequence[CommitPastHooks]
    outdated: Sequence[OutdatedHooks]
    is_fixed: bool

    @property
    def is_well(self) -> bool:
        """Whether nothing is left to be done."""
        is_hindered = any(each.hindrance is not None for each in self.stale)
        return not is_hindered and (self.is_fixed or not (self.stale or self.halves))


def _examine(repository: Repository, *, fix: bool) -> _Examination:
    root = repository.work_tree
    stale = health.list_stale(repository, fix=fix)
    halves = [] if root is None else find_crashed(root, fix=fix)
    return _Examination(
        stale=stale,
        halves=[*halves, *health.find_leftovers(repository, fix=fix)],
        sessions=[] if root is None else list_sessions(repository, root),
        past_hooks=[] if root is None else find_commits_past_hooks(repository, root),
        outdated=[] if root is None else [*find_outdated(root)],
        is_fixed=fix,
    )


def _say_connected(repository: Repository) -> Iterator[str]:
    """What agents that are set up in the checkout lack; a settings file alone records nothing."""
    root = repository.work_tree
    names = [] if root is None else [each for each in HOOKED if has_project_hooks(each, root)]
    if root is None or not names:
        return
    if shutil.which("hkgit") is None:
        where = "is not on PATH here; without it these hooks do nothing"
        yield f"agents       hkgit {where}: {', '.join(names)}"
    if not has_server() and names != ["pi"]:
        yield "agents       hkgit's server cannot start: pip install 'hkgit[mcp]'"
    used = [folder.name for folder in find_folders(root)]
    for name in names:
        if not any(each.startswith(f"{name}-") for each in used):
            left = "; ".join(
                each for each in find_agent(name).remaining if each.startswith("trust ")
            )
            yield f"agents       no hook of {name} has run here yet{left and f': {left}'}"


def _say_user_hooks(repository: Repository) -> Iterator[str]:
    """The hooks of agents in the user's own settings, and where they are missing."""
    for name in list_user_wide():
        again = f"hkgit init --agent {name} --user"
        match find_user_hooks(name, os.environ):
            case True:
                yield f"agents       {name} runs your own hooks in every directory"
            case False:
                yield f"agents       your hooks for {name} are from another version: {again}"
            case None if repository.work_tree and has_project_hooks(name, repository.work_tree):
                where = "runs its hooks only where it is started in the root"
                yield f"agents       {name} {where}; for every directory: {again}"


def _say_hooks_off() -> Iterator[str]:
    if are_hooks_off():
        yield "hooks off    by GIT_CONFIG_* of this environment: its commits have no evidence"


def _owner(repository: Repository, hook: health.InstalledHook) -> str:
    """Whose a hook is; one of a framework that runs the gate is not foreign."""
    if hook.owner != "foreign" or repository.work_tree is None:
        return hook.owner
    runner, root = framework_hooks.find_runner(hook.path.read_bytes()), repository.work_tree
    if runner is None:
        return hook.owner
    place = find_place(hook.path.parent, hook.name, is_framed=framework_hooks.is_set_up(root))
    is_run = (
        is_own(place.read_bytes() if place.is_file() else b"")
        if framework_hooks.is_set_up(root)
        else framework_hooks.runs_gate(root)
    )
    return f"run by {runner}" if is_run else hook.owner


def _find_missing_hooks(repository: Repository) -> Iterator[str]:
    """Find the hooks that a framework's configuration counts on, and the command for each."""
    root = repository.work_tree
    if root is None or not framework_hooks.runs_gate(root):
        return
    owners = {hook.name: _owner(repository, hook) for hook in health.find_hooks(repository)}
    by_framework = [name for name in HOOKS if name not in owners]
    by_hkgit = [name for name in HOOKS if owners.get(name) == "foreign"]
    if framework_hooks.is_set_up(root):
        by_hkgit += [name for name in by_framework if name != "pre-commit"]
        by_framework = [name for name in by_framework if name == "pre-commit"]
    if by_hkgit:
        yield f"missing      {', '.join(by_hkgit)}: hkgit init"
    if by_framework:
        command = framework_hooks.render_install_command(root)
        types = "".join(f" -t {name}" for name in by_framework)
        yield f"missing      {', '.join(by_framework)}: {command}{types}"


def _health_document(repository: Repository, found: _Examination) -> JsonObject:
    head, lock = repository.head(), find_foreign_lock(repository.git_dir)
    running = health.list_running(repository)
    return {
        "repository": {
            "git_dir": str(repository.git_dir),
            "work_tree": None if repository.work_tree is None else str(repository.work_tree),
            "branch": head.branch,
            "commit": head.commit,
            "backend": repository.backend,
            "is_shallow": repository.is_shallow,
            "under_way": list(find_unfinished(repository)),
            "index_lock": None if lock is None else str(lock),
        },
        "hooks": [
            {"name": hook.name, "path": str(hook.path), "owner": _owner(repository, hook)}
            for hook in health.find_hooks(repository)
        ],
        "running": [{"id": each.id, "step": each.step, "pid": each.pid} for each in running],
        "stale": [_recovery_json(each, found.is_fixed) for each in found.stale],
        "sessions": list(found.halves),
        "session_list": [asdict(each) for each in found.sessions],
        "outdated_hooks": [
            {"agent": each.agent, "path": each.path, "is_changed": each.is_changed}
            for each in found.outdated
        ],
        "past_hooks": [
            {"commit": each.id, "sessions": [*each.sessions], "paths": [*each.paths]}
            for each in found.past_hooks
        ],
    }


def _recovery_json(settled: Settled, fix: bool) -> JsonObject:
    state, error = settled.state, settled.hindrance
    return {
        "id": state.id,
        "step": state.step,
        "branch": state.branch,
        "old": state.old,
        "new": state.new,
        "started": state.started,
        "outcome": settled.outcome.name.lower(),
        "is_fixed": fix and error is None,
        "error": None if error is None else error_json(error),
    }


def _health_lines(repository: Repository, found: _Examination) -> Iterator[str]:
    yield from _repository_lines(repository)
    yield from _transaction_lines(repository, found)
    other = find_other_hk()
    if other is not None:
        yield f"name         hk is another program here, {visible(other)}: use `hkgit edit --json`"
    yield from (f"session      {line}" for line in found.halves)
    for session in found.sessions:
        yield visible(f"session      {describe_session(session)}")
    for line in describe_commits_past_hooks(repository, found.past_hooks):
        yield visible(f"past hooks   {line}")
    for outdated in found.outdated:
        yield visible(f"agents       {outdated.path} {outdated.advice}")
    yield from map(visible, _say_connected(repository))
    yield from _say_user_hooks(repository)
    yield from _say_hooks_off()


def _repository_lines(repository: Repository) -> Iterator[str]:
    head, lock = repository.head(), find_foreign_lock(repository.git_dir)
    place = repository.work_tree or repository.git_dir
    at = "without a commit" if head.commit is None else f"at {head.commit[:12]}"
    yield f"repository   {place}, {head.branch or 'no branch'} {at}"
    for what in find_unfinished(repository):
        yield f"under way    {what}: nothing lands here until it is finished or aborted"
    if lock is not None:
        yield f"locked       {lock}: git is running; if it is not, remove the file"
    for hook in health.find_hooks(repository):
        yield f"hook         {hook.name}: {_owner(repository, hook)}"
    yield from _find_missing_hooks(repository)
    if not any(_owner(repository, hook) != "foreign" for hook in health.find_hooks(repository)):
        server = " --server" if repository.is_bare else ""
        yield f"no gate      no hook here calls it: run hkgit init{server}"


def _transaction_lines(repository: Repository, found: _Examination) -> Iterator[str]:
    for state in health.list_running(repository):
        yield f"running      transaction {state.id} of process {state.pid}, at {state.step}"
    for settled in found.stale:
        yield from _recovery_lines(settled, found.is_fixed)
    if not found.stale:
        yield "nothing is left of a crash"


def _recovery_lines(settled: Settled, fix: bool) -> Iterator[str]:
    yield f"crashed      transaction {settled.state.id} at {settled.state.step}: {settled.outcome}"
    if settled.hindrance is not None:
        yield f"stuck        {settled.hindrance}"
    else:
        yield f"{'fixed' if fix else 'with --fix':13}{_NEXT[settled.outcome]}"
