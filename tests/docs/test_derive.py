"""The second verifier: `docs/derive.py`, written from `docs/format.md` alone, and its vectors."""

import ast
import copy
import json
import shutil
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pygit2
import pytest

from hkgit.edits import EXECUTABLE, REGULAR, SYMLINK, File
from hkgit.evidence.entry import LEDGER, entry_id
from tests.docs.console import BLOCK, ROOT
from tests.support.agreement import derive, derive_again, expect_agreement, list_answers
from tests.support.attacks import A, governed_repository, honest
from tests.support.cases import cases
from tests.support.commands import hkgit, replace_line_two
from tests.support.commits import Change, applied, commit, commit_tree, joined, message_of, tree_of
from tests.support.objects import open_repository, write_commit
from tests.support.planning import protocol, replace_range
from tests.support.repos import IDENTITY, Repo

PAGE, SCRIPT = ROOT / "docs/format.md", ROOT / "docs/derive.py"
VECTORS = sorted((ROOT / "docs/vectors").glob("*.json"))


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the second verifier as anyone would, isolated from everything that is installed."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_it_is_one_short_file_of_the_standard_library() -> None:
    source = SCRIPT.read_text("utf-8")
    nodes = [*ast.walk(ast.parse(source))]
    imported = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    imported += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    assert {*imported} <= sys.stdlib_module_names
    assert len(source.splitlines()) <= 300


def test_the_page_is_read_in_one_evening() -> None:
    assert len(PAGE.read_text("utf-8").split()) <= 1500


def test_the_example_on_the_page_is_derived_by_hand() -> None:
    """That it prints what the page says is a test of every page; here, that it says so."""
    shown = "".join(found[2] for found in BLOCK.finditer(PAGE.read_text("utf-8")))
    assert "\nnamed by its hash\n" in shown
    assert "\nthe line that was read\n" in shown
    assert "\nderived\n" in shown


def _bytes(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else b64decode(text["base64"])


def _files(listed: dict[str, Any]) -> dict[str, File]:
    return {path: File(_bytes(text), int(mode, 8)) for path, (mode, text) in listed.items()}


@cache
def _vector_commit(repo: Repo, vector: Path) -> str:
    """The commit of a vector, on one with the files before."""
    document = json.loads(vector.read_text("utf-8"))
    assert document["version"] == 1
    repository = open_repository(repo)
    entries = [text.encode() for text in document["entries"]]
    ledger = {
        f"{LEDGER}/{name[:2]}/{name[2:]}.json": data
        for name, data in zip(map(entry_id, entries), entries, strict=True)
    }
    after = _files(document["after"]) | {path: File(data) for path, data in ledger.items()}
    before = repository.write_tree(None, _files(document["before"]))
    first = write_commit(repo, before, (), b"Begin\n", *IDENTITY.rstrip(">").split(" <"))
    tree = repository.write_tree(None, after)
    made = write_commit(repo, tree, (first or "",), b"Say\n", *IDENTITY.rstrip(">").split(" <"))
    assert made is not None
    return made


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A governed repository; vectors and forgeries are commits beside its branch."""
    return governed_repository(Repo.init(tmp_path_factory.mktemp("store") / "repo"))


@pytest.fixture(scope="module")
def second(store: Repo) -> Iterator[Any]:
    """The second verifier at work in it."""
    git = derive.Git(str(store.path))
    yield git
    git.batch.communicate()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda path: path.stem)
def test_both_verifiers_say_of_a_vector_what_it_says(
    store: Repo, second: Any, vector: Path
) -> None:
    made = _vector_commit(store, vector)
    is_derived = json.loads(vector.read_text("utf-8"))["derived"]
    answer, _ = derive_again(second, made)
    assert answer == ("derived" if is_derived else "not derived")
    allowed = list_answers(open_repository(store), made)
    assert allowed <= ({"derived"} if is_derived else {"not derived", "not judged here"})


def test_each_commit_has_a_line(repo: Repo) -> None:
    governed_repository(repo)
    commit(repo, Change({"b.txt": File(b"by hand\n")}))
    repo.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    done = run("HEAD", cwd=repo.path)
    assert done.stderr == ""
    said = [line.split("  ")[1] for line in done.stdout.splitlines()]
    assert said == ["no entry", "derived", "no entry", "no entry"]
    assert done.returncode == 0


def test_a_repository_is_named_before_the_range(store: Repo, tmp_path: Path) -> None:
    done = run(str(store.path), "HEAD~1..HEAD", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{store.head[:12]}  derived\n")


A_DONE = A.replace(b"    name = sys.argv[1]\n    print(name)\n", b"    print(sys.argv)\n")


def _hunk(change: Change) -> Any:
    return change.file["hunks"][0]


def _beside(change: Change, **parts: Any) -> None:
    """Add a second entry, the first one with other parts."""
    change.entries.append(copy.deepcopy(change.entry) | parts)


def _alter(change: Change, data: bytes, mode: int = REGULAR) -> None:
    """Let the commit hold another file than the honest one."""
    change.files["a.py"] = File(data, mode)


FORGERIES: dict[str, Callable[[Change], object]] = {
    "a line more": lambda change: _alter(change, A_DONE + b"more\n"),
    "an empty file": lambda change: _alter(change, b""),
    "another mode": lambda change: _alter(change, A_DONE, EXECUTABLE),
    "a link": lambda change: _alter(change, A_DONE, SYMLINK),
    "a file beside": lambda change: change.files.update({"beside.py": File(b"")}),
    "a file gone": lambda change: change.files.update({"b.txt": None}),
    "another text": lambda change: _hunk(change).update(new_text="evil()\n"),
    "text in base64": lambda change: _hunk(change).update(new_text={"base64": "eAo="}),
    "half a line": lambda change: _hunk(change).update(new_text="x"),
    "another line": lambda change: _hunk(change).update(lines=[1, 1]),
    "lines without end": lambda change: _hunk(change).update(lines=[5, 2**53 - 1]),
    "lines that run backwards": lambda change: _hunk(change).update(lines=[2**53 - 1, 0]),
    "no lines around": lambda change: _hunk(change).update(before=[], after=[]),
    "a hunk twice": lambda change: change.file["hunks"].append(_hunk(change)),
    "no hunks": lambda change: change.file.update(hunks=[]),
    "a file twice": lambda change: change.entry["files"].append(change.file),
    "another path": lambda change: change.file.update(path="b.txt", new_path="b.txt"),
    "no last newline": lambda change: change.file.update(final_newline=False),
    "an entry twice": lambda change: _beside(change, claims={}),
    "files as an object": lambda change: _beside(change, files={}),
    "a base of two lines": lambda change: change.entry.update(base="HEAD\nHEAD"),
    "true for one": lambda change: change.entry.update(schema=True),
    "a key more": lambda change: change.entry.update(more=1),
    "a fraction": lambda change: change.entry.update(claims={"time": 0.5}),
}


@pytest.mark.parametrize("base", ["its own base", "another base"])
@pytest.mark.parametrize("forge", FORGERIES.values(), ids=list(FORGERIES))
def test_no_forgery_is_derived(
    store: Repo, second: Any, forge: Callable[[Change], object], base: str
) -> None:
    change = honest(store)
    forge(change)
    if base == "another base":
        moved = Change({"a.py": File(b"# moved\n" + A)})
        file = change.files["a.py"]
        assert file is not None
        change.files["a.py"] = File(b"# moved\n" + file.data, file.mode)
        change.parents = (_commit_beside(store, moved),)
    assert derive_again(second, _commit_beside(store, change))[0] == "not derived"


def _commit_beside(repo: Repo, change: Change) -> str:
    """Commit a change, and leave the branch where it is."""
    tree, message = tree_of(repo, change), message_of(change)
    return commit_tree(repo, tree, change.parents, message, change.author)


@cases(
    "forge, said",
    {
        "bytes that no entry makes": (
            lambda change: _alter(change, A_DONE.replace(b"main()\n", b"Main()\n")),
            "a.py:8: is not what the entries make",
        ),
        "a forged hunk": (
            lambda change: _hunk(change).update(old_hash="0" * 64),
            "a.py:5: its hashes do not hold here",
        ),
        "a path of two lines": (
            lambda change: change.files.update({"a\n.txt": File(b"two\n")}),
            r"a\n.txt:1: is not what the entries make",
        ),
    },
)
def test_what_is_not_derived_is_told_on_one_line_with_path_and_number(
    store: Repo, forge: Callable[[Change], object], said: str
) -> None:
    change = honest(store)
    forge(change)
    made = _commit_beside(store, change)
    done = run(f"{made}~1..{made}", cwd=store.path)
    assert (done.returncode, done.stdout) == (1, f"{made[:12]}  not derived  {said}\n")


@cases(
    "base",
    {
        "the one that it names": None,
        # Else the answer would hang on objects that a clone has or has not.
        "one that is no ancestor": "1" * 40,
    },
)
def test_what_is_forged_above_is_derived_as_long_as_it_is_honest(
    repo: Repo, base: str | None
) -> None:
    governed_repository(repo)
    change = honest(repo)
    assert change.files == {"a.py": File(A_DONE)}
    change.entry["base"] = base or change.entry["base"]
    repo.commit({"a.py": b"# moved\n" + repo.show("HEAD", "a.py")})
    change.files["a.py"] = File(b"# moved\n" + A_DONE)
    commit(repo, change)
    done = run("HEAD~1..HEAD", cwd=repo.path)
    assert (done.stdout, done.stderr) == (f"{repo.head[:12]}  derived\n", "")
    expect_agreement(repo.path)


def test_directories_are_as_deep_as_git_makes_them(repo: Repo) -> None:
    governed_repository(repo)
    opened = pygit2.Repository(str(repo.path))
    name, mode, tree = "leaf", pygit2.enums.FileMode.BLOB, opened.create_blob(b"")
    for _ in range(1201):
        builder = opened.TreeBuilder()
        builder.insert(name, tree, mode)
        name, mode, tree = "d", pygit2.enums.FileMode.TREE, builder.write()
    made = repo.git("commit-tree", "-m", "Dig", str(tree))
    assert run(made, cwd=repo.path).stdout == f"{made[:12]}  no entry\n"


USAGE = "derive.py: usage: python derive.py [REPOSITORY] A..B"


@cases(
    "arguments, said",
    {
        "nothing": ([], USAGE),
        "too much": (["a", "b", "c"], USAGE),
        "no such revision": (["nowhere..HEAD"], "fatal: bad revision"),
        "an option": (["--all"], "fatal: bad revision"),
        "no directory": (["missing", "HEAD"], "fatal: cannot change to 'missing'"),
        "no repository": (["..", "HEAD"], "fatal: not a git repository"),
        "no git": (["HEAD"], "derive.py: [Errno 2] No such file or directory: 'git'"),
    },
)
def test_bad_input_is_2_with_a_line_that_says_why(
    store: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    if "[Errno 2]" in said:
        monkeypatch.setenv("PATH", str(tmp_path))
    done = run(*arguments, cwd=store.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr
    assert "Command" not in done.stderr
    lines = done.stderr.splitlines()
    assert lines[-1].startswith("derive.py: ")
    assert len(lines) <= 3  # of which git says up to two


def test_merges_and_reverts_are_not_judged_here(repo: Repo) -> None:
    governed_repository(repo)
    repo.git("revert", "--no-edit", "HEAD")
    repo.git("switch", "-q", "-c", "side", "HEAD~1")
    repo.commit({"side.txt": "side\n"})
    repo.git("merge", "-q", "--no-edit", "main")
    done = run("HEAD~1..HEAD", cwd=repo.path)
    said = sorted(line.split("  ", 1)[1] for line in done.stdout.splitlines())
    assert said == ["not judged here  merge", "not judged here  takes entries out of the ledger"]
    assert done.returncode == 0


def test_a_shallow_clone_says_what_is_missing(store: Repo, tmp_path: Path) -> None:
    store.git("clone", "-q", "--depth=1", store.path.as_uri(), str(tmp_path / "clone"))
    done = run("HEAD", cwd=tmp_path / "clone")
    missing = store.resolve("HEAD~1")[:12]
    what = f"not judged here  commit {missing} is missing or damaged"
    assert done.stdout == f"{store.head[:12]}  {what}\n"


def test_a_repository_with_sha256_ids_is_derived(
    make_repo: Callable[..., Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    repo = make_repo("sha256")
    repo.commit({"app.py": "one\ntwo\nthree\n"}, "Begin")
    hkgit(repo, "apply", "-", stdin=replace_line_two(repo, "TWO\n"))
    assert len(repo.head) == 64
    assert run("HEAD", cwd=repo.path).stdout.endswith(f"{repo.head[:12]}  derived\n")
    expect_agreement(repo.path)


def test_grafts_and_replacements_change_nothing(repo: Repo) -> None:
    governed_repository(repo)
    change = honest(repo)
    change.file["hunks"][0]["new_hash"] = "0" * 64
    forged = commit(repo, change)
    repo.git("replace", forged, "HEAD~1")
    (repo.path / ".git/info/grafts").write_text(f"{forged}\n")
    done = run("HEAD", cwd=repo.path)
    assert done.stdout.splitlines()[-1].startswith(f"{forged[:12]}  not derived  a.py:5")
    assert len(done.stdout.splitlines()) == 3


def test_a_disagreement_fails_and_keeps_the_history(repo: Repo) -> None:
    governed_repository(repo)
    expect_agreement(repo.path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derive, "check_commit", lambda git, commit: None)
        with pytest.raises(AssertionError, match=r"derive.py: derived .*no entry") as failure:
            expect_agreement(repo.path)
    kept = Path(str(failure.value).rpartition(": ")[2])
    assert Repo(kept).head == repo.head
    shutil.rmtree(kept.parent)


def test_several_entries_on_a_base_that_moves(repo: Repo) -> None:
    text = b"".join(b"line %d\n" % number for number in range(1, 31))
    repo.commit({"a.txt": text}, "Begin")
    first = applied(repo, protocol(replace_range("a.txt", text, 10, 10, "ten")))
    file = first.files["a.txt"]
    assert file is not None
    repo.git("switch", "-q", "-c", "aside")
    commit(repo, first)
    second = applied(repo, protocol(replace_range("a.txt", file.data, 20, 20, "twenty")))
    repo.git("switch", "-q", "main")
    repo.commit({"a.txt": b"line 0\n" + text}, "Move on")
    both = joined(first, second)
    both.files["a.txt"] = File(
        b"line 0\n" + text.replace(b"line 10\n", b"ten\n").replace(b"line 20\n", b"twenty\n")
    )
    commit(repo, both)
    assert run("HEAD~1..HEAD", cwd=repo.path).stdout == f"{repo.head[:12]}  derived\n"
    expect_agreement(repo.path)
