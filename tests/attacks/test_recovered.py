"""Records beside the history: what whoever may push them gains, and what not."""

import pytest

from hkgit.edits import File
from hkgit.evidence.entry import entry_id, entry_path, read_entry
from hkgit.values import replace
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import Served, begin, commit, preload_hooks
from tests.support.transcripts import ClaudeLog

RECORDS = "refs/hkgit/recovered/*:refs/hkgit/recovered/*"
ACCEPTING = '[gate]\nverdicts = ["strict", "reanchored", "recovered"]\n'


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A server, and a clone whose branch `late` is an agent's commit without evidence."""
    template = begin(tmp_path_factory.mktemp("recovered"))
    preload_hooks(template.server)
    return template


def accept(served: Served, policy: str = ACCEPTING) -> None:
    """Let the server's policy take what was recovered."""
    commit(served.clone, {".hkgit/config.toml": policy}, {})
    served.clone.git("push", "-q", "origin", "main")
    served.clone.git("rebase", "-q", "main", "blind")


def recover(served: Served) -> str:
    """Record the commit of `blind` from a transcript that was invented; its ref."""
    clone = served.clone
    log = ClaudeLog(clone.path)
    log.read("app.py", "one\ntwo\nthree\n")
    log.edit("app.py", "two\nthree", "2\nthree")
    place = log.save(clone.path.parent / "invented.jsonl")
    done = run("adopt", "main..blind", "--from", place, "--json", cwd=clone.path)
    assert done.code == 0, done.out
    record: str = done.json()["changes"][0]["record"]
    return record


def test_a_record_gains_nothing_where_the_policy_does_not_ask_for_any(served: Served) -> None:
    recover(served)
    assert "recovered" in served.refuse("blind:main", RECORDS)


def test_an_invented_transcript_passes_where_the_policy_accepts_records(served: Served) -> None:
    """The bytes follow from its edits; that an agent made them so is its word alone."""
    accept(served)
    recover(served)
    served.take("blind:main", RECORDS)


def test_a_record_may_come_before_its_commit_and_not_after_it(served: Served) -> None:
    accept(served)
    recover(served)
    served.refuse("blind:main")
    served.take(RECORDS)
    served.take("blind:main")


def test_a_record_of_other_bytes_counts_for_nothing(served: Served) -> None:
    accept(served)
    record = recover(served)
    old = served.clone.resolve(record)
    served.clone.git("checkout", "-q", "blind")
    other = commit(served.clone, {"app.py": "one\nimport evil\nthree\n"}, {})
    served.clone.git("reset", "-q", "--soft", "HEAD~2")
    served.clone.git("commit", "-q", "-m", "Change", "--author", "claude <noreply@anthropic.com>")
    assert served.clone.head != other
    served.clone.git("update-ref", f"refs/hkgit/recovered/{served.clone.head}", old)
    said = served.refuse("blind:main", RECORDS)
    assert "recovered" not in said.replace("refs/hkgit/recovered", "")


@pytest.mark.parametrize("named", ["main", "main:app.py"])
def test_a_record_that_is_no_tree_hides_nothing_of_what_is_wrong(
    served: Served, named: str
) -> None:
    accept(served)
    served.clone.git("update-ref", recover(served), served.clone.resolve(named))
    assert "blind commit: no ledger entry" in served.refuse("blind:main", RECORDS)


def test_what_is_below_the_name_of_a_record_is_none(served: Served) -> None:
    accept(served)
    record = recover(served)
    tree = served.clone.resolve(record)
    served.clone.git("update-ref", "-d", record)
    served.clone.git("update-ref", f"{record}/a", tree)
    served.clone.git("push", "-q", "origin", RECORDS)
    assert "blind commit: no ledger entry" in served.refuse("blind:main")


def forget_origin(repo: Repo, record: str) -> None:
    """Let the entry of a record not say that it was recovered."""
    repository = open_repository(repo)
    tree = repo.resolve(record)
    recorded = repository.snapshot(tree)
    [path] = [each for each in recorded.paths() if each.endswith(".json")]
    file = recorded.get(path)
    assert file is not None
    entry = replace(read_entry(file.data), claims={})
    files = {path: None, entry_path(entry_id(entry.to_bytes())): File(entry.to_bytes())}
    repository.write_ref(record, repository.write_tree(tree, files))


@pytest.mark.parametrize("floor", ["accept = []", "min_tightness = 0.9"])
def test_a_record_that_hides_what_it_is_is_held_to_the_floors(served: Served, floor: str) -> None:
    accept(served, f"{ACCEPTING}[[gate.paths]]\npaths = ['*']\nrecovered = true\n{floor}\n")
    forget_origin(served.clone, recover(served))
    assert "recovered" in served.refuse("blind:main", RECORDS)


def test_a_record_that_is_gone_is_not_remembered(served: Served) -> None:
    accept(served)
    record = recover(served)
    verify = ("verify", "--incremental", "main..blind")
    assert run(*verify, cwd=served.clone.path).code == 0
    served.clone.git("update-ref", "-d", record)
    assert run(*verify, cwd=served.clone.path).code == 6
