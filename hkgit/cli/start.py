"""The entry point; answers hooks without loading Click where it can."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_RECORD = (["--staged"], ["--committed"], ["--withdraw"], ["--message-file"])
"""What hooks ask of `hkgit record`; the last with a file behind it."""

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
    from hkgit.cli.hook_words import run_hook_words
    from hkgit.cli.runner import leave

    code = run_hook_words(arguments)
    if code is not None:
        leave(code)
    from hkgit.cli.main import run

    run()


def run_hk() -> NoReturn:
    """Run `hk`, and end the process."""
    from hkgit.cli.main import run_hk

    run_hk()


def _is_done(arguments: list[str]) -> bool:
    """Whether a hook asks for what needs no work, and there is nothing to say."""
    if arguments[:1] == ["record"]:
        return arguments[1:2] in _RECORD and len(arguments) < 4 and not _may_wait()
    # The pre-commit framework shows nothing of a hook that passes.
    is_silent = arguments[1:2] == ["--quiet"] or "PRE_COMMIT" in os.environ
    if arguments[:1] != ["gate"] or not is_silent:
        return False
    return _is_known_to_pass([each for each in arguments[1:] if each != "--quiet"])


def _may_wait() -> bool:
    """Whether edits of a session may wait for their commit (see `sessions.places`)."""
    git_dir = os.environ.get("GIT_DIR") or ".git"
    if not os.path.isdir(git_dir) or os.environ.get("HKGIT_STATE"):
        return True
    places = (f"{git_dir}/hkgit/sessions/.waiting", ".hkgit/local/sessions/.waiting")
    return any(map(os.path.lexists, places))


def _is_known_to_pass(arguments: list[str]) -> bool:
    """Whether a hook asks for a commit of which the judge has nothing to say."""
    if arguments[:1] == ["--record"]:
        arguments = arguments[1:]
    if arguments == ["--staged"] and TRANSACTION in os.environ and not _may_wait():
        from hkgit.git.facts import is_left_to_commit_msg

        return is_left_to_commit_msg()
    if len(arguments) != 2 or arguments[0] != "--message-file" or arguments[1] == "":
        return False
    from hkgit.cli.passed_commits import is_known_to_pass

    return is_known_to_pass(arguments[1])
