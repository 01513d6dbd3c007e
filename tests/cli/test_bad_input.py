"""Bad input: a stable exit code, a reason, no traceback, and nothing left behind."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import make_bench
from tests.cli.running import Bench, run, script
from tests.cli.specs import (
    NEW,
    OLD,
    SOURCE,
    edit,
    harnesskit,
    protocol,
    replace_range,
    search_replace,
)
from tests.repos import Repo

ABSENT = "0123456789ab"
LAST = 100_000


def operation(op: str, path: str, **more: object) -> dict[str, object]:
    return {"op": op, "path": path, **more}


# Specs


BIG = "x" * 10_000_000
WRITTEN_TWICE = '{"version": "1", "operations": [], "operations": []}'
SPECS = [
    pytest.param("", 4, "blank", id="blank"),
    pytest.param("Please change the file.\n", 4, "no known dialect", id="prose"),
    pytest.param(protocol(), 4, "empty spec", id="no operations"),
    pytest.param(b"\xff\xfe\x00", 4, "no known dialect", id="not text"),
    pytest.param('{"version": "1", "operations": [', 4, "line 1, column", id="cut short"),
    pytest.param(WRITTEN_TWICE, 4, '"operations" stands here twice', id="duplicate keys"),
    pytest.param(
        protocol(operation("replace_line", SOURCE)), 4, "operations[0].op", id="unknown operation"
    ),
    pytest.param(
        protocol(replace_range(SOURCE, 1, 1, "0123456789a", "x")), 4, "12 to 64 hex digits",
        id="a hash too short",
    ),
    pytest.param(
        protocol(replace_range(SOURCE, 3, 2, None, "x")), 4, "end_line", id="a range backwards"
    ),
    pytest.param(
        protocol(replace_range(SOURCE, 1, 2, None, "x"), replace_range(SOURCE, 2, 3, None, "y")),
        4, "overlaps", id="overlapping operations",
    ),
    pytest.param(
        protocol(replace_range(SOURCE, LAST, LAST, None, "x")), 4, "lines",
        id="line numbers past the end",
    ),
    pytest.param(
        protocol(replace_range(SOURCE, LAST, LAST, ABSENT, "x")), 3, "lines",
        id="line numbers past the end, with a hash",
    ),
    pytest.param(
        protocol(replace_range("nowhere.py", 1, 1, None, "x")), 1, "no such file", id="no such file"
    ),
    pytest.param(
        protocol(replace_range("nowhere.py", 1, 1, ABSENT, "x")), 3, "no such file",
        id="no such file, with a hash",
    ),
    pytest.param(harnesskit(edit(path="nowhere.py")), 1, "no such file", id="a text in no file"),
    pytest.param(protocol(operation("create_file", SOURCE, new_text="x")), 3, "exists", id="taken"),
    pytest.param(
        protocol(operation("create_file", "src", new_text="x")), 3, "src", id="a directory's name"
    ),
    pytest.param(
        protocol(operation("create_file", f"{SOURCE}/x", new_text="x")), 4, SOURCE,
        id="below a file",
    ),
    pytest.param(harnesskit(edit("a", "b", "src")), 4, "is a directory", id="a directory"),
    pytest.param(harnesskit(edit("a", "b", "module")), 4, "is a submodule", id="a submodule"),
    pytest.param(harnesskit(edit("a", "b", "module/a")), 4, "a submodule", id="in a submodule"),
    pytest.param(harnesskit(edit("a", "b", "link")), 4, "is a symbolic link", id="a link"),
    pytest.param(harnesskit(edit("a", "b", "binary")), 4, "is a binary file", id="a binary file"),
    pytest.param(
        protocol(operation("delete_file", SOURCE), operation("create_file", SOURCE, new_text="x")),
        4, SOURCE, id="removed and made again",
    ),
    pytest.param(
        protocol(replace_range(SOURCE, 2, 2, None, ""), operation("delete_file", "src/document.py"),
                 operation("rename_file", SOURCE, new_path="src/document.py")),
        4, "src/document.py", id="moved onto what is removed",
    ),
    pytest.param(
        protocol(replace_range("plain", 1, 1, None, "1")), 4, "changes nothing",
        id="changes nothing",
    ),
    pytest.param(
        protocol(operation("create_file", "big", new_text=BIG)), 4, "Split", id="10 MB in one edit"
    ),
    pytest.param(
        harnesskit(edit(BIG, "x")), 1, "not in the file", id="10 MB of text that is nowhere"
    ),
    pytest.param(
        protocol(*[operation("create_file", f"many/{n}", new_text="") for n in range(1001)]),
        4, "edits 1-1001: the spec: 1001 edits", id="more edits than an entry holds",
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def odd(sources: Repo, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """One repository with a file of every kind for all: refusing changes nothing."""
    place = tmp_path_factory.mktemp("odd")
    repo = Repo(place / "repo")
    sources.git("clone", "-q", ".", str(repo.path))
    (repo.path / "link").symlink_to(SOURCE)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},module")
    Repo.init(repo.path / "module").commit({"a": "1"})
    repo.commit({"binary": b"a\0b\n", "plain": "1\n"}, "Add odd files")
    return make_bench(repo, place)


@pytest.mark.parametrize(("spec", "code", "words"), SPECS)
def test_a_spec_that_cannot_be_applied(
    odd: Bench, spec: str | bytes, code: int, words: str
) -> None:
    with odd.untouched():
        result = odd.apply(spec)
    assert (result.code, result.out) == (code, "")
    assert words in result.err
    assert len(result.err) < 2000


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        pytest.param(("--format", "nonsense"), 4, "Known dialects", id="an unknown dialect"),
        pytest.param(("--format", "protocol"), 4, "", id="another dialect than named"),
        pytest.param(("--base", "side"), 4, "no ancestor", id="a base that is no ancestor"),
        pytest.param(("--base", "nowhere"), 4, "names no commit", id="a base that is nowhere"),
        pytest.param(("{spec}.missing",), 4, "cannot be read", id="no such spec"),
        pytest.param(("{folder}",), 4, "cannot be read", id="a directory as a spec"),
    ],
)
def test_options_that_cannot_be(
    bench: Bench, options: tuple[str, ...], code: int, words: str
) -> None:
    bench.repo.git("checkout", "-q", "--orphan", "side")
    bench.repo.commit()
    bench.repo.git("checkout", "-q", "main")
    spec = bench.write(search_replace())
    given = (each.format(spec=spec, folder=bench.scratch) for each in options)
    with bench.untouched():
        result = bench.run("apply", spec, *given)
    assert (result.code, words in result.err) == (code, True), result.err


# Repositories


def not_a_repository(bench: Bench) -> None:
    (bench.repo.path / ".git").rename(bench.repo.path / "not-git")


def unborn(bench: Bench) -> None:
    bench.repo.git("checkout", "-q", "--orphan", "unborn")


def detached(bench: Bench) -> None:
    bench.repo.git("checkout", "-q", "--detach")


def without_identity(bench: Bench) -> None:
    bench.repo.git("config", "user.useConfigOnly", "true")


def grafted(bench: Bench) -> None:
    bench.repo.write(".git/info/grafts", bench.repo.head + "\n")


def unknown_format(bench: Bench) -> None:
    bench.repo.git("config", "core.repositoryFormatVersion", "1")
    bench.repo.git("config", "extensions.refStorage", "reftable")


REPOSITORIES = [
    pytest.param(not_a_repository, (), 7, "is not in a git repository", id="no repository"),
    pytest.param(unborn, (), 7, "no commit yet", id="an unborn branch"),
    pytest.param(unborn, ("--branch", "topic"), 4, "names no commit", id="a branch off nothing"),
    pytest.param(detached, (), 7, "detached", id="a detached HEAD"),
    pytest.param(without_identity, (), 7, "user.email", id="no identity"),
    pytest.param(grafted, (), 7, "grafts", id="a rewritten history"),
    pytest.param(unknown_format, (), 7, "cannot open", id="another format"),
]


@pytest.mark.parametrize(("make", "options", "code", "words"), REPOSITORIES)
def test_a_repository_that_cannot_be_landed_in(
    bench: Bench, make: Callable[[Bench], None], options: tuple[str, ...], code: int, words: str
) -> None:
    make(bench)
    with bench.untouched():
        result = bench.apply(search_replace(), *options, env={"GIT_CONFIG_GLOBAL": os.devnull})
    assert (result.code, words in result.err) == (code, True), result.err


def test_a_repository_of_sha_256_cannot_be_opened(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    subprocess.run(["git", "init", "-q", "--object-format=sha256", repo.path], check=True)
    repo.commit({SOURCE: f"{OLD}\n"})
    bench = make_bench(repo, tmp_path)
    with bench.untouched():
        result = bench.apply(search_replace())
    assert (result.code, "SHA-1" in result.err) == (7, True)


@pytest.fixture
def bare(sources: Repo, tmp_path: Path) -> Bench:
    path = tmp_path / "bare"
    sources.git("clone", "-q", "--bare", ".", str(path))
    return make_bench(Repo(path), tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param((), "bare", id="no branch named"),
        pytest.param(("--branch", "main"), "", id="the branch of HEAD"),
    ],
)
def test_a_bare_repository_has_no_checkout_to_land_in(
    bare: Bench, options: tuple[str, ...], words: str
) -> None:
    before = bare.state()
    result = bare.apply(search_replace(), *options)
    if options:
        assert result.code == 0, result.err
        assert NEW.encode() in bare.repo.show("main", SOURCE)
    else:
        assert (result.code, words in result.err) == (7, True)
        assert bare.state() == before


def _without_root_s_powers() -> None:
    """Let file modes bind root too: drop what lets it pass them (prctl(2), capabilities(7))."""
    drop, override, read_search = 24, 1, 2
    for capability in (override, read_search):
        ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0)


@pytest.fixture
def read_only(bench: Bench) -> Iterator[Bench]:
    """A repository in which nothing can be written."""
    folders = [Path(folder) for folder, _, _ in os.walk(bench.repo.path)]
    for folder in folders:
        folder.chmod(0o555)
    yield bench
    for folder in folders:
        folder.chmod(0o755)


def test_a_read_only_repository_cannot_be_written(read_only: Bench) -> None:
    spec = read_only.write(search_replace())
    with read_only.untouched():
        done = subprocess.run(
            [script("hkgit"), "apply", spec],
            cwd=read_only.repo.path,
            env=os.environ | {"TMPDIR": str(read_only.temporary)},
            preexec_fn=_without_root_s_powers if os.geteuid() == 0 else None,
            capture_output=True,
            text=True,
        )
    assert (done.returncode, "Traceback" in done.stderr) == (7, False)
    assert "written" in done.stderr or "writable" in done.stderr


@pytest.mark.parametrize(
    ("file", "words"),
    [
        pytest.param(".git/HEAD", "HEAD", id="HEAD is garbage"),
        pytest.param(".git/config", "config", id="the configuration is garbage"),
        pytest.param(".git/refs/heads/main", "main", id="the branch is garbage"),
    ],
)
def test_a_damaged_repository_is_git_s_refusal(bench: Bench, file: str, words: str) -> None:
    bench.repo.write(file, "[garbage\n")
    result = bench.apply(search_replace())
    assert (result.code, words in result.err) == (7, True), result.err
    assert list(bench.temporary.iterdir()) == []


def test_a_missing_object_is_said_to_be_missing(bench: Bench) -> None:
    blob = bench.repo.git("rev-parse", f"HEAD:{SOURCE}")
    (bench.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    result = bench.apply(search_replace())
    assert (result.code, blob in result.err) == (7, True)


def test_without_git_it_is_said_that_there_is_none(bench: Bench) -> None:
    spec = bench.write(search_replace())
    with bench.untouched():
        result = run("apply", spec, cwd=bench.repo.path, env={"PATH": str(bench.scratch)})
    assert (result.code, "no git program" in result.err) == (7, True)


def test_a_fault_of_hkgit_itself_is_70_and_says_how_to_see_more(bench: Bench) -> None:
    broken = bench.scratch / "hkgit_broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text("import hkgit.applying.planner as p\np.plan = None\n")
    spec = bench.write(search_replace())
    result = bench.run("apply", spec, env={"PYTHONPATH": str(broken)})
    assert (result.code, "--debug" in result.err) == (70, True)


def test_a_closed_standard_input_holds_no_spec(bench: Bench) -> None:
    command = f"'{script('hkgit')}' apply <&-"
    done = subprocess.run(command, cwd=bench.repo.path, shell=True, capture_output=True, text=True)
    assert (done.returncode, "Give a SPEC" in done.stderr) == (64, True)


def test_a_file_in_place_of_the_ledger_is_refused(bench: Bench) -> None:
    bench.repo.commit({".hkgit": "a file\n"})
    with bench.untouched():
        result = bench.apply(search_replace())
    assert (result.code, ".hkgit: is not a directory" in result.err) == (4, True)
