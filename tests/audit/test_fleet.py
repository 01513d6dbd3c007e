"""Every repository of a list is judged, and later only what is new in it."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from sqlite3 import Connection, OperationalError
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from benchmarks.history import make_history
from hkgit.audit.commits import History
from hkgit.audit.fleet import run
from hkgit.audit.fleet.plan import FleetDirectory, plan_repository, read_list
from hkgit.audit.fleet.run import (
    EMPTY,
    FAILED,
    PART,
    UNCHANGED,
    VERIFIED,
    FleetRow,
    summary_json,
    verify_fleet,
)
from hkgit.audit.tables.database import add_commits, open_directory, quote_columns
from hkgit.audit.tables.export_tables import write_parquet
from hkgit.audit.tables.rows import Rows
from hkgit.cli.schema import find_schema
from hkgit.errors import GitRefused, InvalidInput
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run as run_hkgit
from tests.support.running import script

COMMITS = 6
"""Commits with evidence upon a first one, which is an agent's and has none."""

Verify = Callable[..., dict[str, FleetRow]]


@pytest.fixture(scope="session")
def histories(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two bare repositories with histories of their own."""
    root = tmp_path_factory.mktemp("histories")
    places = root / "one.git", root / "two.git"
    for seed, place in enumerate(places, 1):
        make_history(place, COMMITS, seed=seed)
        Repo(place).git("repack", "-adq")  # one file to copy instead of hundreds
    return places


@pytest.fixture
def one(histories: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(histories[0], tmp_path / "one.git"))


@pytest.fixture
def two(histories: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(histories[1], tmp_path / "two.git"))


def run_fleet(listed: Path, to: Path, *, size: int = PART) -> list[FleetRow]:
    """The rows of a list, in its order."""
    several = read_list(listed)
    with ThreadPoolExecutor(1) as executor:
        run = verify_fleet(several, FleetDirectory(to), executor, size=size)
        rows = {row.listed: row for row in run}
    return [rows[each] for each in several]


@pytest.fixture
def verify(tmp_path: Path) -> Verify:
    """Verify a list of addresses, again and again in the same directory; the rows by name."""

    def again(*addresses: object, **more: int) -> dict[str, FleetRow]:
        listed = tmp_path / "list.txt"
        listed.write_text("".join(f"{each}\n" for each in addresses))
        rows = run_fleet(listed, tmp_path / "fleet", **more)
        return {Path(row.listed.name).stem: row for row in rows}

    return again


def grow(place: Path, name: str = "main") -> str:
    """One more commit on a branch, by a person, in a bare repository."""
    repo = Repo(place)
    tip = repo.resolve(name)
    made = repo.git("commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "More")
    repo.git("update-ref", f"refs/heads/{name}", made)
    return made


@pytest.fixture(scope="module")
def fleet(
    histories: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, FleetRow]:
    """Repositories of every kind: with evidence and without, empty, twice, broken, out of reach."""
    root = tmp_path_factory.mktemp("fleet")
    for history, name in zip((*histories, histories[1]), ("one", "two", "broken"), strict=True):
        shutil.copytree(history, root / name)
    break_packs(root / "broken")
    Repo.init(root / "plain").commit({"a.txt": "a\n"})
    Repo.init(root / "empty", bare=True)
    places = ("one", "two", "plain", "empty", "broken", "none", "far")
    urls = {"far": "https://user:secret@127.0.0.1:9/x.git"}
    (root / "list").write_text("".join(f"{urls.get(place, place)}\n" for place in places))
    return dict(zip(places, run_fleet(root / "list", root / "to"), strict=True))


def test_each_repository_is_a_row_with_its_numbers(fleet: dict[str, FleetRow]) -> None:
    for row in (fleet["one"], fleet["two"]):
        assert (row.status, row.new, row.passes) == (VERIFIED, COMMITS + 1, False)
        assert row.figures.commits == COMMITS + 1
        assert row.figures["replay"] == {"strict": COMMITS, "no evidence": 1}
    plain = fleet["plain"]
    assert (plain.status, plain.passes) == (VERIFIED, True)
    assert plain.figures["replay"] == {"by hand": 1}
    assert fleet["empty"].status == EMPTY


@pytest.mark.parametrize("again", ["link", "one/", "file://{}/one"])
def test_a_list_names_a_repository_once(one: Path, tmp_path: Path, again: str) -> None:
    one.rename(tmp_path / "one")
    (tmp_path / "link").symlink_to(tmp_path / "one")
    (tmp_path / "list").write_text(f"# mine\none\n{again.format(tmp_path)}\n")
    with pytest.raises(InvalidInput, match="list:3: is a repository that an earlier line names"):
        read_list(tmp_path / "list")


@cases({"no text": (b"\xff\n", "is not UTF-8"), "no file": (None, "cannot be read: No such file")})
def test_a_list_that_cannot_be_read_is_refused(
    content: bytes | None, words: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "list").write_bytes(content)
    refused = run_hkgit("fleet", "verify", "list", "--to", "fleet", cwd=tmp_path)
    assert (refused.code, f"list: {words}" in refused.err) == (4, True)


def test_what_cannot_be_judged_is_a_row_that_says_why(fleet: dict[str, FleetRow]) -> None:
    for place in ("broken", "none", "far"):
        row = fleet[place]
        assert row.status == FAILED
        assert row.failure is not None
        assert row.failure.fix


def test_the_summary_is_as_its_schema_says_and_has_no_password(fleet: dict[str, FleetRow]) -> None:
    summary = summary_json([*fleet.values()])
    Draft202012Validator(find_schema("fleet")).validate(summary)
    listed = [each["status"] for each in summary["repositories"]]
    assert listed == [row.status for row in fleet.values()]
    assert (summary["failed"], summary["rejected"]) == (3, 2)
    assert "secret" not in repr(summary)


def test_the_next_run_judges_what_is_new_or_may_have_changed(one: Path, verify: Verify) -> None:
    verify(one)
    assert verify(one)["one"].status == UNCHANGED
    tip = grow(one)
    row = verify(one)["one"]
    assert (row.status, row.new, row.figures.commits) == (VERIFIED, 1, COMMITS + 2)
    assert (row.branch, row.tip) == ("refs/heads/main", tip)
    # A record in refs may let the first commit pass.
    Repo(one).git("update-ref", "refs/hkgit/entries/of/somebody", "main")
    row = verify(one)["one"]
    assert (row.status, row.new, row.figures.commits) == (VERIFIED, 1, COMMITS + 2)
    # Of a rewritten history what is still there holds.
    Repo(one).git("update-ref", "refs/heads/main", "main~2")
    row = verify(one)["one"]
    assert (row.new, row.figures.commits) == (0, COMMITS)


@pytest.mark.slow
def test_another_policy_judges_all_of_it_anew(one: Path, verify: Verify, tmp_path: Path) -> None:
    verify(one)
    clone = Repo(tmp_path / "clone")
    subprocess.run(["git", "clone", "-q", one, clone.path, "-b", "main"], check=True)
    policy = "[gate]\nagents = ['nobody']\n"
    clone.commit({".hkgit/config.toml": policy}, "Govern nobody")
    clone.git("push", "-q", "origin", "main")
    row = verify(one)["one"]
    assert (row.new, row.figures.commits) == (COMMITS + 2, COMMITS + 2)


def break_packs(repository: Path) -> None:
    for pack in repository.glob("objects/pack/*.pack"):
        pack.chmod(0o644)
        pack.write_bytes(pack.read_bytes()[:100] + b"garbage")


@pytest.mark.slow
def test_a_mirror_without_its_objects_is_fetched_anew(
    one: Path, tmp_path: Path, verify: Verify
) -> None:
    verify(one)
    grow(one)
    [mirror] = (tmp_path / "fleet/mirrors").glob("*one.git.git")
    break_packs(mirror)
    row = verify(one)["one"]
    assert (row.new, "unverifiable" in row.figures["replay"]) == (1, False)


@pytest.mark.slow
def test_a_corrupt_mirror_is_a_row_until_it_is_removed(
    one: Path, two: Path, tmp_path: Path, verify: Verify
) -> None:
    verify(one, two)
    grow(one)
    [mirror] = (tmp_path / "fleet/mirrors").glob("*one.git.git")
    (mirror / "HEAD").write_text("garbage")
    rows = verify(one, two)
    assert (rows["one"].status, rows["two"].status) == (FAILED, UNCHANGED)
    assert rows["one"].failure is not None
    assert f"remove {mirror}: it is fetched again" in rows["one"].failure.fix
    shutil.rmtree(mirror)
    assert verify(one, two)["one"].new == 1


def test_what_a_run_that_was_ended_has_judged_is_not_judged_again(
    one: Path, verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[int] = []
    real = run._judge

    def judge(history: History, commits: Sequence[str]) -> list[Rows]:
        if len(judged) == 2:
            raise KeyboardInterrupt
        judged.append(len(commits))
        return real(history, commits)

    monkeypatch.setattr(run, "_judge", judge)
    with pytest.raises(KeyboardInterrupt):
        verify(one, size=3)
    assert judged == [3, 3]
    judged.clear()
    row = verify(one, size=3)["one"]
    assert judged == [2]  # the last, and the first, which a record in refs may let pass
    assert row.figures.commits == COMMITS + 1


@pytest.mark.slow
def test_a_full_disk_is_a_row_or_an_end_and_loses_nothing(
    one: Path, two: Path, verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify(two)

    def add(database: Connection, repository: str, rows: list[Rows]) -> None:
        if "one.git" in repository:
            raise OperationalError("database or disk is full")
        add_commits(database, repository, rows)

    monkeypatch.setattr(run, "add_commits", add)
    rows = verify(one, two)
    assert rows["one"].failure is not None
    assert rows["one"].failure.what == "database or disk is full"
    assert rows["two"].status == UNCHANGED
    monkeypatch.undo()
    assert verify(one, two)["one"].figures.commits == COMMITS + 1


def test_files_that_could_not_be_written_are_written_by_the_next_run(
    one: Path, tmp_path: Path, verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*given: Any) -> None:
        if "commits" in given[-1]:
            raise OSError(28, "No space left on device")
        write_parquet(*given)

    monkeypatch.setattr("hkgit.audit.fleet.run.write_parquet", write)
    assert verify(one)["one"].status == FAILED
    monkeypatch.undo()
    for status in (VERIFIED, UNCHANGED):  # then as if DuckDB had not been there before
        assert verify(one)["one"].status == status
        assert [*tmp_path.glob("fleet/tables/commits/*/*.parquet")]
        shutil.rmtree(tmp_path / "fleet/tables/commits")


def test_two_runs_do_not_work_in_one_directory(one: Path, tmp_path: Path, verify: Verify) -> None:
    directory = FleetDirectory(tmp_path / "fleet")
    directory.prepare()
    with directory.lock(), pytest.raises(GitRefused, match="another run"):
        verify(one)


@pytest.mark.parametrize("name", ["else", "tables/else"])
def test_a_directory_that_it_does_not_know_is_left_alone(
    one: Path, tmp_path: Path, verify: Verify, name: str
) -> None:
    place = tmp_path / "fleet" / name
    place.parent.mkdir(parents=True)
    place.write_text("")
    with pytest.raises(InvalidInput, match=r"contains (something else|other files)"):
        verify(one)
    assert [*place.parent.iterdir()] == [place]


def test_a_worker_that_does_not_see_the_directory_says_so(one: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"{one}\n")
    listed = read_list(tmp_path / "list")[0]
    elsewhere = FleetDirectory(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="shared file system"):
        plan_repository(elsewhere, listed)
    assert not elsewhere.root.exists()


def test_what_is_judged_is_the_branch_of_head_or_the_only_one(one: Path, verify: Verify) -> None:
    Repo(one).git("update-ref", "refs/heads/release", "main~2")
    Repo(one).git("symbolic-ref", "HEAD", "refs/heads/release")
    row = verify(one)["one"]
    assert (row.branch, row.new) == ("refs/heads/release", COMMITS - 1)
    Repo(one).git("symbolic-ref", "HEAD", "refs/heads/gone")
    failure = verify(one)["one"].failure
    assert failure is not None
    assert failure.what == "its HEAD names no branch"
    Repo(one).git("branch", "-q", "-D", "release")
    assert verify(one)["one"].branch == "refs/heads/main"


def ask(fleet: Path, question: str) -> list[tuple[object, ...]]:
    """The answer of the tables of a fleet."""
    with open_directory(fleet / "tables") as database:
        return database.execute(quote_columns(question)).fetchall()


@pytest.mark.slow
def test_the_tables_hold_each_commit_once_whatever_happened(
    one: Path, two: Path, tmp_path: Path, verify: Verify
) -> None:
    count = "SELECT count(*), count(DISTINCT repository || commit) FROM commits"
    fleet = tmp_path / "fleet"
    verify(one, two)
    assert ask(fleet, count) == [(2 * COMMITS + 2, 2 * COMMITS + 2)]
    grow(one)
    Repo(two).git("update-ref", "refs/heads/main", "main~2")
    verify(one, two, tmp_path / "none")
    assert ask(fleet, count) == [(2 * COMMITS + 1, 2 * COMMITS + 1)]
    failed = ask(fleet, "SELECT error FROM repositories WHERE status = 'failed'")
    assert "does not appear to be a git repository" in str(failed)
    assert ask(fleet, "SELECT count(*) FROM repositories WHERE status = 'ok'") == [(2,)]


# The command

LONG = 200


@pytest.mark.slow
def test_an_interrupted_run_ends_soon_and_is_taken_up(tmp_path: Path) -> None:
    make_history(tmp_path / "long.git", LONG)
    (tmp_path / "list").write_text("long.git\n")
    command = ("fleet", "verify", "list", "--to", "fleet", "--jobs", "2")
    begun = subprocess.Popen(
        [script("hkgit"), *command], cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True
    )
    while not list(tmp_path.glob("fleet/mirrors/*")) and begun.poll() is None:
        time.sleep(0.01)
    os.killpg(begun.pid, signal.SIGINT)  # as a terminal does: to every process of the run
    _, err = begun.communicate(timeout=30)
    assert (begun.returncode, err.strip()) == (130, b"hkgit: interrupted")
    done = run_hkgit(*command, "--json", cwd=tmp_path)
    assert done.code == 6, done.err
    [row] = done.json()["repositories"]
    assert (row["status"], row["numbers"]["commits"]) == ("verified", LONG + 1)


def test_the_answer_is_a_document_and_each_failure_a_row(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# nothing is there\nnone\n")
    done = run_hkgit(
        "fleet", "verify", "list", "--to", "fleet", "--jobs", "1", "--json", cwd=tmp_path
    )
    assert done.code == 7
    [row] = done.json()["repositories"]
    assert (row["status"], row["error"]["fix"]) == ("failed", "Check the URL.")


@cases(
    "text, said",
    {
        "nothing": ("", "lists no repositories"),
        "a command": ("ext::sh -c id\n", "list:1: ext::sh -c id uses a protocol that is not"),
    },
)
def test_a_list_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "list").write_text(text)
    done = run_hkgit("fleet", "verify", "list", "--to", "fleet", cwd=tmp_path)
    assert done.code == 4
    assert said in done.err
    assert not (tmp_path / "fleet").exists()


def test_a_named_policy_holds_for_every_repository(tmp_path: Path) -> None:
    make_history(tmp_path / "short.git", 2)
    (tmp_path / "list").write_text("short.git\n")
    command = ("fleet", "verify", "list", "--jobs", "1")
    assert run_hkgit(*command, "--to", "own", cwd=tmp_path).code == 6
    (tmp_path / "mild.toml").write_text("[gate]\nmode = 'report'\n")
    assert run_hkgit(*command, "--to", "named", "--policy", "mild.toml", cwd=tmp_path).code == 0
