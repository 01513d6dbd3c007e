"""Several writers of one branch: nothing is lost, nothing is done twice."""

import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.planning import replace_range
from tests.support.repos import Repo
from tests.support.running import Result, run
from tests.support.specs import protocol

WRITERS, COMMITS = 4, 4
LINES = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture
def based(repo: Repo) -> Repo:
    repo.commit({"shared": LINES, "mine": "0\n"}, "Base")
    return repo


def operation(repo: Repo, number: int, text: str, rev: str = "HEAD") -> dict[str, object]:
    """A change of one line of `shared`, with the hash of what it is to replace."""
    return replace_range("shared", repo.show(rev, "shared"), number, number, text)


def spec(*operations: dict[str, object], **about: str) -> bytes:
    return protocol(*operations, **about).encode()


def apply(repo: Repo, data: bytes, *options: str) -> Result:
    return run("apply", "--stdin", *options, cwd=repo.path, stdin=data)


def subjects(repo: Repo) -> list[str]:
    return repo.git("log", "--format=%s").splitlines()


def expect_sound(repo: Repo) -> None:
    """The objects are whole, no transaction is left, and the checkout is at its branch.

    Who is refused again and again leaves notes of that, and in the end a question to people.
    """
    repo.git("fsck", "--strict")
    own = (repo.path / ".git" / "hkgit").rglob("*")
    left = [path for path in own if path.is_file() and path.parent.name != "conflicts"]
    assert [path for path in left if path.name != "refusals.jsonl"] == []
    assert repo.status() == []


def verdicts(repo: Repo, base: str) -> list[str]:
    shown = run("verify", f"{base}..HEAD", "--json", cwd=repo.path).json()
    return [commit["replay"] for commit in shown["commits"]]


# One writer, and somebody who is quicker


Meanwhile = Callable[[str], tuple[str, str]]


@pytest.fixture
def meanwhile(based: Repo, tmp_path: Path) -> Meanwhile:
    """The option that lets somebody commit right before the landing, the first time only."""

    def option(command: str) -> tuple[str, str]:
        script, once = tmp_path / "meanwhile.sh", tmp_path / "once"
        script.write_text(
            f"[ -e '{once}' ] && exit\ntouch '{once}'\ncd '{based.path}'\n{command}\n"
        )
        return "--verify", f"sh '{script}'"

    return option


@cases(
    "command, line",
    {
        "another file": ("echo 1 > mine; git commit -qam Meanwhile", 10),
        "lines": ("sed -i 's/line 2$/two/' shared; git commit -qam Meanwhile", 10),
        "lines above": ("sed -i 1d shared; git commit -qam Meanwhile", 9),
        "more lines": ("sed -i '1i zero' shared; git commit -qam Meanwhile", 11),
    },
)
def test_what_still_holds_lands_on_the_moved_tip(
    based: Repo, meanwhile: Meanwhile, command: str, line: int
) -> None:
    base = based.head
    result = apply(based, spec(operation(based, 10, "ten")), *meanwhile(command))
    assert result.code == 0, result.err
    assert "main moved" in result.err, result.err
    assert subjects(based) == ["Apply 1 edit to 1 file", "Meanwhile", "Base"]
    assert based.read("shared").splitlines()[line - 1] == b"ten"
    assert base in based.git("log", "-1", "--format=%(trailers:key=Hkgit-Base,valueonly)")
    assert verdicts(based, base)[-1] == "strict"
    expect_sound(based)


def test_what_no_longer_holds_is_stale_and_nothing_lands(based: Repo, meanwhile: Meanwhile) -> None:
    theirs = meanwhile("sed -i 's/line 10/theirs/' shared; git commit -qam Meanwhile")
    result = apply(based, spec(operation(based, 10, "ten")), "--json", *theirs)
    assert result.code == 3
    assert result.json()["status"] == "stale"
    assert [edit["status"] for edit in result.json()["edits"]] == ["stale"]
    assert subjects(based) == ["Meanwhile", "Base"]
    assert b"theirs" in based.read("shared")
    expect_sound(based)


def test_each_spec_of_a_series_speaks_of_the_one_before_it(
    based: Repo, meanwhile: Meanwhile, tmp_path: Path
) -> None:
    series = [
        {"file": "shared", "old_text": "line 10\n", "new_text": "ten\n"},
        {"file": "shared", "old_text": "ten\nline 11\n", "new_text": "ten\neleven\n"},
    ]
    names = [tmp_path / str(number) for number in range(len(series))]
    for name, edit in zip(names, series, strict=True):
        name.write_text(json.dumps(edit))
    option = meanwhile("sed -i 1d shared; git commit -qam Meanwhile")
    assert run("apply", *names, *option, cwd=based.path).code == 0
    assert subjects(based)[2:] == ["Meanwhile", "Base"]
    assert based.read("shared").splitlines()[8:10] == [b"ten", b"eleven"]


def test_a_branch_that_was_set_back_is_not_written_to(based: Repo, meanwhile: Meanwhile) -> None:
    based.commit({"mine": "1\n"}, "More")
    option = meanwhile("git reset -q --hard HEAD~")
    result = apply(based, spec(operation(based, 10, "ten")), *option)
    assert result.code == 7
    assert subjects(based) == ["Base"]


def test_without_retry_a_moved_branch_is_told(based: Repo, meanwhile: Meanwhile) -> None:
    option = meanwhile("git commit -q --allow-empty -m Meanwhile")
    result = apply(based, spec(operation(based, 10, "ten")), "--no-retry", *option)
    assert (result.code, "has moved in the meantime" in result.err) == (7, True)
    assert subjects(based) == ["Meanwhile", "Base"]
    expect_sound(based)


# Many at once


TURNS = COMMITS // 2


def expect_landed(repo: Repo, writer: int, turn: int) -> str:
    """Land a commit that writes a line of one's own; its text, which is the subject too."""
    text = f"{writer}.{turn}"
    result = apply(repo, spec(operation(repo, 2 * writer, text), summary=text))
    assert result.code == 0, result.err
    return text


def expect_made(repo: Repo, name: str, branch: str) -> str:
    """Land a new file on a branch that is not checked out."""
    data = spec({"op": "create_file", "path": name, "new_text": "x\n"})
    result = apply(repo, data, "--branch", branch)
    assert result.code == 0, result.err
    return name


def in_parallel(count: int, work: Callable[[int], list[str]]) -> list[list[str]]:
    """Work by so many at once, and what each of them has done."""
    with ThreadPoolExecutor(count) as pool:
        return [*pool.map(work, range(1, count + 1))]


def expect_all_there(repo: Repo, done: list[list[str]], *writers: int) -> None:
    """Every commit is in the history, and every writer's line is as it wrote it last."""
    assert sorted(subjects(repo)[:-1]) == sorted(text for each in done for text in each)
    lines = repo.read("shared").decode().splitlines()
    assert [lines[2 * writer - 1] for writer in writers] == [done[w - 1][-1] for w in writers]
    expect_sound(repo)


@pytest.mark.slow
def test_writers_of_different_lines_all_land(based: Repo) -> None:
    base = based.head
    turns = range(1, COMMITS + 1)
    done = in_parallel(WRITERS, lambda w: [expect_landed(based, w, turn) for turn in turns])
    assert len(set(subjects(based))) == WRITERS * COMMITS + 1
    expect_all_there(based, done, *range(1, WRITERS + 1))
    assert set(verdicts(based, base)) == {"strict"}


def test_of_writers_of_one_line_one_lands_and_the_others_are_stale(based: Repo) -> None:
    data = {writer: spec(operation(based, 10, f"of {writer}")) for writer in range(1, WRITERS + 1)}
    codes = in_parallel(WRITERS, lambda writer: [str(apply(based, data[writer]).code)])
    assert sorted(codes) == [["0"]] + [["3"]] * (WRITERS - 1)
    assert subjects(based) == ["Apply 1 edit to 1 file", "Base"]
    expect_sound(based)


def test_a_branch_without_a_checkout_has_many_writers_too(based: Repo) -> None:
    done = in_parallel(
        WRITERS, lambda w: [expect_made(based, f"{w}.{turn}", "topic") for turn in range(TURNS)]
    )
    made = {name for each in done for name in each}
    assert made < {*based.git("ls-tree", "--name-only", "topic").splitlines()}
    assert based.git("rev-list", "--count", "main..topic") == str(len(made))
    expect_sound(based)


@pytest.mark.slow
def test_writers_of_different_branches_do_not_meet(based: Repo) -> None:
    branches = [f"topic-{writer}" for writer in range(1, WRITERS + 1)]
    in_parallel(
        WRITERS,
        lambda w: [expect_made(based, f"new {turn}", branches[w - 1]) for turn in range(TURNS)],
    )
    counts = {based.git("rev-list", "--count", f"main..{branch}") for branch in branches}
    assert counts == {str(TURNS)}
    expect_sound(based)


def test_a_person_who_commits_meanwhile_loses_nothing_either(based: Repo) -> None:
    base, persons = based.head, 12

    def commit_by_hand(number: int) -> str:
        based.write("mine", f"{number}\n")
        commit = ["git", "commit", "-qam", f"By hand {number}"]
        while subprocess.run(commit, cwd=based.path, capture_output=True).returncode != 0:
            pass  # the index was locked, or the branch moved: as between two gits
        return f"By hand {number}"

    def work(worker: int) -> list[str]:
        if worker == WRITERS:
            return [commit_by_hand(number) for number in range(1, persons + 1)]
        return [expect_landed(based, worker, turn) for turn in range(1, TURNS + 1)]

    done = in_parallel(WRITERS, work)
    expect_all_there(based, done, *range(1, WRITERS))
    assert based.read("mine") == f"{persons}\n".encode()
    count = persons + (WRITERS - 1) * TURNS
    assert based.git("rev-list", "--count", f"{base}..HEAD") == str(count)
