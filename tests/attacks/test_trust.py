"""Attacks on what decides whom to trust: the policy, its signers, and where they are read from."""

import os
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

from hkgit.gate.entrypoints.hook_scripts import HOOKS
from hkgit.workflows.setup import install
from tests.attacks.landing import ATTRIBUTES, Landing
from tests.support.cases import cases
from tests.support.commands import AGENT, git, hkgit
from tests.support.keys import made_key, public
from tests.support.objects import open_repository
from tests.support.planning import Operation, hash_of, replace_range
from tests.support.repos import Repo
from tests.support.serving import preload_hooks

PERSON: dict[str, str] = {}
GATE = '[tool.hkgit.gate]\ngovern = "{}"\n'
HEAD = "# 1\n# 2\n# 3\n# 4\n# 5\n"
PROJECT = f"{HEAD}{GATE}# 6\n[tool.other]\nx = 1\n"
CONFIG = ".hkgit/config.toml"
CI = ".github/workflows/ci.yml"
START = "start"  # the commit before the first one with a policy
BROKEN = "[tool.hkgit.gate]\ngovern = \n"


def begin(folder: Path, files: dict[str, str], *, branch: str = "main") -> Landing:
    """A server with these files on a branch, and a clone of it."""
    hashes = os.environ.get("GIT_DEFAULT_HASH", "")
    return _template(hashes, branch, *files.items()).copy(folder)


@cache
def _template(hashes: str, branch: str, *files: tuple[str, str]) -> Landing:
    """One that nobody pushes to, to be copied."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["HOME"]))
    clone = Repo.init(folder / "clone")
    own = {"app.py": "one\ntwo\nthree\n", ".hkgit/.gitattributes": ATTRIBUTES}
    clone.commit({"LICENSE": "MIT\n"}, "Start")
    clone.git("tag", START)
    clone.commit({**own, **dict(files)}, "Begin")
    server = Repo.init(folder / "server.git", bare=True)
    clone.git("push", "-q", str(server.path), f"main:{branch}")
    hkgit(server, "init", "--server")
    preload_hooks(server)
    return Landing(clone, server)


def commit(made: Landing, on: str, files: dict[str, str | None], **env: str) -> str:
    """A commit of a person, or of whom the variables name, on another one, checked out alone."""
    made.clone.git("checkout", "-q", "--detach", on)
    options = ["--no-verify"] if any(made.clone.hooks.iterdir()) else []
    if env:
        options.append("--author={GIT_AUTHOR_NAME} <{GIT_AUTHOR_EMAIL}>".format(**env))
    return made.clone.commit(files, "Change", *options)


# What a merge makes of it


def halves(made: Landing, *, govern: str) -> tuple[str, str]:
    """Two commits with evidence that leave the policy's value, and merge to another one.

    A comment of the one ends a string of the other, so that what the string held is live.
    """
    gate = GATE.format(govern)
    lines = (HEAD + gate).count("\n")
    first = made.apply(inserted(made, "main", 3, "# '''\n"), on="main")
    hidden = "[tool.hkgit.gate]\nmode = \"report\"\n[tool.c]\nu = '''\n"
    second = made.apply(
        inserted(made, "main", 1, "[tool.b]\nt = '''\n"),
        replaced(made, "main", lines - 1, lines, f"{hidden}{gate}# '''\n"),
        on="main",
    )
    return first, second


def inserted(made: Landing, rev: str, after: int, text: str) -> dict[str, object]:
    line = made.clone.show(rev, "pyproject.toml").decode().splitlines()[after - 1]
    return replaced(made, rev, after, after, f"{line}\n{text}")


def replaced(made: Landing, rev: str, first: int, last: int, text: str) -> dict[str, object]:
    data = made.clone.show(rev, "pyproject.toml")
    return replace_range("pyproject.toml", data, first, last, text)


@cases(
    "govern, env",
    {
        "by an agent where all are governed": ("all", AGENT),
        "by an agent": ("agents", AGENT),
        "by a person who does not see it": ("agents", PERSON),
    },
)
def test_a_clean_merge_makes_no_policy_that_nobody_has_written(
    tmp_path: Path, govern: str, env: dict[str, str]
) -> None:
    made = begin(tmp_path, {"pyproject.toml": PROJECT.format(govern)})
    first, second = halves(made, govern=govern)
    made.take(f"{first}:main")
    made.take(f"{second}:refs/heads/topic")
    tree = made.clone.git("merge-tree", "--write-tree", first, second)
    merged = made.clone.git("commit-tree", tree, "-p", first, "-p", second, "-m", "Merge", env=env)
    said = made.refuse(f"{merged}:main")
    assert "policy" in said
    assert 'mode = "report"' in made.clone.show(merged, "pyproject.toml").decode()


def test_a_person_puts_right_what_a_merge_would_make_of_the_policy(tmp_path: Path) -> None:
    """The advice of the refusal, followed. What one side alone came to, a merge brings."""
    made = begin(tmp_path, {"pyproject.toml": PROJECT.format("agents")})
    first, second = halves(made, govern="agents")
    made.take(f"{first}:main")
    made.clone.git("checkout", "-q", "--detach", first)
    made.clone.git("merge", "-q", "--no-commit", second)
    text = made.clone.show(second, "pyproject.toml").decode()
    made.clone.write("pyproject.toml", text)
    made.clone.git("commit", "-q", "--no-verify", "-a", "-m", "Merge by hand")
    made.take("HEAD:main")
    right = made.clone.head
    policy = commit(made, right, {"pyproject.toml": text.replace("# 6", "protect = ['x']\n# 6")})
    work = made.edit("app.py", (1, "uno"), on=right)
    made.take(f"{work}:main")
    made.take(f"{made.merge(work, policy)}:main")


def test_a_merge_of_two_changes_of_a_protected_file_is_an_agents_decision(tmp_path: Path) -> None:
    """People made each; what git makes of both nobody has seen."""
    steps = "".join(f"- {number}\n" for number in range(1, 10))
    made = begin(tmp_path, {CONFIG: "[gate]\n", CI: steps})
    first = commit(made, "main", {CI: steps.replace("- 1\n", "- one\n")})
    second = commit(made, "main", {CI: steps.replace("- 9\n", "- nine\n")})
    made.take(f"{first}:main")
    assert "protected" in made.refuse(f"{made.merge(first, second)}:main")
    one_side = commit(made, "main", {"notes.md": "Notes\n"})
    made.take(f"{made.merge(first, one_side)}:main")


def test_a_merge_of_two_changes_of_the_signers_is_an_agents_decision(tmp_path: Path) -> None:
    """Each is one that a person made; both together are a list that nobody has written."""
    lines = [f"{name}@example.org {public(made_key(tmp_path / name))}\n" for name in "abcde"]
    policy = '[gate]\nallowed_signers = "signers"\n'
    made = begin(tmp_path, {CONFIG: policy, "signers": "".join(lines[1:4])})
    first = commit(made, "main", {"signers": "".join(lines[:4])})
    second = commit(made, "main", {"signers": "".join(lines[1:])})
    made.take(f"{first}:main")
    merged = made.merge(first, second)
    assert made.clone.show(merged, "signers").decode() == "".join(lines)
    assert "signers" in made.refuse(f"{merged}:main")
    one_side = commit(made, "main", {"notes.md": "Notes\n"})
    made.take(f"{made.merge(first, one_side)}:main")


# What decides trust does not go back


def rotated(made: Landing, folder: Path) -> tuple[str, str]:
    """The signers before a key was rotated, and after."""
    lines = [f"ada@example.org {public(made_key(folder / name))}\n" for name in ("old", "new")]
    policy = (
        '[gate]\nallowed_signers = "signers"\n'
        '[[gate.manual]]\npaths = ["*"]\nprincipals = ["ada@example.org"]\n'
    )
    before = commit(made, "main", {CONFIG: policy, "signers": lines[0]})
    return before, commit(made, before, {"signers": lines[1]})


def test_a_rewrite_does_not_bring_back_a_rotated_key(tmp_path: Path) -> None:
    made = begin(tmp_path, {CONFIG: "[gate]\n"})
    before, after = rotated(made, tmp_path)
    made.take(f"{before}:main")
    made.take(f"{after}:main")
    assert "a different policy or signers" in made.refuse(f"+{before}:main")


def test_a_ref_with_a_policy_of_its_own_is_not_deleted_to_be_made_again(tmp_path: Path) -> None:
    made = begin(tmp_path, {CONFIG: "[gate]\n"})
    strict = commit(made, "main", {CONFIG: '[gate]\ngovern = "all"\n'})
    made.take(f"{strict}:refs/heads/release")
    said = made.refuse(":refs/heads/release")
    assert "has its own policy or signers" in said
    landed = commit(made, strict, {CONFIG: "[gate]\n"})
    assert "release" in made.refuse(f"{landed}:refs/heads/release")  # governs all: no grant


def test_branches_without_a_policy_of_their_own_are_deleted(tmp_path: Path) -> None:
    """From before a newer policy, merged, or without any, as a branch of pages."""
    made = begin(tmp_path, {CONFIG: "[gate]\n"})
    topic = commit(made, "main", {"notes.md": "Notes\n"})
    newer = commit(made, "main", {CONFIG: '[gate]\nprotect = ["x"]\n'})
    pages = orphan(made, {"index.html": "x\n"})
    made.take(f"{topic}:refs/heads/topic")
    made.take(f"{pages}:refs/heads/pages")
    made.take(f"{newer}:main")
    made.take(":refs/heads/topic")
    made.take(":refs/heads/pages")


# Where HEAD names nothing


def orphan(made: Landing, files: dict[str, str | None] | None = None) -> str:
    """A first commit, by default with a policy that lets everything pass."""
    made.clone.git("checkout", "-q", "--orphan", "orphan")
    made.clone.git("rm", "-r", "-q", "-f", ".")
    return made.clone.commit(files or {CONFIG: '[gate]\nmode = "report"\n'}, "Open")


def test_where_head_names_nothing_the_branch_that_is_there_says_whom_to_trust(
    tmp_path: Path,
) -> None:
    made = begin(tmp_path, {CONFIG: '[gate]\ngovern = "all"\n'})
    made.server.git("symbolic-ref", "HEAD", "refs/heads/master")
    good = made.edit("app.py", (1, "uno"), on="main")
    assert "blind" in made.refuse(f"{orphan(made)}:refs/heads/master")
    assert "blind" in made.refuse(f"{commit(made, 'main', {'x': 'x'}, **AGENT)}:refs/heads/topic")
    assert "default branch" in made.refuse(":refs/heads/main")
    made.take(f"{good}:refs/heads/topic")


def test_where_branches_disagree_somebody_has_to_say_which_is_the_default(tmp_path: Path) -> None:
    made = begin(tmp_path, {CONFIG: "[gate]\n"})
    strict = commit(made, "main", {CONFIG: '[gate]\ngovern = "all"\n'})
    made.take(f"{strict}:refs/heads/strict")
    made.server.git("symbolic-ref", "HEAD", "refs/heads/master")
    said = made.refuse(f"{orphan(made)}:refs/heads/master")
    assert "git symbolic-ref HEAD refs/heads/BRANCH" in said
    made.take(f"{made.edit('app.py', (1, 'uno'), on='main')}:main")
    made.server.git("symbolic-ref", "HEAD", "refs/heads/main")
    made.take(f"{made.edit('app.py', (1, 'eins'), on='main')}:refs/heads/topic")


# A policy that cannot be read

PLACES = {"pyproject.toml": PROJECT.format("agents"), CONFIG: '[gate]\ngovern = "agents"\n'}


@pytest.mark.parametrize("text", [BROKEN, "x = " + "1" * 5000 + "\n"], ids=["a typo", "a number"])
@pytest.mark.parametrize("path", PLACES)
def test_what_breaks_the_policy_is_refused_where_it_arrives(
    tmp_path: Path, path: str, text: str
) -> None:
    made = begin(tmp_path, {path: PLACES[path]})
    said = made.refuse(f"{commit(made, 'main', {path: text})}:main")
    assert "is not TOML" in said
    made.take(f"{made.edit('app.py', (1, 'uno'), on='main')}:main")


@pytest.mark.parametrize("path", PLACES)
def test_a_broken_policy_leaves_the_last_readable_one_in_force(tmp_path: Path, path: str) -> None:
    made = begin(tmp_path, {path: PLACES[path].replace('"agents"', '"all"')})
    broken = made.land(commit(made, "main", {path: BROKEN}))
    on = commit(made, broken, {"blind.txt": "x\n"}, **AGENT)
    assert "blind" in made.refuse(f"{on}:main")
    assert "policy" in made.refuse(f"{commit(made, broken, {path: PLACES[path]})}:main")
    made.take(f"{made.edit('app.py', (1, 'uno'), on=broken)}:main")


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("way", ["a commit", "a force push back"])
def test_who_could_change_a_policy_fixes_a_broken_one(tmp_path: Path, path: str, way: str) -> None:
    made = begin(tmp_path, {path: PLACES[path]})
    before = made.clone.resolve("main")
    broken = made.land(commit(made, "main", {path: BROKEN}))
    if way == "a commit":
        made.take(f"{commit(made, broken, {path: PLACES[path]})}:main")
    else:
        made.take(f"+{before}:main")
        made.clone.git("checkout", "-q", "--detach", before)
    blind = commit(made, "HEAD", {"blind.txt": "x\n"}, **AGENT)
    assert "blind" in made.refuse(f"{blind}:refs/heads/topic")


def test_no_merge_gives_a_broken_policy_a_looser_past(tmp_path: Path) -> None:
    """Git merges what is broken as it is; a first parent from before the policy was strict."""
    made = begin(tmp_path, {CONFIG: PLACES[CONFIG]})
    loose = made.clone.resolve("main")
    strict = commit(made, loose, {CONFIG: '[gate]\ngovern = "all"\n'})
    broken = made.land(commit(made, strict, {CONFIG: BROKEN}))
    merged = made.commit(made.clone.resolve(f"{broken}^{{tree}}"), loose, broken)
    assert "its last readable version would be another one" in made.refuse(f"{merged}:main")
    assert "blind" in made.refuse(f"{commit(made, broken, {'x': 'x'})}:main")
    good = made.edit("app.py", (1, "uno"), on=broken)
    made.take(f"{made.merge(broken, good)}:main")


def test_a_policy_that_never_could_be_read_is_fixed_by_a_push(tmp_path: Path) -> None:
    """As when a server begins to ask: until somebody fixes it, the built-in policy holds."""
    made = begin(tmp_path, {CONFIG: BROKEN})
    assert "blind" in made.refuse(f"{commit(made, 'main', {'x': 'x'}, **AGENT)}:main")
    by_agent = commit(made, "main", {CONFIG: PLACES[CONFIG]}, **AGENT)
    assert "blind" in made.refuse(f"{by_agent}:main")
    made.take(f"{commit(made, 'main', {CONFIG: PLACES[CONFIG]})}:main")


@pytest.mark.parametrize("path", PLACES)
def test_the_hooks_of_a_clone_let_a_broken_policy_be_fixed(tmp_path: Path, path: str) -> None:
    made = begin(tmp_path, {path: PLACES[path]})
    clone = made.clone
    install(open_repository(clone), HOOKS)
    preload_hooks(clone)
    clone.git("checkout", "-q", "-B", "main", commit(made, "main", {path: BROKEN}))
    clone.write("blind.txt", "x\n")
    clone.git("add", "-A")
    taken, said = git(clone, "commit", "-m", "Say", env=AGENT)
    assert (taken, "blind" in said) == (False, True)
    clone.git("reset", "-q", "--hard")
    clone.write(path, PLACES[path])
    taken, said = git(clone, "commit", "-a", "-m", "Fix the policy")
    assert taken, said
    made.take(f"{clone.head}:main")


def test_a_file_that_is_not_the_policys_cannot_break_it(tmp_path: Path) -> None:
    made = begin(tmp_path, {CONFIG: "[gate]\n", "pyproject.toml": "[project]\n"})
    broken = commit(made, "main", {"pyproject.toml": "[project\n"})
    made.take(f"{broken}:main")
    blind = commit(made, broken, {"blind.txt": "x\n"}, **AGENT)
    assert "blind" in made.refuse(f"{blind}:main")
    made.take(f"{commit(made, broken, {'pyproject.toml': '[project]'})}:main")
    made = begin(tmp_path / "without", {"pyproject.toml": "[project]\n"})
    broken = commit(made, "main", {"pyproject.toml": "x = " + "1" * 5000 + "\n"})
    made.take(f"{broken}:main")
    made.take(f"{made.edit('app.py', (1, 'uno'), on='main')}:main")


@cases(
    "text",
    {
        "a key of 40,000 parts": "a" + ".a" * 40_000 + " = 1\n",
        "a long key of a table": f"[a{'.a' * 1000}]\n" + "b.c = 1\n" * 20_000,
        "a long file": "x = 1\n# " + "#" * 300_000,
    },
)
def test_no_policy_takes_long_to_read(tmp_path: Path, text: str) -> None:
    made = begin(tmp_path, {"pyproject.toml": PROJECT.format("agents")})
    new = commit(made, "main", {"pyproject.toml": text})
    began = time.monotonic()
    said = made.refuse(f"{new}:main")
    assert "pyproject.toml" in said
    assert time.monotonic() - began < 10  # the hook is another process


# Stricter paths

CORE = '[gate]\ngovern = "all"\n[[gate.paths]]\npaths = ["core/*"]\nmin_tightness = 0.4\n'
TEN = "".join(f"line {number}\n" for number in range(10))


def moved(made: Landing, old: str, new: str, *, on: str) -> str:
    whole = hash_of(made.clone.show(on, old), 1, 10)
    rename: Operation = {"op": "rename_file", "path": old, "new_path": new, "expected_hash": whole}
    return made.apply(rename, on=on)


def loose(made: Landing, path: str, *, on: str) -> str:
    """An edit of one line with the hash of all ten."""
    text = TEN.replace("line 4", "evil").removesuffix("\n")
    return made.apply(replace_range(path, made.clone.show(on, path), 1, 10, text), on=on)


def test_a_floor_holds_for_what_a_file_meets_on_its_way(tmp_path: Path) -> None:
    """Moved out of the path, edited where less is asked, and moved back."""
    made = begin(tmp_path, {CONFIG: CORE, "core/a.py": TEN})
    assert "tightness" in made.refuse(f"{loose(made, 'core/a.py', on='main')}:main")
    out = moved(made, "core/a.py", "a.py", on="main")
    edited = loose(made, "a.py", on=out)
    made.take(f"{edited}:main")
    assert "moved" in made.refuse(f"{moved(made, 'a.py', 'core/a.py', on=edited)}:main")
    again = TEN.replace("line 4", "good")
    create: Operation = {"op": "create_file", "path": "core/a.py", "new_text": again}
    made.take(f"{made.apply(create, on=edited)}:main")
    made.take(f"{moved(made, 'a.py', 'b.py', on='work')}:main")  # no more is asked there


def test_a_merge_carries_no_loose_edit_to_where_more_is_asked(tmp_path: Path) -> None:
    made = begin(tmp_path, {CONFIG: CORE, "a.py": TEN})
    made.clone.git("checkout", "-q", "main")
    (made.clone.path / "core").mkdir()
    made.clone.git("mv", "a.py", "core/a.py")
    made.clone.git("commit", "-q", "--no-verify", "-m", "Move")
    there = made.land(made.clone.head)
    edited = loose(made, "a.py", on=f"{there}~1")
    made.take(f"{edited}:refs/heads/topic")
    assert "moved" in made.refuse(f"{made.merge(there, edited)}:main")
