"""`hkgit apply`: specs of an older base, stale ones, and files with uncommitted changes."""

import pytest

from tests.support.cases import cases
from tests.support.running import Bench
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


def move_on(bench: Bench, path: str, old: str, new: str) -> str:
    """Change a file by hand on top of a base, which is returned."""
    base = bench.repo.head
    text = bench.repo.read(path).decode()
    assert old in text
    bench.repo.commit({path: text.replace(old, new, 1)}, "Move on")
    return base


FIRST = '"""Every failure'
MOVES = {
    "another file was changed": ("src/document.py", '"""A file', 0, "--base"),
    "the file was changed elsewhere": (SOURCE, FIRST, 0, "--base"),
    "the same, with the base in the spec": (SOURCE, FIRST, 0, "in the spec"),
    "the lines were changed": (SOURCE, OLD, 3, "--base"),
}


@cases(MOVES)
def test_an_edit_of_an_older_base_is_carried_to_the_tip_or_stale(
    path: str, text: str, code: int, spell: str, bench: Bench
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
    if code == 0:
        shown = bench.run("show", "--json").json()
        assert (shown["replay"], shown["ledger"][0]["base"]) == ("strict", base)


@cases(
    {"its lines were read": ("{n}-{n}", 0), "lines that changed were read too": ("1-{n}", 3)},
)
def test_every_expected_hash_must_hold_at_the_tip_too(lines: str, code: int, bench: Bench) -> None:
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
    rename = {"op": "rename_file", "path": SOURCE, "new_path": "src/new.py"}
    spec = protocol({**rename, "expected_hash": whole})
    bench.expect_refusal(3, "src/new.py", spec, "--base", base)


def test_a_file_whose_mode_alone_changed_is_still_the_same(bench: Bench) -> None:
    base, whole = bench.repo.head, bench.hash(SOURCE, 1, 900)
    (bench.repo.path / SOURCE).chmod(0o755)
    bench.repo.commit(message="Make it executable")
    delete: dict[str, object] = {"op": "delete_file", "path": SOURCE, "expected_hash": whole}
    assert bench.apply(protocol(delete), "--base", base).code == 0


@cases(
    {
        "on another branch": ("elsewhere", "not an ancestor"),
        "unknown": ("nowhere", "is not a commit"),
    },
)
def test_a_base_that_is_not_in_the_branch_s_history_is_invalid(
    base: str, words: str, bench: Bench
) -> None:
    bench.repo.git("checkout", "-q", "-b", "elsewhere")
    bench.repo.commit({"a": "1"})
    bench.repo.git("checkout", "-q", "main")
    bench.expect_refusal(4, words, search_replace(), "--base", base)


@cases({"a hash of it": ("protocol", 3), "a quotation from it": ("quote", 1)})
def test_a_dirty_file_that_the_agent_read_is_named_as_such(
    content: str, code: int, bench: Bench
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
    bench.expect_refusal(code, "uncommitted changes", specs[content])


def test_an_untracked_file_that_the_agent_read_is_named_as_such(bench: Bench) -> None:
    bench.repo.write("new.py", "one\n")
    read = bench.run("read", "--json", "new.py").json()["range_hash"]
    spec = protocol(replace_range("new.py", 1, 1, read, "two"))
    bench.expect_refusal(3, "which reads the working tree", spec)
    bench.repo.commit(message="Add it")
    assert bench.apply(spec).code == 0


def test_what_an_earlier_spec_changed_is_not_taken_for_uncommitted(bench: Bench) -> None:
    first = bench.write(search_replace(), "first")
    again = bench.write(search_replace(), "again")
    result = bench.run("apply", first, again)
    assert result.code == 1
    assert "uncommitted" not in result.err


# Stale: who changed the file is named, and the record of it is where nobody trips

RECORD = ".git/hkgit/refusals.jsonl"


@pytest.fixture
def stale(bench: Bench) -> str:
    """A spec whose line somebody has changed since."""
    spec = first_line(bench, "ours", agent="codex/1")
    lines = bench.repo.read(SOURCE).split(b"\n")
    bench.repo.commit({SOURCE: b"\n".join([b"theirs", *lines[1:]])}, "Change the first line")
    return spec


def test_it_names_the_commit_and_leaves_a_record_alone(bench: Bench, stale: str) -> None:
    bench.apply(stale, "--dry-run")
    assert not (bench.repo.path / RECORD).exists()
    last = bench.repo.git("rev-parse", "--short", "HEAD")
    said = f"last changed by {last} Change the first line"
    assert bench.expect_refusal(3, said, stale, "--json").json()["status"] == "stale"
    assert (bench.repo.path / RECORD).exists()


def test_a_hash_given_with_expect_is_recorded_too(bench: Bench) -> None:
    old = bench.repo.read(SOURCE).decode().split("\n")[0]
    spec = harnesskit(edit(old, "ours"))
    expect = f"{SOURCE}:1-1={bench.hash(SOURCE, 1, 1)}"
    bench.repo.commit({SOURCE: b"theirs\n" + bench.repo.read(SOURCE)}, "Push it down")
    bench.expect_refusal(3, "Push it down", spec, "--expect", expect)


def test_a_record_that_cannot_be_written_hides_no_refusal(bench: Bench, stale: str) -> None:
    bench.repo.write(".git/hkgit", "in the way\n")
    bench.expect_refusal(3, "Change the first line", stale)
