"""`hkgit edit`, also `hk apply`: the same edits straight into the working tree."""

from pathlib import Path

from tests.support.cases import cases
from tests.support.running import Bench, Result
from tests.support.specs import (
    NEW,
    OLD,
    SOURCE,
    edit,
    harnesskit,
    search_replace,
)

COMMANDS = {"hkgit edit": "hkgit edit", "hk apply": "hk apply"}


def call(bench: Bench, command: str, *args: str | Path, stdin: bytes = b"") -> Result:
    program, name = command.split()
    return bench.run(name, *args, program=program, stdin=stdin)


@cases(COMMANDS)
def test_the_working_tree_changes_and_nothing_else(command: str, bench: Bench) -> None:
    before = bench.state()
    result = call(bench, command, bench.write(search_replace()))
    after = bench.state()
    assert result.code == 0, result.err
    assert after.files[SOURCE] == before.files[SOURCE].replace(OLD.encode(), NEW.encode())
    assert bench.repo.status() == [f" M {SOURCE}"]
    assert after.refs == before.refs
    assert after.index == before.index


@cases(
    {
        "applied": (OLD, 0, "applied"),
        "no match": ("nowhere to be found", 1, "no_match"),
        "ambiguous": ("    exit_code = 3", 2, "ambiguous"),
    },
)
def test_hk_answers_as_its_seed_says(old: str, code: int, status: str, bench: Bench) -> None:
    stdin = harnesskit(edit(old, NEW)).encode()
    result = call(bench, "hk apply", "--stdin", stdin=stdin)
    answer = result.json()
    assert result.code == code
    assert answer["status"] == status
    assert answer["file"] == SOURCE
    assert {"match_type", "confidence", "matched_text"} <= set(answer)


def test_uncommitted_changes_are_edited(bench: Bench) -> None:
    bench.repo.write(SOURCE, "one\ntwo\n")
    result = call(bench, "hkgit edit", bench.write(search_replace("two", "2")))
    assert result.code == 0
    assert bench.repo.read(SOURCE) == b"one\n2\n"


def test_mode_line_ends_and_byte_order_mark_survive(bench: Bench) -> None:
    path = bench.repo.write("run.sh", b"\xef\xbb\xbfone\r\ntwo\r\nthree")
    path.chmod(0o750)
    assert call(bench, "hkgit edit", bench.write(search_replace("two", "2", "run.sh"))).code == 0
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\nthree"
    assert path.stat().st_mode & 0o777 == 0o750


@cases(
    {
        "relative to the current directory": ("src", "errors.py"),
        "through the parent": ("vendor", "../src/errors.py"),
        "absolute": (".", "{root}/src/errors.py"),
    },
)
def test_paths_of_the_command_line_are_where_one_stands(
    folder: str, path: str, bench: Bench
) -> None:
    args = ("--file", path.format(root=bench.repo.path), "--old", OLD, "--new", NEW)
    result = bench.run("edit", *args, cwd=bench.repo.path / folder)
    assert result.code == 0, result.err
    assert NEW.encode() in bench.repo.read(SOURCE)


def test_a_hash_is_held_against_the_working_tree(bench: Bench) -> None:
    committed = bench.hash(SOURCE, 1, 900)
    bench.repo.write(SOURCE, bench.repo.read(SOURCE) + b"# mine\n")
    wanted = ("--expect", f"{SOURCE}={committed}")
    bench.expect_refusal(3, SOURCE, search_replace(), *wanted, command="edit")


def test_a_repository_that_hkgit_cannot_open_has_a_working_tree_all_the_same(bench: Bench) -> None:
    bench.repo.git("config", "core.repositoryFormatVersion", "1")
    bench.repo.git("config", "extensions.refStorage", "unheard-of")
    spec = bench.write(search_replace())
    assert bench.run("edit", spec, cwd=bench.repo.path / "src").code == 0
    assert NEW.encode() in bench.repo.read(SOURCE)


def test_a_bare_repository_has_nothing_to_edit(bare: Bench) -> None:
    spec = harnesskit(edit("", "x\n", "hooks/post-update"))
    bare.expect_refusal(7, "bare", spec, command="edit")


def test_a_directory_in_place_of_the_file_is_refused(bench: Bench) -> None:
    (bench.repo.path / SOURCE).unlink()
    (bench.repo.path / SOURCE).mkdir()
    bench.expect_refusal(4, SOURCE, search_replace(), command="edit")
