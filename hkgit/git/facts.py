"""What hooks ask of git and of the environment.

A hook is felt at every commit, so this module loads next to nothing: no `re`, no `subprocess`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

POLICIES = ("pyproject.toml", ".hkgit/config.toml")
"""Where a tree may hold its policy (see `policy.files`)."""
LEDGER = ".hkgit/ledger"  # Where a tree holds its entries (see `ledger.entry`).

TRANSACTION, ALLOW_BLIND = "HKGIT_TRANSACTION", "blind"
"""The variable that tells hkgit's own hooks who commits, and its value where blind edits may."""

REJECTED = "hkgit-rejected"
"""The file in the git directory by which a hook tells `hkgit apply` that the gate rejected."""

AGENT_SHELLS = {
    "CLAUDECODE": "Claude Code",
    "CLINE_CONNECTOR_CLI_LAUNCH": "Cline",
    "CODEX_THREAD_ID": "Codex",
    "COPILOT_CLI": "Copilot CLI",
    "GEMINI_CLI": "Gemini CLI",
    "KILOCODE_VERSION": "Kilo",
    "OPENCODE": "OpenCode",
    "PI_CODING_AGENT": "pi",
    "QWEN_CODE": "Qwen Code",
}
"""The variables that agents were seen to set for the commands that they run."""
GOOSE_SESSION = "AGENT_SESSION_ID"
"""The variable of goose, which is in terminals of people too, by `goose term`."""

told = "", ""
"""The tree of the index and the output of `git var -l`, once this hook has asked for them."""

LOCAL_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_ATTR_SOURCE",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_GLOB_PATHSPECS",
        "GIT_GRAFT_FILE",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""What `git rev-parse --local-env-vars` lists, and others that refer to one repository or call."""

_GATE = b"hkgit gate"

PINNED = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""The environment of every git that hkgit starts."""
NO_FETCH = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
"""A partial clone fetches what it lacks when it is read; the second is for git before 2.44."""


def calls_gate(content: bytes) -> bool:
    """Whether somebody's hook runs `hkgit gate` in some line that is not a comment."""
    for line in content.split(b"\n"):
        code = line.partition(b"#")[0]
        at = code.find(_GATE)
        while at >= 0:
            end = at + len(_GATE)
            if not _is_word(code[max(at - 1, 0) : at]) and not _is_word(code[end : end + 1]):
                return True
            at = code.find(_GATE, end)
    return False


def _is_word(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_"


def find_agent_shell() -> str | None:
    """Find the agent in whose shell git is making the commit; None for a person's."""
    found = next((AGENT_SHELLS[name] for name in AGENT_SHELLS if os.environ.get(name)), None)
    if found is not None or not os.environ.get(GOOSE_SESSION):
        return found
    from hkgit.git.goose_shell import is_run_by_goose  # few terminals are named by goose

    git_dir = os.environ.get("GIT_DIR") or ask_git("rev-parse", "--git-dir").rstrip("\n")
    return "goose" if is_run_by_goose(os.environ[GOOSE_SESSION], git_dir) else None


def is_left_to_commit_msg() -> bool:
    """Whether this is a hook before commit-msg, which will judge the commit, message and all."""
    if "GIT_INDEX_FILE" not in os.environ:
        return False
    hooks = ask_git("rev-parse", "--git-path", "hooks").rstrip("\n")
    if not os.access(f"{hooks}/commit-msg", os.X_OK):
        return False
    # husky's hooks run the file of their name above them.
    places = (f"{hooks}/commit-msg", f"{hooks}/../commit-msg")[: 2 if hooks.endswith("/_") else 1]
    return any(map(_calls_gate, places))


def _calls_gate(hook: str) -> bool:
    try:
        with open(hook, "rb") as file:
            return calls_gate(file.read())
    except OSError:
        return False


def scrub_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Remove the variables that point at a repository from an environment."""
    return {name: value for name, value in environment.items() if name not in LOCAL_VARIABLES}


def ask_git(*args: str, root: str = "") -> str:
    """Run git and return its output; "" where it fails.

    With a `root` it works there, whatever repository the environment names.
    """
    if not hasattr(os, "posix_spawnp"):
        return ""
    try:
        return GitProcess(*args, root=root).answer()
    except OSError:  # there is no git
        return ""


def find_shared(git_dir: str | os.PathLike[str]) -> str:
    """Find the directory of objects and branches, which linked worktrees share."""
    try:
        with open(os.path.join(git_dir, "commondir"), "rb") as file:
            return os.path.join(git_dir, os.fsdecode(file.read(5000)).rstrip("\n"))
    except OSError:
        return os.fspath(git_dir)


class GitProcess:
    """A git process in the background; its error messages are dropped."""

    def __init__(self, *args: str, asked: str = "", root: str = "") -> None:
        ours, out = os.pipe()
        source, given = os.pipe()
        os.write(given, asked.encode())
        os.close(given)
        silent = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
        actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, out, 1), silent]
        command = ("git", *(("-C", root) if root else ()), "-c", "core.fsmonitor=false", *args)
        try:
            inherited = scrub_environment(os.environ) if root else os.environ
            settings = {**inherited, **PINNED, **NO_FETCH}
            self._pid = os.posix_spawnp("git", command, settings, file_actions=actions)
        finally:
            os.close(out)
            os.close(source)
        self._out = ours

    def answer(self) -> str:
        """Wait for its end, and return what it printed; nothing where it failed."""
        with open(self._out, "rb") as file:
            output = file.read()
        _, status = os.waitpid(self._pid, 0)
        return os.fsdecode(output) if status == 0 else ""
