"""What a hook asks of the commit that is being made.

A hook is felt at every commit, so this module loads next to nothing: no `re`, no `subprocess`.
Whatever is out of the ordinary has no facts: then the judge reads everything, as it would anyway.
"""

from __future__ import annotations

import os

from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

POLICIES = ("pyproject.toml", ".hkgit/config.toml")
"""Where a tree may hold its policy (see `policy.files`)."""
LEDGER = ".hkgit/ledger"
"""Where a tree holds its entries (see `ledger.entry`)."""

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

_HARMLESS = ("HKGIT_SESSION", "HKGIT_STATE", "HKGIT_REAL_EDITS")
"""The variables of hkgit's own that the judge does not read."""
_NAMES = ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")


@dataclass(frozen=True)
class Facts:
    """The commit that git is making in this hook, on one parent, which it differs from.

    `policy` says what is in the parent's tree where policies are; `ref` is the branch, or
    empty. `head` is the parent.
    """

    git_dir: str
    ref: str
    author: str
    committer: str
    policy: tuple[str, ...]
    head: str
    keeps_ledger: bool


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


def facts_of_commit(known: tuple[str, str] | None = None) -> Facts | None:
    """Collect the facts of the commit being made; None where any of them is unusual.

    `known` are the tree of the index and the output of `git var -l`: given, they spare two
    processes.
    """
    git_dir = os.environ.get("GIT_DIR") or ".git"
    try:
        ref = _branch(git_dir) if not _is_odd(git_dir) else None
    except OSError:
        return None
    if ref is None or not hasattr(os, "posix_spawnp"):
        return None
    if known is None:  # two processes at once
        global told
        index, variables = _Child("write-tree"), _Child("var", "-l")
        known = told = index.answer().strip(), variables.answer()
    people, stored = _people(known[1]), _read_stored(known[0])
    if people is None or stored is None:
        return None
    head, policy, keeps_ledger = stored
    author, committer = people
    return Facts(
        git_dir=git_dir,
        ref=ref,
        author=author,
        committer=committer,
        policy=policy,
        head=head,
        keeps_ledger=keeps_ledger,
    )


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
        return _Child(*args, root=root).answer()
    except OSError:  # there is no git
        return ""


def _is_odd(git_dir: str) -> bool:
    """Whether this is a merge, or no plain repository, or somebody wants another judge."""
    own = (name for name in os.environ if name.startswith(("HKGIT_", "GITHEAD_")))
    if any(name not in _HARMLESS for name in own) or not os.path.isdir(git_dir):
        return True
    grafts = f"{find_shared(git_dir)}/info/grafts"
    return os.path.lexists(f"{git_dir}/MERGE_HEAD") or os.path.lexists(grafts)


def find_shared(git_dir: str | os.PathLike[str]) -> str:
    """Find the directory of objects and branches, which linked worktrees share."""
    try:
        with open(os.path.join(git_dir, "commondir"), "rb") as file:
            return os.path.join(git_dir, os.fsdecode(file.read(5000)).rstrip("\n"))
    except OSError:
        return os.fspath(git_dir)


def _branch(git_dir: str) -> str | None:
    """The full name of the branch that HEAD is on, empty when it is on none; None if unclear.

    Raises OSError.
    """
    if os.path.islink(f"{git_dir}/HEAD"):
        return None
    with open(f"{git_dir}/HEAD", "rb") as file:
        content = os.fsdecode(file.read(5000)).rstrip("\n")
    if not content.startswith("ref: "):
        return "" if len(content) in (40, 64) else None
    ref = content.removeprefix("ref: ")
    # Where refs are in a table, HEAD is there too, and the file names a branch that cannot be.
    return ref if ref.startswith("refs/heads/") and not ref.startswith("refs/heads/.") else None


def _people(settings: str) -> tuple[str, str] | None:
    """Author and committer as `Name <email>`, from the last lines of `git var -l`."""
    lines = [line.partition("=") for line in settings.split("\n")]
    found = [(name, value) for name, _, value in lines if name in _NAMES]
    if sorted(name for name, _ in found) != sorted(_NAMES):
        return None  # a value of several lines may look like a name
    people = {name: value.rpartition(" ")[0].rpartition(" ")[0] for name, value in found}
    return people[_NAMES[0]], people[_NAMES[1]]


def _read_stored(tree: str) -> tuple[str, tuple[str, ...], bool] | None:
    """The parent, what is there where policies are, and whether the ledger stays as it is.

    None where the commit changes nothing.
    """
    places = ("^{commit}", "^{tree}", *(f":{path}" for path in POLICIES), f":{LEDGER}")
    asked = "".join(f"HEAD{place}\n" for place in places) + f"{tree}:{LEDGER}\n"
    child = _Child("cat-file", "--batch-check=%(objectname) %(objecttype)", asked=asked)
    lines = child.answer().split("\n")
    if not tree or len(lines) != len(places) + 2 or not lines[1].endswith(" tree"):
        return None
    if lines[1] == f"{tree} tree":
        return None
    before, after = lines[4].removeprefix("HEAD"), lines[5].removeprefix(tree)
    return lines[0], tuple(lines[2:4]), before == after


class _Child:
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
        """What it printed; nothing where it failed."""
        with open(self._out, "rb") as file:
            output = file.read()
        _, status = os.waitpid(self._pid, 0)
        return os.fsdecode(output) if status == 0 else ""
