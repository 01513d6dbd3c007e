"""A person vouches for an agent's change without evidence: by real pushes, what a server takes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.gate.trusted_policy import CONFIG
from tests.support.commands import AGENT
from tests.support.commits import applied
from tests.support.commits import commit as commit_change
from tests.support.keys import public
from tests.support.planning import Operation, protocol
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import Served, begin, commit, preload_hooks

POLICY = """\
[gate]
allowed_signers = "signers"
pusher_variable = "GL_USERNAME"

[[gate.manual]]
paths = ["app.py", "notes.md"]
principals = ["ada@example.org"]

[[gate.manual]]
paths = ["notes.md"]
pushers = ["bob"]
"""
ADA = "Hkgit-Vouched-by: Ada Tester <ada@example.org>"
BOB = "Hkgit-Vouched-by: Bob <bob@example.org>"
CLAUDE = "Hkgit-Vouched-by: Claude <noreply@anthropic.com>"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, keys: dict[str, Path]) -> Served:
    """A server with that policy, and blind commits of an agent on top of it."""
    served = begin(tmp_path_factory.mktemp("vouching"))
    preload_hooks(served.server)
    signers = f"ada@example.org {public(keys['ada'])}\n"
    commit(served.clone, {CONFIG: POLICY, "signers": signers}, {})
    served.clone.git("push", "-q", "origin", "main")
    for branch in ("good", "blind"):
        served.clone.git("rebase", "-q", "main", branch, env=AGENT)
    served.clone.git("config", "gpg.format", "ssh")
    return served


def vouched(repo: Repo, trailer: str, key: Path | None) -> None:
    """Amend the last commit: who made it stays, a trailer and a signature come."""
    signing = [] if key is None else [f"-S{key}"]
    repo.git("commit", "-q", "--amend", "--no-edit", "--no-verify", *signing, "--trailer", trailer)


def write_blind(repo: Repo, files: dict[str, str]) -> None:
    repo.git("checkout", "-q", "-B", "blind", "main")
    commit(repo, files, AGENT)


def smuggle(repo: Repo) -> None:
    """A byte more than the entry makes of its file."""
    repo.git("checkout", "-q", "good")
    repo.write("app.py", repo.read("app.py") + b"evil\n")
    repo.git("commit", "-q", "-a", "--amend", "--no-edit", "--no-verify", env=AGENT)


def forge_hash(repo: Repo) -> None:
    """An entry that is not what hkgit wrote."""
    repo.git("checkout", "-q", "good")
    [path] = repo.git("diff", "--name-only", "main", "good", "--", ".hkgit/ledger").split()
    repo.write(path, repo.read(path).replace(b'"evidence":"hash"', b'"evidence":"none"'))
    repo.git("commit", "-q", "-a", "--amend", "--no-edit", "--no-verify", env=AGENT)


def ruling(repo: Repo, rev: str = "HEAD") -> dict[str, object]:
    done = run("show", rev, "--json", cwd=repo.path)
    assert done.code == 0, done.err
    found = done.json()
    assert isinstance(found, dict)
    return found


def test_a_server_takes_what_the_named_person_has_signed(
    served: Served, keys: dict[str, Path]
) -> None:
    served.clone.git("checkout", "-q", "blind")
    assert "hkgit redo --vouch" in served.refuse("blind:main")
    vouched(served.clone, ADA, keys["ada"])
    served.take("blind:main")
    assert served.clone.git("log", "-1", "--format=%an") == "claude"


NO_PROOF = "nothing proves that a grant of these paths is for them"
FALSE = {
    "unsigned": (ADA, "", NO_PROOF),
    "signed by somebody else": (ADA, "mallory", NO_PROOF),
    "an agent vouches for itself": (CLAUDE, "", "an agent"),
    "who is granted nothing there": (BOB, "", NO_PROOF),
}


def test_a_trailer_that_anybody_can_write_is_refused_with_a_reason(
    served: Served, keys: dict[str, Path]
) -> None:
    served.clone.git("checkout", "-q", "blind")
    blind = served.clone.head
    for trailer, whose, reason in FALSE.values():
        served.clone.git("reset", "-q", "--hard", blind)
        vouched(served.clone, trailer, keys.get(whose))
        said = served.refuse("blind:main")
        assert reason in " ".join(said.replace("remote:", "").split())


def test_nobody_vouches_for_paths_without_a_grant(served: Served, keys: dict[str, Path]) -> None:
    """A protected path needs its own, as ever, also beside what is granted, or with evidence."""
    for path in ("other.py", ".github/workflows/x.yml"):
        write_blind(served.clone, {"app.py": "one\n2\nthree\n", path: "on: push\n"})
        vouched(served.clone, ADA, keys["ada"])
        assert "grants nobody" in served.refuse("blind:main")
    apply(served.clone, {"op": "create_file", "path": path, "new_text": "on: push\n"})
    vouched(served.clone, ADA, keys["ada"])
    assert "protected" in served.refuse("HEAD:main")


def apply(repo: Repo, operation: Operation) -> None:
    """An operation on main, with its entry, checked out."""
    repo.git("checkout", "-q", "--detach", "main")
    commit_change(repo, applied(repo, protocol(operation)))


@pytest.mark.parametrize("falsify", [smuggle, forge_hash])
def test_nobody_vouches_for_evidence_that_is_false(
    served: Served, keys: dict[str, Path], falsify: Callable[[Repo], None]
) -> None:
    falsify(served.clone)
    vouched(served.clone, ADA, keys["ada"])
    served.refuse("good:main")


def test_an_edit_that_was_recorded_blind_is_vouched_for_with_its_entry(
    served: Served, keys: dict[str, Path]
) -> None:
    words = {"old_text": "two\n", "new_text": "2\n"}
    apply(served.clone, {"op": "replace_text", "path": "app.py", **words})
    served.refuse("HEAD:main")
    vouched(served.clone, ADA, keys["ada"])
    served.take("HEAD:main")
    found = ruling(served.clone)
    assert found["replay"] == "vouched"
    assert found["ledger"]


def test_a_pusher_vouches_as_the_committer_whom_the_trailer_names(served: Served) -> None:
    write_blind(served.clone, {"notes.md": "Blind\n"})
    vouched(served.clone, ADA, None)
    served.refuse("blind:main")
    served.take("blind:main", GL_USERNAME="bob")


def test_a_policy_that_does_not_take_what_is_vouched_for_refuses_it(
    served: Served, keys: dict[str, Path]
) -> None:
    target = '\n[[gate.targets]]\nrefs = ["refs/heads/release"]\nverdicts = ["strict"]\n'
    decide(served, POLICY + target)
    vouched(served.clone, ADA, keys["ada"])
    assert "does not accept vouched" in served.refuse("blind:release")
    served.take("blind:main")


def test_a_policy_without_grants_lets_nobody_vouch(served: Served, keys: dict[str, Path]) -> None:
    decide(served, POLICY.partition("pusher_variable")[0])
    vouched(served.clone, ADA, keys["ada"])
    assert "the policy grants nobody all that the commit changes" in served.refuse("blind:main")


def decide(served: Served, policy: str) -> None:
    """Give the server another policy, and make a blind commit under it."""
    served.clone.git("checkout", "-q", "main")
    commit(served.clone, {CONFIG: policy}, {})
    served.take("main:main")
    write_blind(served.clone, {"app.py": "one\n2\nthree\n"})
