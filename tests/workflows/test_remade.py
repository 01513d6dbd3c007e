"""`hkgit redo COMMIT` keeps what is true of a commit: its people, its entries, its branch."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hkgit.cli.schema import find_schema
from tests.support.commands import AGENT, dying_at, start
from tests.support.commits import TAKES_LATE
from tests.support.keys import sign_with
from tests.support.repos import Repo
from tests.support.running import range_hash, run
from tests.support.specs import search_replace

TEXT = "one\ntwo\nthree\nfour\nfive\n"
WHO = "--format=%an <%ae> %ad %cn <%ce> %cd%n%s"


@pytest.fixture
def repo(repo: Repo) -> Repo:
    repo.commit({"a.txt": TEXT, "b.txt": TEXT, ".hkgit/config.toml": TAKES_LATE}, "Begin")
    return repo


def policy(repo: Repo, text: str) -> None:
    repo.commit({".hkgit/config.toml": text}, "Say what counts")


def apply(repo: Repo, path: str = "a.txt", old: str = "two", agent: str = "bot/1") -> None:
    """An edit with the hash of its line, as a commit."""
    number = repo.read(path).decode().splitlines().index(old) + 1
    spec = search_replace(old, old.upper(), path)
    place = f"{path}:{number}-{number}"
    known = f"{place}={range_hash(repo.read(path), number, number)}"
    words = ("apply", "-", "--agent", agent, "--expect", known, "-m", "Write it\n\nAt length.")
    done = run(*words, stdin=spec.encode(), cwd=repo.path)
    assert done.code == 0, done.err


def amend(repo: Repo, files: dict[str, str], env: dict[str, str] | None = None) -> str:
    """Add to the last commit what no entry explains."""
    for path, text in files.items():
        repo.write(path, text)
    repo.git("add", "-A")
    words = ("commit", "-q", "--amend", "--no-edit", "--no-verify")
    repo.git(*words, *(["--reset-author"] if env else []), env=env or {})
    return repo.head


def redo(repo: Repo, commit: str) -> str:
    done = run("redo", commit, cwd=repo.path)
    assert done.code == 0, done.err
    return done.out + done.err


def entries(repo: Repo, commit: str = "HEAD") -> dict[str, list[str]]:
    """The agents of a commit's entries, each with the evidence of its edits."""
    shown = run("show", commit, "--json", cwd=repo.path).json()["ledger"]
    return {
        entry["claims"]["agent"]: [edit["evidence"] for edit in entry["edits"]] for entry in shown
    }


def passes(repo: Repo, commits: str) -> bool:
    return run("gate", "--range", commits, cwd=repo.path).code == 0


def test_entries_that_hold_stay_and_only_the_rest_is_late(repo: Repo) -> None:
    apply(repo)
    made = amend(repo, {"b.txt": "b\n", "a.txt": repo.read("a.txt").decode() + "six\n"}, AGENT)
    before = repo.git("log", "-1", WHO)
    assert not passes(repo, "HEAD^..HEAD")

    redo(repo, made)

    assert repo.git("log", "-1", WHO) == before
    shown = run("show", "--json", cwd=repo.path).json()["ledger"]
    assert sorted(edit["evidence"] for each in shown for edit in each["edits"]) == [
        *("hash", "late", "late")
    ]
    assert repo.git("diff", "--stat", made, "HEAD", "--", "a.txt", "b.txt") == ""
    assert passes(repo, "HEAD^..HEAD")


def test_what_a_person_did_by_hand_is_signed_by_no_agent(repo: Repo) -> None:
    """Under the default policy too, which takes no late evidence: none is needed."""
    policy(repo, "[gate]\n")
    apply(repo)
    made = amend(repo, {"a.txt": repo.read("a.txt").decode() + "six\n", "c.txt": "c\n"})
    assert not passes(repo, "HEAD^..HEAD")

    said = redo(repo, made)

    assert "(by hand)" in said
    assert (entries(repo, "HEAD^"), entries(repo)) == ({"bot/1": ["hash"]}, {})
    people = [repo.git("log", "-1", WHO, each) for each in (made, "HEAD^", "HEAD")]
    assert len({*people}) == 1
    assert "Hkgit-" not in repo.git("log", "-1", "--format=%B")
    assert repo.git("diff", made, "HEAD", "--", "a.txt", "c.txt") == ""
    assert passes(repo, "HEAD~2..HEAD")
    head = repo.head
    redo(repo, made)
    assert repo.head == head


def test_as_json_it_says_what_is_in_place_of_the_commit(repo: Repo) -> None:
    apply(repo)
    made = amend(repo, {"c.txt": "c\n"})
    for status, commits in (("remade", 2), ("unchanged", 0)):
        answer = run("redo", made, "--json", cwd=repo.path).json()
        Draft202012Validator(find_schema("redo")).validate(answer)
        assert (answer["status"], len(answer["commits"])) == (status, commits)
        if status == "remade":
            assert answer["by_hand"] == answer["commit"] == repo.head
            assert [len(answer[each]) for each in ("kept", "recorded", "late")] == [1, 0, 0]


def test_where_an_entry_does_not_hold_its_files_stay_the_agents(repo: Repo) -> None:
    apply(repo)
    made = amend(repo, {"a.txt": "all\nnew\n", "b.txt": "b\n"})

    redo(repo, made)

    assert entries(repo, "HEAD^") == {"bot/1": ["late"]}
    assert repo.git("diff", "--name-only", "HEAD^", "HEAD") == "b.txt"
    assert passes(repo, "HEAD~2..HEAD")


def test_where_everybody_is_governed_a_person_signs_for_himself(repo: Repo) -> None:
    policy(repo, TAKES_LATE + 'govern = "all"\n')
    apply(repo)
    made = amend(repo, {"b.txt": "b\n"})

    redo(repo, made)

    assert entries(repo) == {"bot/1": ["hash"], "Ada Tester": ["late"]}
    assert passes(repo, "HEAD^..HEAD")


def test_several_commits_are_made_again_by_their_first_names(repo: Repo) -> None:
    """The report names all of them at once; the first call gives the others new ones."""
    names = []
    for text in ("1\n", "2\n", "3\n"):
        repo.write("b.txt", text)
        repo.git("commit", "-qam", f"Write {text}", env=AGENT)
        names.append(repo.head)
    for name in names:
        redo(repo, name)
    assert passes(repo, "HEAD~3..HEAD")
    assert repo.git("log", "-3", "--format=%an") == "claude\nclaude\nclaude"


def test_signatures_and_other_branches_are_spoken_of(repo: Repo, key: Path) -> None:
    sign_with(repo, key)
    repo.write("b.txt", "b\n")
    repo.git("commit", "-S", "-qam", "Write b", env=AGENT)
    made = repo.head
    repo.git("branch", "other")
    repo.write("c.txt", "c\n")
    repo.git("add", "-A")
    repo.git("commit", "-S", "-qm", "Write c")
    later = repo.head

    said = redo(repo, made)

    assert f"signatures were left out, since they would be wrong: {made[:12]}, {later[:12]}" in said
    assert "still with the old commit: other" in said
    assert repo.git("log", "-2", "--format=%G?").split() == ["N", "N"]


def test_in_a_conflict_the_index_stays_as_it_is(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"a.txt": "side\n"}, "Change the side")
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", "main\n")
    repo.git("commit", "-qam", "Write main", env=AGENT)
    repo.git("merge", "side", check=False)
    before = repo.status()

    redo(repo, repo.head)

    assert repo.status() == before
    assert repo.resolve("MERGE_HEAD") == repo.resolve("side")
    repo.write("a.txt", "both\n")
    repo.git("commit", "-qam", "Merge it")
    assert passes(repo, "HEAD^^..HEAD^")


@pytest.mark.parametrize("at", ["hash-object", "update-ref", "restore"])
def test_a_crash_loses_nothing_and_the_next_call_ends_it(repo: Repo, at: str) -> None:
    repo.write("b.txt", "b\n")
    repo.git("commit", "-qam", "Write b", env=AGENT)
    made, branches = repo.head, repo.git("for-each-ref", "--format=%(refname)")
    repo.write("a.txt", "not staged\n")
    before = repo.status()

    done = start("hkgit", "redo", made, cwd=repo.path, env=dying_at(repo, at))

    assert done.returncode != 0
    assert repo.git("for-each-ref", "--format=%(refname)") == branches
    assert repo.read("a.txt") == b"not staged\n"
    if at != "restore":
        assert (repo.head, repo.status()) == (made, before)
    redo(repo, made)
    assert passes(repo, "HEAD^..HEAD")
    assert repo.status() == before
    assert repo.git("for-each-ref", "--format=%(refname)") == branches
