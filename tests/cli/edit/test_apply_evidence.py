"""`hkgit apply`: what ties an edit to content that was read, and bases that are older."""

from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import (
    NEW,
    OLD,
    SOURCE,
    edit,
    harnesskit,
    line_of,
    protocol,
    replace_range,
    search_replace,
)

STALE = "0123456789ab"


def expect(bench: Bench, form: str) -> str:
    """An argument of --expect; `form` holds N for the edited line and its hashes by name."""
    number = line_of(bench, OLD)
    total = len(bench.repo.show("HEAD", SOURCE).splitlines())
    return form.format(
        n=number,
        up=number - 2,
        down=number + 2,
        one=bench.hash(SOURCE, number, number),
        short=bench.hash(SOURCE, number, number)[:12],
        whole=bench.hash(SOURCE, 1, total),
        readme=bench.hash("README.md", 1, 1),
        above=bench.hash(SOURCE, number - 2, number - 1),
        root=bench.repo.path,
    )


@cases(
    {
        "the line": (SOURCE + ":{n}-{n}={one}", "hash"),
        "twelve digits of it": (SOURCE + ":{n}-{n}={short}", "hash"),
        "the whole file": (SOURCE + "={whole}", "hash"),
        "an absolute path": ("{root}/" + SOURCE + "={whole}", "hash"),
        "stale: other lines": (SOURCE + ":{up}-{n}={above}", None),
        "another file's says nothing": ("README.md={readme}", "quote"),
        "stale: another file's lines": ("README.md:1-1={one}", None),
    },
)
def test_expect_gives_a_text_edit_its_hash_or_is_stale(
    form: str, kind: str | None, bench: Bench
) -> None:
    arguments = ("--expect", expect(bench, form), "--dry-run", "--json")
    result = bench.apply(search_replace(), *arguments)
    if kind is None:
        assert result.code == 3
        assert result.json()["status"] == "stale"
    else:
        assert result.code == 0, result.err
        assert result.json()["edits"][0]["evidence"] == kind


def test_expect_may_be_repeated_and_its_path_is_relative_to_the_current_directory(
    bench: Bench,
) -> None:
    other = "class Conflict(HkgitError):"
    texts = ((OLD, NEW), (other, other + "  # three ways"))
    spec = bench.write(harnesskit(*(edit(*text) for text in texts)))
    options = ["--dry-run", "--json"]
    for old, _ in texts:
        number = line_of(bench, old)
        options += ["--expect", f"errors.py:{number}={bench.hash(SOURCE, number, number)}"]
    result = bench.run("apply", spec, *options, cwd=bench.repo.path / "src")
    assert [each["evidence"] for each in result.json()["edits"]] == ["hash", "hash"]


@cases({"of the edited file": SOURCE + ":{down}={one}", "past its end": SOURCE + ":9000={one}"})
def test_an_expectation_of_lines_that_moved_says_where_they_stand(form: str, bench: Bench) -> None:
    number = line_of(bench, OLD)
    result = bench.apply(search_replace(), "--expect", expect(bench, form), "--dry-run")
    assert f"is now at lines {number}-{number}: name those with the hash" in result.err


def test_an_expectation_of_another_file_past_its_end_says_how_long_it_is(bench: Bench) -> None:
    read = f"README.md:90-99={STALE}"
    bench.expect_refusal(3, "but the file has", search_replace(), "--expect", read, "--dry-run")


@cases(
    {
        "eleven digits": (f"{SOURCE}=0123456789a", "12 to 64 hex digits"),
        "outside the work tree": (f"../x.py={STALE}", "outside"),
    },
)
def test_a_malformed_expect_is_invalid_input(argument: str, words: str, bench: Bench) -> None:
    bench.expect_refusal(4, words, search_replace(), "--expect", argument)


def test_a_stale_hash_names_where_the_range_now_is_and_relocate_accepts_that(bench: Bench) -> None:
    number = line_of(bench, OLD)
    spec = protocol(
        replace_range(SOURCE, number - 1, number - 1, bench.hash(SOURCE, number, number), NEW)
    )
    bench.expect_refusal(3, f"{number}-{number}", spec)
    assert bench.apply(spec, "--relocate").code == 0
    assert bench.repo.read(SOURCE).decode().splitlines()[number - 1] == NEW
    [recorded] = bench.entry["edits"]
    assert (recorded["relocated"], recorded["base_lines"]) == (True, [[number, number]])


def test_the_threshold_says_how_alike_a_fuzzy_match_must_be(bench: Bench) -> None:
    drifted = search_replace(f"{OLD}  ")
    assert bench.apply(drifted, "--threshold", "1", "--dry-run").code == 1
    assert bench.apply(drifted, "--threshold", "0.5", "--dry-run").code == 0
