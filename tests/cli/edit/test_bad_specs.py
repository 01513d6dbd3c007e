"""Bad input: a stable exit code, a reason, no traceback, and nothing left behind."""

from __future__ import annotations

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench
from tests.support.specs import SOURCE, edit, harnesskit, protocol, replace_range, search_replace

BIG = "x" * 10_000_000


def create(path: str, new_text: str = "x") -> dict[str, object]:
    return {"op": "create_file", "path": path, "new_text": new_text}


SPECS = {
    "blank": ("", 4, "it is empty"),
    "prose": ("Please change the file.\n", 4, "unknown dialect"),
    "not text": (b"\xff\xfe\x00", 4, "unknown dialect"),
    "cut short": ('{"version": "1", "operations": [', 4, "JSON ends too early"),
    "unknown operation": (protocol({"op": "replace_line", "path": SOURCE}), 4, "operations[0].op"),
    "no such file": (protocol(replace_range("nowhere.py", 1, 1, None, "x")), 1, "no such file"),
    "stale": (protocol(replace_range(SOURCE, 10**5, 10**5, "0123456789ab", "x")), 3, "lines"),
    "a directory's name": (protocol(create("src")), 3, "src"),
    "below a file": (protocol(create(f"{SOURCE}/x")), 4, SOURCE),
    "changes nothing": (protocol(replace_range("plain", 1, 1, None, "1")), 4, "changes nothing"),
    "more edits than an entry holds": (
        protocol(*[create(f"many/{n}", "") for n in range(1001)]),
        4,
        "edits 1-1001: the spec: 1001 edits",
    ),
}


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


def expect_refusal(bench: Bench, spec: str | bytes, code: int, words: str) -> None:
    with bench.untouched():
        result = bench.apply(spec)
    assert result.code == code
    assert result.out == ""
    assert words in result.err
    assert len(result.err) < 2000


@pytest.mark.sampled
@cases("spec, code, words", SPECS)
def test_a_spec_that_cannot_be_applied(
    odd: Bench, spec: str | bytes, code: int, words: str
) -> None:
    expect_refusal(odd, spec, code, words)


@pytest.mark.slow
def test_a_spec_of_ten_megabytes(odd: Bench) -> None:
    expect_refusal(odd, protocol(create("big", BIG)), 4, "Split")
    expect_refusal(odd, harnesskit(edit(BIG, "x")), 1, "not in the file")


FILES = {
    "nowhere.py": (1, "no such file"),
    "src": (4, "is a directory"),
    "module": (4, "is a submodule"),
    "module/a": (4, "module is a submodule"),
    "link": (4, "is a symbolic link"),
    "binary": (4, "is a binary file"),
}


def test_each_file_that_cannot_be_edited_is_told_why(odd: Bench) -> None:
    with odd.untouched():
        result = odd.apply(harnesskit(*(edit("a", "b", path) for path in FILES)), "--json")
    errors = {each["path"]: each["error"] for each in result.json()["edits"]}
    for path, (code, words) in FILES.items():
        assert errors[path]["exit_code"] == code, path
        assert words in errors[path]["what"], path


@cases(
    "options, code, words",
    {
        "an unknown dialect": (("--format", "nonsense"), 4, "Known dialects"),
        "another dialect than named": (("--format", "protocol"), 4, "expected JSON"),
        "no such spec": (("{spec}.missing",), 4, "cannot be read"),
        "a directory as a spec": (("{folder}",), 4, "cannot be read"),
    },
)
def test_options_that_cannot_be(
    bench: Bench, options: tuple[str, ...], code: int, words: str
) -> None:
    spec = bench.write(search_replace())
    given = (each.format(spec=spec, folder=bench.scratch) for each in options)
    with bench.untouched():
        result = bench.run("apply", spec, *given)
    assert result.code == code, result.err
    assert words in result.err, result.err
