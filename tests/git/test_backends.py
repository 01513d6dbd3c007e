"""Who answers for a repository, and that both answer alike."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.errors import GitRefused, HkgitError, InvalidInput, Unverifiable
from hkgit.git import program
from hkgit.git.repository import Repository
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.processes import list_readers
from tests.support.properties import examples
from tests.support.repos import Repo
from tests.support.running import run

NEW_ENOUGH = program.read_version() >= (2, 45)
"""For references kept in tables."""


def find_reader(folder: Path) -> str:
    """Read an object of a repository, and find who has done it."""
    opened = Repository.discover(folder)
    assert opened.blob(*opened.write_blobs(b"read")) == b"read"
    return "program" if list_readers(folder) else "libgit2"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param((), "libgit2", id="plain"),
        pytest.param(("--bare",), "libgit2", id="bare"),
        pytest.param(("--object-format=sha256",), "program", id="SHA-256"),
        *[pytest.param(("--ref-format=reftable",), "program", id="reftable")][:NEW_ENOUGH],
    ],
)
def test_git_answers_where_libgit2_cannot(
    tmp_path: Path, repo: Repo, options: tuple[str, ...], expected: str
) -> None:
    repo.git("init", "-q", *options, str(tmp_path / "other"))
    assert find_reader(tmp_path / "other") == expected


@pytest.mark.skipif(NEW_ENOUGH, reason="this git knows references in tables")
def test_a_git_too_old_for_references_in_tables_is_told(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.refStorage", "reftable")
    with pytest.raises(HkgitError, match="refstorage"):
        Repository.discover(repo.path).head()


@pytest.mark.parametrize("choice", ["libgit2", "program"])
def test_the_environment_leaves_no_choice(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    monkeypatch.setenv("HKGIT_GIT", choice)
    assert find_reader(repo.path) == choice


@cases(
    "make, choice, said",
    {
        "outside of any": ("rm -r .git", "", "is not in a git repository"),
        "what git cannot open either": (
            "git config core.repositoryFormatVersion 1; git config extensions.unheardOf true",
            "",
            "unknown repository extension.*newer git",
        ),
        "what libgit2 alone cannot open": (
            "rm -r .git; git init -q --object-format=sha256",
            "libgit2",
            "libgit2 cannot open .*sha256.*unset HKGIT_GIT",
        ),
        "another choice": ("true", "jgit", "HKGIT_GIT: cannot be jgit"),
    },
)
def test_what_cannot_be_opened_is_refused_with_the_reason(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, make: str, choice: str, said: str
) -> None:
    repo.shell(make)
    monkeypatch.setenv("HKGIT_GIT", choice)
    with pytest.raises(HkgitError, match=f"(?s){said}"):
        Repository.discover(repo.path)


@pytest.mark.parametrize("content", [None, b"no certificate\n"], ids=["absent", "broken"])
def test_libgit2_is_loaded_where_no_certificates_can_be(
    repo: Repo, tmp_path: Path, content: bytes | None
) -> None:
    """As in a container without Debian's ca-certificates: nothing is fetched by libgit2."""
    bundle = tmp_path / "bundle.pem"
    if content is not None:
        bundle.write_bytes(content)
    lost = {"SSL_CERT_FILE": str(bundle), "SSL_CERT_DIR": str(tmp_path / "absent")}
    repo.commit({"a.py": "one\n"})
    result = run("show", "--json", cwd=repo.path, env=lost | {"HKGIT_GIT": "libgit2"})
    assert result.code == 0, result.err


# The places of a repository


def test_from_inside_the_git_directory_the_work_tree_is_found(repo: Repo) -> None:
    for below in (".git", ".git/refs"):
        found = Repository.discover(repo.path / below)
        assert (found.git_dir, found.work_tree) == (repo.path / ".git", repo.path)


@pytest.mark.usefixtures("each_backend")
def test_a_hook_s_variables_lead_to_the_repository(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = repo.commit({"a": "1"})
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.path))
    opened = Repository.discover(tmp_path, in_hook=True)
    assert opened.git("rev-parse", "HEAD").text == opened.resolve("HEAD") == head
    with pytest.raises(GitRefused, match="is not in a git repository"):
        Repository.discover(tmp_path)


@pytest.mark.usefixtures("each_backend")
def test_objects_in_quarantine_are_read_in_a_hook_alone(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quarantine, objects = tmp_path / "incoming", repo.path / ".git" / "objects"
    shutil.copytree(objects, quarantine)
    apart = {
        "GIT_OBJECT_DIRECTORY": str(quarantine),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
    }
    pushed = repo.git("hash-object", "-w", "--stdin", stdin=b"pushed", env=apart)
    known = repo.git("hash-object", "-w", "--stdin", stdin=b"known")
    for name, value in apart.items():
        monkeypatch.setenv(name, value)
    in_hook = Repository.discover(repo.path, in_hook=True)
    assert [in_hook.blob(pushed), in_hook.blob(known)] == [b"pushed", b"known"]
    with pytest.raises(Unverifiable, match="not in this repository"):
        Repository.discover(repo.path).blob(pushed)


# Whom a repository belongs to


IS_ROOT = getattr(os, "geteuid", lambda: 1)() == 0
"""Only root can give files away."""


@pytest.fixture(params=["by name", *(["whoever", "program", "libgit2"] if IS_ROOT else [])])
def foreign(request: pytest.FixtureRequest, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository of somebody else, by what git's own tests set, or really; who answers."""
    repo.commit({"a": "1"})
    if request.param == "by name":
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        monkeypatch.setenv("HKGIT_GIT", "program")
        return repo
    for place in (repo.path, *repo.path.rglob("*")):
        os.chown(place, 12345, 12345)
    monkeypatch.setenv("HKGIT_GIT", request.param.removeprefix("whoever"))
    return repo


def test_what_belongs_to_somebody_else_is_refused_with_git_s_advice(foreign: Repo) -> None:
    with pytest.raises(GitRefused, match=r"owne[\s\S]*safe\.directory"):
        Repository.discover(foreign.path)


def test_what_the_user_trusts_is_read(foreign: Repo) -> None:
    foreign.git("config", "--global", "--add", "safe.directory", str(foreign.path))
    try:
        assert Repository.discover(foreign.path).resolve("HEAD") == foreign.head
    finally:
        foreign.git("config", "--global", "--unset-all", "safe.directory")


# Partial clones


@pytest.mark.usefixtures("each_backend")
def test_nothing_is_fetched_for_being_asked_for(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "1", "b": "2"})
    repo.git("config", "uploadpack.allowFilter", "true")
    path, asked = tmp_path / "partial", tmp_path / "asked"
    options = ("--filter=blob:none", "--no-checkout")
    repo.git("clone", "-q", *options, f"file://{repo.path}", str(path))
    Repo(path).git("config", "protocol.ext.allow", "always")
    Repo(path).git("config", "remote.origin.url", f"ext::touch {asked}")
    files = Repository.discover(path).snapshot("HEAD")
    for name in ("a", "b"):
        with pytest.raises(Unverifiable, match="is not in this repository"):
            files.get(name)
    assert not asked.exists()


# Both alike

NAMES = st.sampled_from(["a", "b", "d/a", "d/e/b", "d.x", "é"])
COMMIT = st.tuples(
    st.sampled_from(["main", "side", "deep/er"]),
    st.dictionaries(NAMES, st.sampled_from([None, b"", b"1", b"2\n", b"\0\xff"]), max_size=3),
    st.sampled_from([None, "main", "side"]),
)


def imported(repo: Repo, commits: list[tuple[str, dict[str, bytes | None], str | None]]) -> None:
    """Write a history in one process: a commit is its branch, its files, and what it merges."""
    stream, known = [], set()
    for number, (branch, files, merged) in enumerate(commits):
        stream.append(
            b"commit refs/heads/%s\ncommitter A <a@b> %d +0000\ndata 2\nm\n"
            % (branch.encode(), number)
        )
        if merged in known and merged != branch and branch in known:
            stream.append(f"merge refs/heads/{merged}\n".encode())
        for name, data in files.items():
            written = (
                b"D %s\n" % name.encode()
                if data is None
                else (b"M 644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data))
            )
            stream.append(written)
        known.add(branch)
    repo.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))


def answers(repo: Repo) -> dict[str, object]:
    """Everything that depends on who reads objects."""
    opened = open_repository(repo)
    tips = (opened.branch_tip(name) for name in ("main", "side", "deep/er"))
    there = [tip for tip in tips if tip is not None]
    snapshots = [opened.snapshot(tip) for tip in there]
    return {
        "commits": [opened.commit(tip) for tip in there],
        "files": [{path: each.get(path) for path in each.paths()} for each in snapshots],
        "bases": [opened.merge_base(one, two) for one in there for two in there],
        "changes": [opened.changes(a.tree_id, b.tree_id) for a in snapshots for b in snapshots],
        "revisions": [said(opened, rev) for rev in REVISIONS],
    }


REVISIONS = ("main~1", "side^2", "main^{tree}", "side^{}", "x:y")


def said(opened: Repository, rev: str) -> str:
    try:
        return opened.resolve(rev)
    except InvalidInput as error:
        return str(error)


@examples(12)
@given(commits=st.lists(COMMIT, min_size=1, max_size=6))
def test_on_any_history_both_give_the_same_answers(
    commits: list[tuple[str, dict[str, bytes | None], str | None]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("both") / "repo")
    imported(repo, commits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HKGIT_GIT", "libgit2")
        expected = answers(repo)
        patch.setenv("HKGIT_GIT", "program")
        assert answers(repo) == expected
