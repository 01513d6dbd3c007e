"""Bad input: a stable exit code, a reason, no traceback, and nothing left behind."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench
from tests.support.specs import SOURCE, edit, harnesskit, protocol, replace_range, search_replace

ABSENT = "0123456789ab"
LAST = 100_000


def operation(op: str, path: str, **more: object) -> dict[str, object]:
    return {"op": op, "path": path, **more}


# Specs


BIG = "x" * 10_000_000
WRITTEN_TWICE = '{"version": "1", "operations": [], "operations": []}'
SPECS = [
    pytest.param("", 4, "it is empty", id="blank"),
    pytest.param("Please change the file.\n", 4, "unknown dialect", id="prose"),
    pytest.param(protocol(), 4, "empty spec", id="no operations"),
    pytest.param(b"\xff\xfe\x00", 4, "unknown dialect", id="not text"),
    pytest.param('{"version": "1", "operations": [', 4, "JSON ends too early", id="cut short"),
    pytest.param(WRITTEN_TWICE, 4, '"operations" is given twice', id="duplicate keys"),
    pytest.param(
        protocol(operation("replace_line", SOURCE)), 4, "operations[0].op", id="unknown operation"
    ),
    pytest.param(
        protocol(replace_range(SOURCE, 1, 1, "0123456789a", "x")),
        4,
        "12 to 64 hex digits",
        id="a hash too short",
    ),
    pytest.param(
        protocol(replace_range(SOURCE, 3, 2, None, "x")), 4, "end_line", id="a range backwards"
    ),
    pytest.param(
        protocol(replace_range(SOURCE, 1, 2, None, "x"), replace_range(SOURCE, 2, 3, None, "y")),
        4,
        "overlaps",
        id="overlapping operations",
    ),
    pytest.param(
        protocol(replace_range(SOURCE, LAST, LAST, None, "x")),
        4,
        "lines",
        id="line numbers past the end",
    ),
    pytest.param(
        protocol(replace_range(SOURCE, LAST, LAST, ABSENT, "x")),
        3,
        "lines",
        id="line numbers past the end, with a hash",
    ),
    pytest.param(
        protocol(replace_range("nowhere.py", 1, 1, None, "x")), 1, "no such file", id="no such file"
    ),
    pytest.param(
        protocol(replace_range("nowhere.py", 1, 1, ABSENT, "x")),
        3,
        "no such file",
        id="no such file, with a hash",
    ),
    pytest.param(protocol(operation("create_file", SOURCE, new_text="x")), 3, "exists", id="taken"),
    pytest.param(
        protocol(operation("create_file", "src", new_text="x")), 3, "src", id="a directory's name"
    ),
    pytest.param(
        protocol(operation("create_file", f"{SOURCE}/x", new_text="x")),
        4,
        SOURCE,
        id="below a file",
    ),
    pytest.param(
        protocol(operation("delete_file", SOURCE), operation("create_file", SOURCE, new_text="x")),
        4,
        SOURCE,
        id="removed and made again",
    ),
    pytest.param(
        protocol(
            replace_range(SOURCE, 2, 2, None, ""),
            operation("delete_file", "src/document.py"),
            operation("rename_file", SOURCE, new_path="src/document.py"),
        ),
        4,
        "src/document.py",
        id="moved onto what is removed",
    ),
    pytest.param(
        protocol(replace_range("plain", 1, 1, None, "1")),
        4,
        "changes nothing",
        id="changes nothing",
    ),
    pytest.param(
        protocol(operation("create_file", "big", new_text=BIG)),
        4,
        "Split",
        id="10 MB in one edit",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        harnesskit(edit(BIG, "x")),
        1,
        "not in the file",
        id="10 MB of text that is nowhere",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        protocol(*[operation("create_file", f"many/{n}", new_text="") for n in range(1001)]),
        4,
        "edits 1-1001: the spec: 1001 edits",
        id="more edits than an entry holds",
    ),
]


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


@pytest.mark.sampled
@pytest.mark.parametrize(("spec", "code", "words"), SPECS)
def test_a_spec_that_cannot_be_applied(
    odd: Bench, spec: str | bytes, code: int, words: str
) -> None:
    with odd.untouched():
        result = odd.apply(spec)
    assert result.code == code
    assert result.out == ""
    assert words in result.err
    assert len(result.err) < 2000


FILES = {
    "nowhere.py": (1, "no such file"),
    "src": (4, "is a directory"),
    "module": (4, "is a submodule"),
    "module/a": (4, "module is a submodule"),
    "link": (4, "is a symbolic link"),
    "binary": (4, "is a binary file"),
}


@pytest.fixture(scope="module")
def told(odd: Bench) -> dict[str, Any]:
    """Why each of these files cannot be edited, all in one answer."""
    with odd.untouched():
        result = odd.apply(harnesskit(*(edit("a", "b", path) for path in FILES)), "--json")
    return {outcome["path"]: outcome["error"] for outcome in result.json()["edits"]}


@pytest.mark.parametrize("path", FILES)
def test_a_file_that_cannot_be_edited(told: dict[str, Any], path: str) -> None:
    code, words = FILES[path]
    assert told[path]["exit_code"] == code
    assert words in told[path]["what"]


@cases(
    "options, code, words",
    {
        "an unknown dialect": (("--format", "nonsense"), 4, "Known dialects"),
        "another dialect than named": (("--format", "protocol"), 4, "expected JSON"),
        "a base that is not an ancestor": (("--base", "side"), 4, "not an ancestor"),
        "a base that is nowhere": (("--base", "nowhere"), 4, "is not a commit"),
        "no such spec": (("{spec}.missing",), 4, "cannot be read"),
        "a directory as a spec": (("{folder}",), 4, "cannot be read"),
    },
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
    assert result.code == code, result.err
    assert words in result.err, result.err
