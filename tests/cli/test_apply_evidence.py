"""`hkgit apply`: what ties an edit to content that was read, and bases that are older."""

from __future__ import annotations

import pytest

from tests.cli.running import Bench, Result
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

STALE = "0123456789ab"


def line_of(bench: Bench, text: str) -> int:
    """The number of the first line of the source that holds a text."""
    lines = bench.repo.show("HEAD", SOURCE).decode().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def evidence(result: Result) -> str:
    assert result.code == 0, result.err
    return str(result.json()["edits"][0]["evidence"])


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
        five=bench.hash(SOURCE, number - 2, number + 2),
        whole=bench.hash(SOURCE, 1, total),
        readme=bench.hash("README.md", 1, 1),
        above=bench.hash(SOURCE, number - 2, number - 1),
        root=bench.repo.path,
    )


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        pytest.param(SOURCE + ":{n}-{n}={one}", "hash", id="the line"),
        pytest.param(SOURCE + ":{n}-{n}={short}", "hash", id="twelve digits of it"),
        pytest.param(SOURCE + ":{up}-{down}={five}", "hash", id="lines around it"),
        pytest.param(SOURCE + "={whole}", "hash", id="the whole file"),
        pytest.param(SOURCE + "={one}", "hash", id="the line, without its number"),
        pytest.param("{root}/" + SOURCE + "={whole}", "hash", id="an absolute path"),
        pytest.param(SOURCE + ":{up}-{n}={above}", None, id="stale: other lines"),
        pytest.param(SOURCE + f"={STALE}", None, id="stale: no range's hash"),
        pytest.param(SOURCE + ":900-901={one}", None, id="stale: lines past the end"),
        pytest.param("README.md={readme}", "quote", id="another file's says nothing"),
        pytest.param("README.md={one}", None, id="stale: another file's"),
        pytest.param("README.md:1-1={one}", None, id="stale: another file's lines"),
        pytest.param(SOURCE + ":{n}={one}", None, id="stale: no such file, for want of an end"),
    ],
)
def test_expect_gives_a_text_edit_its_hash_or_is_stale(
    bench: Bench, form: str, kind: str | None
) -> None:
    arguments = ("--expect", expect(bench, form), "--dry-run", "--json")
    result = bench.apply(search_replace(), *arguments)
    if kind is None:
        assert (result.code, result.json()["status"]) == (3, "stale")
    else:
        assert evidence(result) == kind


def test_expect_may_be_repeated(bench: Bench) -> None:
    other = "class Conflict(HkgitError):"
    texts = ((OLD, NEW), (other, other + "  # three ways"))
    wanted = [word for old, _ in texts for word in ("--expect", lines_read(bench, old))]
    result = bench.apply(harnesskit(*(edit(*text) for text in texts)), *wanted, "--json")
    assert [each["evidence"] for each in result.json()["edits"]] == ["hash", "hash"]


def lines_read(bench: Bench, text: str) -> str:
    number = line_of(bench, text)
    return f"{SOURCE}:{number}-{number}={bench.hash(SOURCE, number, number)}"


def test_the_path_of_expect_is_relative_to_the_current_directory(bench: Bench) -> None:
    number = line_of(bench, OLD)
    wanted = f"errors.py:{number}-{number}={bench.hash(SOURCE, number, number)}"
    options = ("--expect", wanted, "--dry-run", "--json")
    spec = bench.write(search_replace())
    assert evidence(bench.run("apply", spec, *options, cwd=bench.repo.path / "src")) == "hash"


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        pytest.param(f"{SOURCE}=0123456789a", "12 to 64 hex digits", id="eleven digits"),
        pytest.param(SOURCE, "PATH[:START-END]=HASH", id="no hash"),
        pytest.param(f"{SOURCE}:5-3={STALE}", "START-END", id="backwards"),
        pytest.param(f"../x.py={STALE}", "outside", id="outside the work tree"),
    ],
)
def test_a_malformed_expect_is_invalid_input(bench: Bench, argument: str, words: str) -> None:
    result = bench.apply(search_replace(), "--expect", argument)
    assert (result.code, words in result.err) == (4, True)


@pytest.mark.parametrize("has_hash", [pytest.param(False, id="no"), pytest.param(True, id="yes")])
def test_an_expected_hash_chooses_among_equal_places(bench: Bench, has_hash: bool) -> None:
    number = line_of(bench, OLD)
    chosen = {"expected_hash": bench.hash(SOURCE, number, number)} if has_hash else {}
    result = bench.apply(harnesskit(edit("(HkgitError):", "(HkgitError):  # it", **chosen)))
    assert result.code == (0 if has_hash else 2)
    assert (f"{OLD}  # it\n" in bench.repo.read(SOURCE).decode()) == has_hash


def test_a_stale_hash_names_the_lines_where_the_range_now_stands(bench: Bench) -> None:
    number = line_of(bench, OLD)
    operation = replace_range(
        SOURCE, number - 1, number - 1, bench.hash(SOURCE, number, number), NEW
    )
    with bench.untouched():
        result = bench.apply(protocol(operation))
    assert (result.code, f"{number}-{number}" in result.err) == (3, True)


def test_relocate_accepts_that_place_and_records_it(bench: Bench) -> None:
    number = line_of(bench, OLD)
    operation = replace_range(
        SOURCE, number - 1, number - 1, bench.hash(SOURCE, number, number), NEW
    )
    assert bench.apply(protocol(operation), "--relocate").code == 0
    assert bench.repo.read(SOURCE).decode().splitlines()[number - 1] == NEW
    [entry] = bench.run("show", "--json").json()["ledger"]
    assert (entry["edits"][0]["relocated"], entry["edits"][0]["base_lines"]) == (
        True, [[number, number]],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("threshold", "code"),
    [pytest.param("0.5", 0, id="tolerant"), pytest.param("1.0", 1, id="exact")],
)
def test_the_threshold_says_how_alike_a_fuzzy_match_must_be(
    bench: Bench, threshold: str, code: int
) -> None:
    lines = bench.repo.show("HEAD", SOURCE).decode().splitlines(keepends=True)
    start = line_of(bench, OLD)
    old = "".join(lines[start - 1 : start + 4]).replace("one place", "a place", 1)
    new = old.replace("exit_code = 2", "exit_code = 22")
    result = bench.apply(harnesskit(edit(old, new)), "--threshold", threshold, "--dry-run")
    assert result.code == code, result.err


def move_on(bench: Bench, path: str, old: str, new: str) -> str:
    """Change a file by hand on top of a base, which is returned."""
    base = bench.repo.head
    text = bench.repo.read(path).decode()
    assert old in text
    bench.repo.commit({path: text.replace(old, new, 1)}, "Move on")
    return base


FIRST = '"""errors.py'
MOVES = [
    pytest.param("src/document.py", '"""doc', 0, "--base", id="another file was changed"),
    pytest.param(SOURCE, FIRST, 0, "--base", id="the file was changed elsewhere"),
    pytest.param(SOURCE, FIRST, 0, "in the spec", id="the same, with the base in the spec"),
    pytest.param(SOURCE, OLD, 3, "--base", id="the lines were changed"),
]


@pytest.mark.parametrize(("path", "text", "code", "spell"), MOVES)
def test_an_edit_of_an_older_base_is_carried_to_the_tip_or_stale(
    bench: Bench, path: str, text: str, code: int, spell: str
) -> None:
    number = line_of(bench, OLD)
    operation = replace_range(SOURCE, number, number, bench.hash(SOURCE, number, number), NEW)
    base = move_on(bench, path, text, f"# moved\n# on\n{text}")
    if text == OLD:
        base = move_on(bench, path, OLD, OLD + "  # by hand") and base
    about, options = ({"base": base}, ()) if spell != "--base" else ({}, ("--base", base))
    result = bench.apply(protocol(operation, **about), *options)
    assert result.code == code, result.err
    assert (f"\n{NEW}\n" in bench.repo.show("HEAD", SOURCE).decode()) == (code == 0)


def test_a_carried_edit_replays_on_its_parent(bench: Bench) -> None:
    number = line_of(bench, OLD)
    operation = replace_range(SOURCE, number, number, bench.hash(SOURCE, number, number), NEW)
    base = move_on(bench, SOURCE, FIRST, f"# moved\n{FIRST}")
    assert bench.apply(protocol(operation), "--base", base).code == 0
    shown = bench.run("show", "--json").json()
    assert (shown["verdict"], shown["ledger"][0]["base"]) == ("strict", base)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        pytest.param("{n}-{n}", 0, id="its lines were read"),
        pytest.param("1-{n}", 3, id="lines that changed were read too"),
    ],
)
def test_every_expected_hash_must_hold_at_the_tip_too(
    bench: Bench, lines: str, code: int
) -> None:
    named = lines.format(n=line_of(bench, OLD))
    first, last = map(int, named.split("-"))
    wanted = f"{SOURCE}:{named}={bench.hash(SOURCE, first, last)}"
    base = move_on(bench, SOURCE, "from __future__", "# moved\nfrom __future__")
    result = bench.apply(search_replace(), "--base", base, "--expect", wanted)
    assert result.code == code, result.err


def test_a_file_cannot_be_renamed_onto_one_that_came_since_the_base(bench: Bench) -> None:
    base = bench.repo.head
    whole = bench.hash(SOURCE, 1, 900)
    bench.repo.commit({"src/new.py": "somebody's work\n"}, "Take the name")
    rename: dict[str, object] = {
        "op": "rename_file", "path": SOURCE, "new_path": "src/new.py", "expected_hash": whole,
    }  # fmt: skip
    with bench.untouched():
        assert bench.apply(protocol(rename), "--base", base).code == 3


def test_a_file_whose_mode_alone_changed_is_still_the_same(bench: Bench) -> None:
    base, whole = bench.repo.head, bench.hash(SOURCE, 1, 900)
    (bench.repo.path / SOURCE).chmod(0o755)
    bench.repo.commit(message="Make it executable")
    delete: dict[str, object] = {"op": "delete_file", "path": SOURCE, "expected_hash": whole}
    assert bench.apply(protocol(delete), "--base", base).code == 0


@pytest.mark.parametrize(
    ("base", "words"),
    [
        pytest.param("elsewhere", "no ancestor", id="on another branch"),
        pytest.param("nowhere", "names no commit", id="unknown"),
    ],
)
def test_a_base_that_is_not_in_the_branch_s_history_is_invalid(
    bench: Bench, base: str, words: str
) -> None:
    bench.repo.git("checkout", "-q", "-b", "elsewhere")
    bench.repo.commit({"a": "1"})
    bench.repo.git("checkout", "-q", "main")
    with bench.untouched():
        result = bench.apply(search_replace(), "--base", base)
    assert (result.code, words in result.err) == (4, True)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param("protocol", 3, id="a hash of it"),
        pytest.param("quote", 1, id="a quotation from it"),
    ],
)
def test_a_dirty_file_that_the_agent_read_is_named_as_such(
    bench: Bench, content: str, code: int
) -> None:
    number = line_of(bench, OLD)
    dirty = OLD + "  # not committed yet"
    text = bench.repo.read(SOURCE).decode().replace(OLD, dirty)
    bench.repo.write(SOURCE, text)
    read = bench.run("read", "--json", f"{SOURCE}:{number}").json()["range_hash"]
    specs = {
        "protocol": protocol(replace_range(SOURCE, number, number, read, NEW)),
        "quote": search_replace(dirty, NEW),
    }
    with bench.untouched():
        result = bench.apply(specs[content])
    assert (result.code, "uncommitted changes" in result.err) == (code, True)


def test_an_untracked_file_that_the_agent_read_is_named_as_such(bench: Bench) -> None:
    bench.repo.write("new.py", "one\n")
    read = bench.run("read", "--json", "new.py").json()["range_hash"]
    with bench.untouched():
        result = bench.apply(protocol(replace_range("new.py", 1, 1, read, "two")))
    assert (result.code, "uncommitted" in result.err) == (3, True)


def test_a_blind_edit_is_applied_with_a_warning_that_says_how_to_give_its_hash(
    bench: Bench
) -> None:
    result = bench.apply(search_replace())
    assert result.code == 0
    assert "blind edit" in result.err
    assert f"hkgit read {SOURCE}:{line_of(bench, NEW)}" in result.err
