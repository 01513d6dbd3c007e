"""Cache the judge's answer on a person's commits in this clone, for its hooks.

A local cache, never used as evidence: no server, no CI and no `verify` reads it. A commit without
entries whose author and committer are no agents passes whatever it changes; so what the judge said
of one is said of the next, as long as the policy, the branch and the names are the same. Whatever
is out of the ordinary is judged, as it would be anyway.
"""

from __future__ import annotations

import os

from hkgit import __version__
from hkgit.git import facts
from hkgit.git.facts import LEDGER, POLICIES, GitProcess, find_agent_shell, find_shared
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.gate.ruling import Report
    from hkgit.git.repository import Repository


_FILE = "hkgit/judged"
"""In the git directory: a line for each thing that was said."""
_MOST = 32
_LONGEST = 2**16
_TELLING = (b"-by", b"this reverts commit", b"hkgit-")
"""What in a message the judge looks at, of a commit without entries: credits, a revert, and
trailers, as of a commit that is amended."""
_HARMLESS = b"signed-off-by"
_HARMLESS_NAMES = ("HKGIT_SESSION", "HKGIT_STATE", "HKGIT_REAL_EDITS")
"""The variables of hkgit's own that the judge does not read."""
_IDENTS = ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")


@dataclass(frozen=True)
class _PersonsCommit:
    """The commit that git is making in this hook, on one parent, which it differs from.

    `line` is what decides whether it passes: who makes it, on which branch, under which policy.
    """

    git_dir: str
    parent: str
    line: bytes

    def read_lines(self) -> list[bytes]:
        """Read what was said of others before. Raises OSError."""
        try:
            with open(f"{self.git_dir}/{_FILE}", "rb") as file:
                return file.read(_MOST * _LONGEST).split(b"\n")[:-1]
        except FileNotFoundError:
            return []


def is_known_to_pass(message_file: str) -> bool:
    """Whether the judge has let such a commit pass, with nothing more to say."""
    if _is_telling(message_file):
        return False
    try:
        found = _find_commit()
        return found is not None and found.line in found.read_lines()
    except OSError:
        return False


def remember(repository: Repository, report: Report, tree: str, head: str | None) -> None:
    """Keep that the commit of a tree passed for its names alone.

    Not where HEAD, which names the policy, has moved since.
    """
    if not _is_about_names_alone(report):
        return
    try:
        found = _find_commit((tree, "\n".join(repository.variables or ())))
        if found is None or found.parent != head:
            return
        lines = [found.line, *(each for each in found.read_lines() if each != found.line)][:_MOST]
        _replace_file(f"{found.git_dir}/{_FILE}", b"".join(line + b"\n" for line in lines))
    except OSError:  # then it is judged again
        return


def _is_telling(message_file: str) -> bool:
    """Whether a message could change the judgement; comments in it count, to be sure."""
    try:
        with open(message_file, "rb") as file:
            text = file.read(_LONGEST + 1)
    except OSError:
        return True
    lowered = text.lower().replace(_HARMLESS, b"")
    return len(text) > _LONGEST or any(words in lowered for words in _TELLING)


def _is_about_names_alone(report: Report) -> bool:
    """Whether the commit passed for its names, under a policy that one tree says completely."""
    policy, [ruling] = report.policy, report.rulings
    is_whole = policy.extends is None and not policy.below and policy.allowed_signers is None
    return (
        is_whole
        and ruling.passes
        and not ruling.findings
        and ruling.judged.verdict == "ungoverned"
        and not ruling.judged.entries
    )


def _find_commit(known: tuple[str, str] | None = None) -> _PersonsCommit | None:
    """Look at the commit being made; None where it is no person's, or anything is unusual.

    `known` are the tree of the index and the output of `git var -l`: given, they spare two
    processes. Raises OSError.
    """
    git_dir = os.environ.get("GIT_DIR") or ".git"
    ref = None if _is_odd(git_dir) else _read_branch(git_dir)
    if ref is None or not hasattr(os, "posix_spawnp"):
        return None
    if known is None:  # two processes at once
        index, variables = GitProcess("write-tree"), GitProcess("var", "-l")
        known = facts.told = index.answer().strip(), variables.answer()
    people, stored = _find_people(known[1]), _read_stored(known[0])
    if people is None or stored is None or find_agent_shell() is not None:
        return None
    parent, *policy = stored
    line = os.fsencode("\0".join((__version__, ref, *people, *policy)))
    return _PersonsCommit(git_dir, parent.removesuffix(" commit"), line)


def _is_odd(git_dir: str) -> bool:
    """Whether this is a merge, or no plain repository, or somebody wants another judge."""
    own = (name for name in os.environ if name.startswith(("HKGIT_", "GITHEAD_")))
    if any(name not in _HARMLESS_NAMES for name in own) or not os.path.isdir(git_dir):
        return True
    grafts = f"{find_shared(git_dir)}/info/grafts"
    return os.path.lexists(f"{git_dir}/MERGE_HEAD") or os.path.lexists(grafts)


def _read_branch(git_dir: str) -> str | None:
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


def _find_people(settings: str) -> list[str] | None:
    """Author and committer as `Name <email>`, from the last lines of `git var -l`."""
    lines = [line.partition("=") for line in settings.split("\n")]
    found = sorted((name, value) for name, _, value in lines if name in _IDENTS)
    if [name for name, _ in found] != [*_IDENTS]:
        return None  # a value of several lines may look like a name
    return [value.rpartition(" ")[0].rpartition(" ")[0] for _, value in found]


def _read_stored(tree: str) -> list[str] | None:
    """The parent, and what is there where policies are.

    None where the commit changes nothing, or the ledger.
    """
    places = ("^{commit}", "^{tree}", *(f":{path}" for path in POLICIES), f":{LEDGER}")
    asked = "".join(f"HEAD{place}\n" for place in places) + f"{tree}:{LEDGER}\n"
    child = GitProcess("cat-file", "--batch-check=%(objectname) %(objecttype)", asked=asked)
    lines = child.answer().split("\n")
    if not tree or len(lines) != len(places) + 2 or not lines[1].endswith(" tree"):
        return None
    is_same_ledger = lines[4].removeprefix("HEAD") == lines[5].removeprefix(tree)
    is_changed = lines[1] != f"{tree} tree"
    return [lines[0], *lines[2:4]] if is_changed and is_same_ledger else None


def _replace_file(path: str, data: bytes) -> None:
    """Write a file in one step: two commits of one clone may end at the same time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        file.write(data)
    os.replace(f"{path}.{os.getpid()}", path)
