"""`hkgit apply`: the ways in which specs are given, and what becomes of several."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.running import Bench, Result
from tests.support.specs import (
    NEW,
    OLD,
    SOURCE,
    edit,
    first_line,
    harnesskit,
    line_of,
    protocol,
    replace_range,
    search_replace,
)

Give = Callable[[Bench], Result]
SINGLE = ("--file", SOURCE, "--old", OLD, "--new", NEW)


def numbered(bench: Bench) -> str:
    """The edit in the dialect that names its lines, with their hash."""
    number = line_of(bench, OLD)
    return protocol(replace_range(SOURCE, number, number, bench.hash(SOURCE, number, number), NEW))


def changed(bench: Bench) -> bytes:
    """The file as every spec of this module makes it."""
    return bench.repo.show("main~1", SOURCE).replace(OLD.encode(), NEW.encode())


WAYS = {
    "protocol": lambda b: b.apply(numbered(b)),
    "protocol, named": lambda b: b.apply(numbered(b), "--format", "protocol"),
    "harnesskit, one object": lambda b: b.apply(harnesskit(edit())),
    "harnesskit, a list": lambda b: b.apply(f"[{harnesskit(edit())}]"),
    "harnesskit, edits, named": lambda b: b.apply(
        f'{{"edits": [{harnesskit(edit())}]}}', "--format", "harnesskit"
    ),
    "search-replace": lambda b: b.apply(search_replace()),
    "search-replace, named": lambda b: b.apply(search_replace(), "--format", "search-replace"),
    "search-replace in prose and a fence": lambda b: b.apply(
        f"Here is the change:\n\n```python\n{search_replace()}```\nDone.\n"
    ),
    "--edit FILE": lambda b: b.run("apply", "--edit", b.write(harnesskit(edit()))),
    "--stdin": lambda b: b.run("apply", "--stdin", stdin=harnesskit(edit()).encode()),
    "a dash": lambda b: b.run("apply", "-", stdin=search_replace().encode()),
    "piped": lambda b: b.run("apply", stdin=search_replace().encode()),
    "--file, --old, --new": lambda b: b.run("apply", *SINGLE),
    "--file is relative to the current directory": lambda b: b.run(
        "apply", "--file", "errors.py", *SINGLE[2:], cwd=b.repo.path / "src"
    ),
    "an absolute path in the work tree": lambda b: b.apply(
        harnesskit(edit(path=str(b.repo.path / SOURCE)))
    ),
    "a leading ./": lambda b: b.apply(search_replace(path=f"./{SOURCE}")),
    "a unique basename": lambda b: b.apply(search_replace(path="errors.py")),
    "paths in a spec are from the root, wherever one stands": lambda b: b.run(
        "apply", b.write(search_replace()), cwd=b.repo.path / "src"
    ),
}


@pytest.mark.sampled
@cases(WAYS)
def test_each_way_makes_the_same_commit(give: Give, bench: Bench) -> None:
    result = give(bench)
    assert result.code == 0, result.err
    assert bench.repo.show("HEAD", SOURCE) == changed(bench)
    assert bench.repo.read(SOURCE) == changed(bench)
    assert bench.repo.status() == []
    assert list(bench.temporary.iterdir()) == []


def test_an_absolute_path_may_name_the_work_tree_through_the_link_one_stands_in(
    bench: Bench,
) -> None:
    link = bench.scratch / "link"
    link.symlink_to(bench.repo.path)
    spec = bench.write(harnesskit(edit(path=str(link / SOURCE))))
    below = bench.repo.path / "src"
    assert bench.run("apply", spec, cwd=below).code == 4
    result = bench.run("apply", spec, cwd=below, env={"PWD": str(link / "src")})
    assert result.code == 0
    assert bench.repo.show("HEAD", SOURCE) == changed(bench)


MISUSED = {
    "--file and --old without --new": ["--file", SOURCE, "--old", OLD],
    "a SPEC beside --file": [*SINGLE, "{spec}"],
    "--stdin beside --file": [*SINGLE, "--stdin"],
    "a threshold above 1": ["{spec}", "--threshold", "1.5"],
    "a threshold that is no number": ["{spec}", "--threshold", "nan"],
    "a threshold in words": ["{spec}", "--threshold", "high"],
    "an unknown option": ["{spec}", "--nonsense"],
}


@cases(MISUSED)
def test_wrong_usage_is_64(args: list[str], bench: Bench) -> None:
    spec = str(bench.write(search_replace()))
    result = bench.run("apply", *(arg.format(spec=spec) for arg in args))
    assert result.code == 64
    assert result.out == ""
    assert bench.repo.head == bench.repo.resolve("main")


def test_a_file_that_is_given_as_a_spec_is_told_how_it_is_named(bench: Bench) -> None:
    options = ("--old", OLD, "--new", NEW)
    refused = bench.run("apply", SOURCE, *options)
    assert refused.code == 64
    named = refused.err.rpartition("Use: ")[2].split()
    assert bench.run("apply", *named, *options).code == 0
    assert bench.repo.show("HEAD", SOURCE) == changed(bench)


def test_each_spec_becomes_a_commit_on_what_the_one_before_it_left(bench: Bench) -> None:
    start = bench.repo.head
    first = bench.write(search_replace(), "first")
    second = bench.write(harnesskit(edit(NEW, OLD + "  # again")), "second")
    result = bench.run("apply", first, second)
    assert result.code == 0, result.err
    assert [line.split()[0] for line in result.out.splitlines()] == ["[main", "[main"]
    assert (OLD + "  # again").encode() in bench.repo.show("HEAD", SOURCE)
    bases = bench.repo.git("log", "-2", "--format=%(trailers:key=Hkgit-Base,valueonly)").split()
    assert bases == [bench.repo.resolve("HEAD~1"), start]


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_a_single_edit_in_a_dialect_that_is_none_is_refused_with_those_there_are(
    bench: Bench, command: str
) -> None:
    with bench.untouched():
        result = bench.run(command, *SINGLE, "--format", "bogus", "--json")
    error = result.json()["error"]
    assert result.code == 4
    assert error["what"] == 'unknown dialect "bogus"'
    assert "harnesskit, search-replace, " in error["fix"]


def two_specs(bench: Bench) -> tuple[Path, Path]:
    """Two specs that change neighbouring lines of a file, the second with words of the first."""
    first = bench.write(search_replace(new=f"{NEW}\n    # added"), "first")
    second = bench.write(search_replace(old=f"{NEW}\n    # added", new=NEW + " at once"), "second")
    return first, second


def expected(bench: Bench, lines: str = "") -> tuple[str, str]:
    """The hash of the file, or of its lines as they are numbered."""
    count = len(bench.repo.read(SOURCE).splitlines())
    return "--expect", f"{SOURCE}{lines.format(count)}={bench.hash(SOURCE, 1, count)}"


def evidence(result: Result) -> list[str]:
    return [edit["evidence"] for edit in result.json()["edits"]]


@pytest.mark.parametrize("lines", ["", ":1-{}"], ids=["the file", "its lines"])
@pytest.mark.parametrize("command", ["apply", "edit"])
def test_an_expected_hash_holds_for_every_spec_of_the_call(
    bench: Bench, command: str, lines: str
) -> None:
    result = bench.run(command, *two_specs(bench), *expected(bench, lines), "--json")
    assert result.code == 0, result.err
    assert evidence(result) == ["hash", "hash"], result.err
    assert bench.run("verify", "HEAD~1..HEAD", "--json").json()["passes"]


def test_an_expected_hash_holds_for_every_spec_against_one_base(bench: Bench) -> None:
    bench.repo.commit({"README.md": "Meanwhile\n"})
    specs = (two_specs(bench)[0], bench.write(first_line(bench), "other"))
    result = bench.run("apply", *specs, *expected(bench), "--base", "HEAD~1", "--json")
    assert result.code == 0, result.err
    assert evidence(result) == ["hash", "hash"], result.err


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_several_specs_land_together_or_not_at_all_and_the_refused_one_is_named(
    bench: Bench, command: str
) -> None:
    good = bench.write(search_replace(), "good")
    bad = bench.write(search_replace(old="is nowhere at all"), "bad")
    with bench.untouched():
        result = bench.run(command, good, bad, "--json")
    edits = result.json()["edits"]
    assert result.code == 1
    assert f"edit 2 (in {bad}): {SOURCE}" in result.err
    assert [(each["number"], each["spec"]) for each in edits] == [(1, str(good)), (2, str(bad))]
    assert "spec" not in bench.run(command, bad, "--json").json()["edits"][0]


def test_a_spec_that_cannot_be_read_is_named_where_there_are_several(bench: Bench) -> None:
    good, bad = bench.write(search_replace(), "good"), bench.write("{", "bad")
    assert f"hkgit: {bad}: " in bench.run("apply", good, bad).err
    assert str(bad) not in bench.run("apply", bad).err


@cases(
    {
        "1 2": ([edit("nowhere to be found", "x"), edit("exit_code = 3", "x")], 1),
        "2 1": ([edit("exit_code = 3", "x"), edit("nowhere to be found", "x")], 2),
    },
)
def test_the_first_refused_edit_gives_the_exit_code(
    refused: list[dict[str, object]], code: int, bench: Bench
) -> None:
    assert bench.apply(harnesskit(*refused), "--dry-run").code == code


def append(path: str = SOURCE) -> str:
    """A block with an empty SEARCH."""
    return f"{path}\n<<<<<<< SEARCH\n=======\n# the end\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize("is_block", [True, False], ids=["a block", "options"])
@pytest.mark.parametrize("command", ["apply", "edit"])
def test_an_empty_search_appends_where_that_is_asked_for(
    bench: Bench, command: str, is_block: bool
) -> None:
    before = bench.repo.read(SOURCE)
    options = ["--file", SOURCE, "--old", "", "--new", "# the end"]
    spec = [bench.write(append())] if is_block else options
    refused = bench.run(command, *spec)
    result = bench.run(command, *spec, "--empty-search", "append")
    assert refused.code == 4, result.err
    assert "--empty-search append" in refused.err
    assert result.code == 0, result.err
    assert bench.repo.read(SOURCE) == before + b"# the end\n"


def test_an_append_replays_from_its_entry_and_may_lean_on_a_hash(bench: Bench) -> None:
    number = bench.repo.read(SOURCE).count(b"\n")
    read = f"{SOURCE}:{number}={bench.hash(SOURCE, number, number)}"
    result = bench.apply(append(), "--empty-search", "append", "--expect", read)
    assert result.code == 0, result.err
    assert bench.run("gate", "--range", "HEAD~1..HEAD").code == 0, result.err


def test_an_append_to_a_file_that_is_not_there_makes_it(bench: Bench) -> None:
    assert bench.apply(append("new.py"), "--empty-search", "append").code == 0
    assert bench.repo.read("new.py") == b"# the end\n"
