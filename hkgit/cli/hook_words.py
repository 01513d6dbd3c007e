"""The words that hooks say, as hkgit writes them, answered without Click.

To load Click takes four starts of the interpreter, and hooks run at each commit and each call of an
agent's tool. Whatever else somebody says is left to Click.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hkgit.workflows.judgement import RefPoint
    from hkgit.workflows.session_calls import RecordStep


def run_hook_words(words: list[str]) -> int | None:
    """Do what a hook asks for, and return the exit code; None where Click is to read the words."""
    work = _find_work([word for word in words if word != "--quiet"])
    if work is None:
        return None
    from hkgit.cli.output import CONSOLE, QUIET
    from hkgit.cli.runner import begin, end_with

    begin()
    if "--quiet" in words:
        CONSOLE.loudness = QUIET
    return end_with(work, words)


def _find_work(words: list[str]) -> Callable[[], int] | None:
    match words:
        case ["hook", agent, *options] if set(options) <= {"--steer", "--user"}:
            return _find_agents_hook(agent, options)
        case ["record", "--message-file", file]:
            return lambda: _record("message", file)
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


def _find_agents_hook(agent: str, options: list[str]) -> Callable[[], int] | None:
    from hkgit.agents import HOOKED

    return (lambda: _answer_agent(agent, options)) if agent in HOOKED else None


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

    return _code(judge_recorded(message_file, lambda: _judge_staged(message_file)))


def _judge_staged(message_file: str | None) -> bool:
    from hkgit.cli.commit_gate import judge_and_print

    return judge_and_print(message_file)


def _judge_refs(point: RefPoint, state: str = "", remote: str | None = None) -> int:
    from hkgit.cli.refs import judge

    return _code(judge(point, state, None, "text", remote=remote, budget=None))


def _code(passes: bool) -> int:
    from hkgit.errors import Rejected

    return 0 if passes else Rejected.exit_code
