"""Check a repository, and repair what a crash left."""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import hkgit
from hkgit.agents import HOOKED, find_agent
from hkgit.agents.setup.installer import (
    find_outdated,
    find_user_hooks,
    has_project_hooks,
    list_user_wide,
)
from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.options import declare, option
from hkgit.cli.output import CONSOLE, echo
from hkgit.cli.schema import list_versions
from hkgit.cli.session import describe_session
from hkgit.errors import GitRefused
from hkgit.gate.entrypoints.ci import Check, Level, read_event, run_checks, sum_up
from hkgit.gate.entrypoints.hook_scripts import (
    FOREIGN,
    HOOKS,
    InstalledHook,
    asks_hkgit,
    list_hooks,
)
from hkgit.git.repository import Repository
from hkgit.git.transaction.index import find_foreign_lock
from hkgit.git.transaction.landing import find_unfinished
from hkgit.git.transaction.transaction import Outcome, Settled
from hkgit.sessions.bypass import (
    are_hooks_off,
    describe_commits_past_hooks,
)
from hkgit.sessions.homes import find_folders
from hkgit.sessions.session_states import list_sessions
from hkgit.sessions.writer import find_crashed
from hkgit.text.escape import escape_console, to_json_text, visible
from hkgit.values import asdict
from hkgit.workflows import health
from hkgit.workflows.setup import find_framework, find_runner

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
    checks = [asdict(check) | {"what": to_json_text(check.what)} for check in found]
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


Line = tuple[str, str]
"""What was looked at, in a word or two, and what was found."""

_NEXT = {
    Outcome.NOTHING: "what it left is removed",
    Outcome.LANDED: "what it left is removed",
    Outcome.CUT: "the checkout is updated",
}


@declare
def command(
    *,
    fix: bool = option("Repair what a crash left."),
    in_ci: bool = option("Check whether the gate in this CI job is binding.", "--ci"),
    in_history: bool = option("Find text that only ledger entries keep.", "--history"),
) -> Answer:
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
    if CONSOLE.form == "text":
        echo("  ".join(f"{name} {number}" for name, number in versions.items()))
    repository = open_repository()
    root = repository.work_tree
    stale = health.list_stale(repository, fix=fix)
    left = [] if root is None else find_crashed(root, fix=fix)
    left += health.find_leftovers(repository, fix=fix)
    is_hindered = any(each.hindrance is not None for each in stale)
    is_well = not is_hindered and (fix or not (stale or left))
    lines = [
        *_say_repository(repository),
        *_say_hooks(repository),
        *_say_transactions(repository, stale, fix=fix),
        *_say_other_hk(),
        *(("session", line) for line in left),
        *_say_work(repository),
        *_say_agents(repository),
    ]
    document = {
        "status": "well" if is_well else "stale",
        "versions": versions,
        "checks": [{"name": name, "what": to_json_text(what)} for name, what in lines],
    }
    shown = (visible(f"{name:13}{what}") for name, what in lines)
    return Answer(document, shown, 0 if is_well else GitRefused.exit_code)


def _say_repository(repository: Repository) -> Iterator[Line]:
    head, lock = repository.head(), find_foreign_lock(repository.git_dir)
    place = repository.work_tree or repository.git_dir
    at = "without a commit" if head.commit is None else f"at {head.commit[:12]}"
    yield "repository", f"{place}, {head.branch or 'no branch'} {at}"
    for what in find_unfinished(repository):
        yield "under way", f"{what}: nothing lands here until it is finished or aborted"
    if lock is not None:
        yield "locked", f"{lock}: git is running; if it is not, remove the file"


def _say_hooks(repository: Repository) -> Iterator[Line]:
    """The hooks, those that a framework should run and does not, and the command for these."""
    hooks, root = list(list_hooks(repository)), repository.work_tree
    owners = {hook.name: _owner(repository, hook) for hook in hooks}
    for name, owner in owners.items():
        yield "hook", f"{name}: {owner}"
    if root is not None and find_framework(root) is not None:
        if missing := [name for name in HOOKS if name not in owners]:
            types = "".join(f" -t {name}" for name in missing)
            yield "missing", f"{', '.join(missing)}: pre-commit install{types}"
    elif set(owners.values()) - {FOREIGN}:
        foreign = (hook for hook in hooks if owners[hook.name] == FOREIGN)
        if lost := [hook.name for hook in foreign if find_runner(hook.path.read_bytes())]:
            yield "missing", f"{', '.join(lost)}: hkgit init"
    if not set(owners.values()) - {FOREIGN}:
        server = " --server" if repository.is_bare else ""
        yield "no gate", f"no hook here calls it: run hkgit init{server}"


def _owner(repository: Repository, hook: InstalledHook) -> str:
    """Whose a hook is; one of a framework that runs the gate is not foreign."""
    root, runner = repository.work_tree, find_runner(hook.path.read_bytes())
    if hook.owner != FOREIGN or root is None or runner is None:
        return hook.owner
    is_run = find_framework(root) is not None or asks_hkgit(repository, hook.name)
    return f"run by {runner}" if is_run else hook.owner


def _say_transactions(
    repository: Repository, stale: Sequence[Settled], *, fix: bool
) -> Iterator[Line]:
    for state in health.list_running(repository):
        yield "running", f"transaction {state.id} of process {state.pid}, at {state.step}"
    for settled in stale:
        state = settled.state
        yield "crashed", f"transaction {state.id} at {state.step}: {settled.outcome}"
        if settled.hindrance is not None:
            yield "stuck", str(settled.hindrance).replace("\n", " ")
        else:
            yield "fixed" if fix else "with --fix", _NEXT[settled.outcome]
    if not stale:
        yield "crashes", "nothing is left of a crash"


def _say_other_hk() -> Iterator[Line]:
    """The program that `hk` starts, where it is another one than that beside this hkgit."""
    found = shutil.which("hk")
    own = Path(sysconfig.get_path("scripts"), "hk")
    if found is None or (own.exists() and own.samefile(found)):
        return
    with suppress(OSError), Path(found).open("rb") as program:
        if b"hkgit.cli" not in program.read(4096):
            yield "name", f"hk is another program here, {found}: use `hkgit edit --json`"


def _say_work(repository: Repository) -> Iterator[Line]:
    """What agents have done here: sessions, and commits past the hooks."""
    root = repository.work_tree
    for session in () if root is None else list_sessions(repository, root):
        yield "session", describe_session(session)
    for line in describe_commits_past_hooks(repository):
        yield "past hooks", line


def _say_agents(repository: Repository) -> Iterator[Line]:
    """Whether agents' hooks are as they should be, in the checkout and in the user's settings."""
    root = repository.work_tree
    if root is not None:
        for path, advice in find_outdated(root):
            yield "agents", f"{path.relative_to(root)} {advice}"
        yield from (("agents", line) for line in _say_connected(root))
    yield from (("agents", line) for line in _say_user_hooks(root))
    if are_hooks_off():
        yield "hooks off", "by GIT_CONFIG_* of this environment: its commits have no evidence"


def _say_connected(root: Path) -> Iterator[str]:
    """What agents that are set up in the checkout lack; a settings file alone records nothing."""
    names = [each for each in HOOKED if has_project_hooks(each, root)]
    if not names:
        return
    if shutil.which("hkgit") is None:
        where = "is not on PATH here; without it these hooks do nothing"
        yield f"hkgit {where}: {', '.join(names)}"
    used = [folder.name for folder in find_folders(root)]
    for name in names:
        if not any(each.startswith(f"{name}-") for each in used):
            left = "; ".join(
                each for each in find_agent(name).remaining if each.startswith("trust ")
            )
            yield f"no hook of {name} has run here yet{left and f': {left}'}"


def _say_user_hooks(root: Path | None) -> Iterator[str]:
    """The hooks of agents in the user's own settings, and where they are missing."""
    for name in list_user_wide():
        again = f"hkgit init --agent {name} --user"
        match find_user_hooks(name, os.environ):
            case True:
                yield f"{name} runs your own hooks in every directory"
            case False:
                yield f"your hooks for {name} are from another version: {again}"
            case None if root is not None and has_project_hooks(name, root):
                where = "runs its hooks only where it is started in the root"
                yield f"{name} {where}; for every directory: {again}"
