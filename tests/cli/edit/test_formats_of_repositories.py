"""The whole of hkgit in repositories of other formats: hashes, references, indexes, clones."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.git import program
from tests.support import serving
from tests.support.commands import AGENT, git
from tests.support.repos import Repo
from tests.support.running import Result, run
from tests.support.specs import protocol, replace_range

BLIND = "app.py\n<<<<<<< SEARCH\nthree\n=======\nTHREE\n>>>>>>> REPLACE\n"


def with_init(path: Path, *options: str) -> Repo:
    """A repository that `git init` makes with options."""
    path.mkdir()
    Repo(path).git("init", "-q", *options)
    return begun(Repo(path))


def begun(repo: Repo) -> Repo:
    repo.commit({"app.py": "one\ntwo\nthree\n", "lib/a.py": "a\n", "other/b.py": "b\n"}, "Begin")
    return repo


def with_a_split_index(path: Path) -> Repo:
    repo = with_init(path)
    repo.git("config", "core.splitIndex", "true")
    repo.git("update-index", "--split-index")
    return repo


def with_a_sparse_index(path: Path) -> Repo:
    repo = with_init(path)
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "lib")
    assert "other/" in repo.git("ls-files", "--sparse").splitlines()
    return repo


def partially_cloned(path: Path) -> Repo:
    origin = with_init(path.with_name("origin"))
    origin.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{origin.path}"
    origin.git("clone", "-q", "--filter=blob:none", url, str(path))
    return Repo(path)


SHA_256, REFTABLE = "--object-format=sha256", "--ref-format=reftable"
OF_THE_PROGRAM: dict[str, tuple[str, ...]] = {"SHA-256": (SHA_256,)}
"""What libgit2 does not open, and the options that make it."""

if program.read_version() >= (2, 45):
    OF_THE_PROGRAM |= {"reftable": (REFTABLE,), "SHA-256, reftable": (SHA_256, REFTABLE)}


def held(repo: Repo) -> Repo:
    """Held to the gate, with an agent's commit that has evidence."""
    assert run("init", cwd=repo.path).code == 0
    repo.git("add", "--sparse", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Hold commits to the gate")
    repo.git("tag", "held")
    applied = apply(repo, spec(repo))
    assert applied.code == 0, applied.err
    return repo


@pytest.fixture(scope="module", params=OF_THE_PROGRAM)
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository that only the git program opens."""
    path = tmp_path_factory.mktemp("formats") / "repo"
    return held(with_init(path, *OF_THE_PROGRAM[request.param]))


@pytest.fixture
def odd(template: Repo, tmp_path: Path) -> Repo:
    """A copy to be changed."""
    return template.copy(tmp_path / "odd")


def spec(repo: Repo, line: int = 2) -> str:
    read = run("read", f"app.py:{line}", "--json", cwd=repo.path).json()["range_hash"]
    return protocol(replace_range("app.py", line, line, read, f"line {line}\n"))


def apply(repo: Repo, text: str, *options: str) -> Result:
    return run("apply", "-", *options, cwd=repo.path, stdin=text.encode(), env=AGENT)


def test_an_edit_lands_and_replays_and_the_checkout_follows(template: Repo) -> None:
    assert template.read("app.py") == template.show("HEAD", "app.py") == b"one\nline 2\nthree\n"
    assert template.status() == []
    template.git("fsck", "--strict")
    assert list((template.path / ".git").rglob("*hkgit-*")) == []
    base = template.resolve("held")
    shown = run("show", "HEAD", "--json", cwd=template.path).json()
    assert (shown["replay"], shown["ledger"][0]["base"]) == ("strict", base)
    assert template.git("log", "-1", "--format=%(trailers:key=Hkgit-Base,valueonly)") == base


@pytest.mark.parametrize(
    "args",
    [
        ("gate", "--staged"),
        ("log",),
        ("blame", "app.py"),
        ("stats",),
        ("doctor",),
        ("report", "held..HEAD"),
    ],
    ids=" ".join,
)
def test_every_command_that_looks_works(template: Repo, args: tuple[str, ...]) -> None:
    result = run(*args, cwd=template.path)
    assert result.code == 0, result.out + result.err


def test_what_has_no_evidence_is_rejected_and_leaves_nothing(odd: Repo) -> None:
    head = odd.head
    refused = apply(odd, BLIND)
    assert refused.code == 6, refused.err
    assert (odd.head, odd.status()) == (head, []), refused.err
    assert odd.git("for-each-ref", "refs/hkgit") == ""
    odd.write("app.py", "one\n2\nthree\n")
    accepted, said = git(odd, "commit", "-a", "-m", "Change", env=AGENT)
    assert (accepted, odd.head) == (False, head), said
    assert "fail" in said, said
    odd.write("app.py", odd.show("HEAD", "app.py") + b"#")
    assert git(odd, "commit", "-a", "--amend", "--no-edit", "--no-verify", env=AGENT)[0]
    result = run("gate", "--range", "held..HEAD", cwd=odd.path)
    assert result.code == 6, result.out
    assert "strict" not in result.out, result.out


def test_nothing_lands_while_a_cherry_pick_is_under_way(odd: Repo) -> None:
    odd.git("update-ref", "CHERRY_PICK_HEAD", "held")
    result = apply(odd, spec(odd, 1))
    assert result.code == 7, result.err
    assert "a cherry-pick is under way" in result.err, result.err


def test_a_branch_beside_is_merged_under_the_gate(odd: Repo) -> None:
    assert apply(odd, spec(odd, 1), "--branch=topic").code == 0
    assert apply(odd, spec(odd, 3)).code == 0
    accepted, said = git(odd, "merge", "-q", "--no-ff", "-m", "Merge", "topic", env=AGENT)
    assert accepted, said
    assert run("gate", "--range", "held..HEAD", cwd=odd.path).code == 0


def test_a_spec_resolves_what_a_branch_beside_disagrees_about(odd: Repo) -> None:
    theirs = spec(odd, 1).replace('line 1\\n"', 'theirs\\n"')
    assert apply(odd, theirs, "--branch=topic").code == 0
    assert apply(odd, spec(odd, 1)).code == 0
    both = spec(odd, 1).replace('line 1\\n"', 'both\\n"')
    result = apply(odd, both, "--merge=topic")
    assert result.code == 0, result.err
    assert odd.read("app.py").startswith(b"both\n"), result.err
    assert run("gate", "--range", "held..HEAD", cwd=odd.path).code == 0


def test_a_server_of_sha_256_judges_what_is_pushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    served = serving.begin(tmp_path)
    taken = [served.push(f"{ref}:main")[0] for ref in ("blind", "good")]
    assert taken == [False, True]
    assert len(served.refs["refs/heads/main"]) == 64


@pytest.mark.slow
def test_the_demonstration_works_where_sha_256_is_the_default() -> None:
    assert run("demo", cwd=Path.cwd(), env={"GIT_DEFAULT_HASH": "sha256"}).code == 0


# Repositories that libgit2 opens, though it could not read all of them


@pytest.mark.parametrize("make", [with_a_split_index, with_a_sparse_index, partially_cloned])
def test_edits_land_and_are_judged(tmp_path: Path, make: Callable[[Path], Repo]) -> None:
    repo = make(tmp_path / "repo")
    landed = apply(repo, spec(repo))
    codes = landed.code, run("gate", "--range", "HEAD~..HEAD", cwd=repo.path).code
    assert (*codes, repo.status(), repo.read("app.py")) == (0, 0, [], b"one\nline 2\nthree\n")
