"""The entry point; answers hooks without loading Click where it can."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from hkgit.cli.answer import Answer
    from hkgit.cli.record_steps import RecordStep

TRANSACTION = "HKGIT_TRANSACTION"
"""The variable by which `hkgit apply` tells hooks that it commits (see `git.facts`)."""


def run() -> NoReturn:
    """Run `hkgit` or `python -m hkgit`, and end the process."""
    try:
        _run()
    except KeyboardInterrupt:  # while modules are loaded; what runs then has an answer of its own
        sys.stderr.write("hkgit: interrupted\n")
        sys.exit(130)


def _run() -> NoReturn:
    arguments = sys.argv[1:]
    if _is_done(arguments):
        sys.exit(0)
    import gc

    # A command makes few cycles, and loads its modules without looking for any.
    gc.set_threshold(100_000, 20, 20)
    work = _find_work([word for word in arguments if word != "--quiet"])
    if work is None:
        from hkgit.cli.main import run

        run()
    from hkgit.cli.output import CONSOLE, QUIET
    from hkgit.cli.runner import begin, end_with, leave

    begin()
    if "--quiet" in arguments:
        CONSOLE.loudness = QUIET
    leave(end_with(work, arguments))


def _find_work(words: list[str]) -> Callable[[], int] | None:
    """Find what a hook asks for, in the words as hkgit writes them; None where Click reads them.

    To load Click takes four starts of the interpreter, and hooks run at each commit and each call
    of an agent's tool.
    """
    match words:
        case ["hook", agent, *options] if set(options) <= {"--steer", "--user"}:
            from hkgit.agents import HOOKED

            return (lambda: _answer_agent(agent, options)) if agent in HOOKED else None
        case ["record", "--message-file", file]:
            return lambda: _record("message_file", file)
        case ["record", "--committed"]:
            return lambda: _record("committed")
        case ["gate", "--record", "--staged"]:
            return lambda: _judge_commit(None)
        case ["gate", "--record", "--message-file", file]:
            return lambda: _judge_commit(file)
        case ["gate", "--pre-push", "--remote", remote]:
            return lambda: _judge_refs("pre_push", remote=remote)
        case ["gate", "--pre-receive"]:
            return lambda: _judge_refs("pre_receive")
        case ["gate", "--reference-transaction", state]:
            return lambda: _judge_refs("reference_transaction", state)
    return None


def _answer_agent(agent: str, options: list[str]) -> int:
    from hkgit.cli.hook_answer import answer_hook

    answer_hook(agent, steer="--steer" in options, user="--user" in options)
    return 0


def _record(step: RecordStep, message_file: str = "") -> int:
    from hkgit.cli.record_steps import record_step

    record_step(step, message_file)
    return 0


def _judge_commit(message_file: str | None) -> int:
    from hkgit.cli.record_steps import judge_recorded

    def judge() -> Answer:
        from hkgit.cli.commit_gate import answer_commit  # some commits need no judge

        return answer_commit(message_file)

    return judge_recorded(message_file, judge)


def _judge_refs(point: str, state: str = "", remote: str | None = None) -> int:
    from hkgit.cli.refs import judge

    return judge(point, state, remote=remote).print()


def run_hk() -> NoReturn:
    """Run `hk`, and end the process."""
    from hkgit.cli.main import run_hk

    run_hk()


def _is_done(arguments: list[str]) -> bool:
    """Whether a hook asks for what needs no work, and there is nothing to say."""
    # The pre-commit framework shows nothing of a hook that passes.
    is_silent = arguments[1:2] == ["--quiet"] or "PRE_COMMIT" in os.environ
    match [each for each in arguments if each != "--quiet"]:
        case ["record", "--staged" | "--committed" | "--withdraw" | "--message-file"]:
            return not _may_wait()
        case ["record", "--message-file", _]:
            return not _may_wait()
        case ["gate", "--staged"] | ["gate", "--record", "--staged"] if is_silent:
            from hkgit.git.facts import is_left_to_commit_msg

            return TRANSACTION in os.environ and not _may_wait() and is_left_to_commit_msg()
        case ["gate", "--message-file", file] | ["gate", "--record", "--message-file", file]:
            from hkgit.cli.passed_commits import is_known_to_pass

            return is_silent and file != "" and is_known_to_pass(file)
    return False


def _may_wait() -> bool:
    """Whether edits of a session may wait for their commit (see `sessions.places`)."""
    git_dir = os.environ.get("GIT_DIR") or ".git"
    if not os.path.isdir(git_dir) or os.environ.get("HKGIT_STATE"):
        return True
    places = (f"{git_dir}/hkgit/sessions/.waiting", ".hkgit/local/sessions/.waiting")
    return any(map(os.path.lexists, places))
