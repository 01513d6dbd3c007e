"""The commit holds the blob that `git add` would have made after the same edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Result, run


@pytest.fixture
def apply(repo: Repo) -> Callable[..., Result]:
    """Applies one operation of the protocol to the repository."""

    def applied(**operation: object) -> Result:
        spec = json.dumps({"version": "1", "operations": [operation]}).encode()
        return run("apply", "--stdin", "--json", cwd=repo.path, stdin=spec)

    return applied


def as_git_adds(repo: Repo, path: str, edit: Callable[[bytes], bytes], to: Path) -> bytes:
    """The blob that a person gets who edits the file of a fresh clone and adds it."""
    repo.git("clone", "-q", str(repo.path), str(to))
    clone = Repo(to)
    for name in ("core.autocrlf", "filter.rot.clean", "filter.rot.smudge"):
        value = repo.git("config", name, check=False)
        if value:
            clone.git("config", name, value)
    clone.git("rm", "-q", "-r", "--cached", ".")
    clone.git("reset", "-q", "--hard")
    place = clone.path / path
    clone.write(path, edit(place.read_bytes() if place.exists() else b""))
    clone.git("add", path)
    return clone.git_bytes("cat-file", "blob", f":{path}")


@pytest.mark.sampled
@pytest.mark.parametrize("base", [b"1\n2\n3\n", b"1\r\n2\r\n3\r\n", b"1\r\n2\n3\r\n", b"1\n2\n3"])
@cases(
    "said, autocrlf",
    {
        "nothing": ("", None),
        "autocrlf": ("", "true"),
        "text=auto": ("* text=auto", None),
        "text=auto eol=crlf": ("* text=auto eol=crlf", None),
        "-text": ("* -text", "true"),
        "ident": ("* ident", None),
    },
)
def test_an_edited_line_leaves_the_blob_that_git_add_makes(
    repo: Repo,
    apply: Callable[..., Result],
    base: bytes,
    said: str,
    autocrlf: str | None,
    tmp_path: Path,
) -> None:
    repo.commit({"f": base})
    repo.commit({".gitattributes": said + "\n"})
    if autocrlf is not None:
        repo.git("config", "core.autocrlf", autocrlf)
    expected = as_git_adds(repo, "f", lambda data: data.replace(b"2", b"two"), tmp_path / "clone")
    result = apply(op="replace_text", path="f", old_text="2", new_text="two")
    assert result.code == 0, result.err
    assert repo.show("HEAD", "f") == expected, result.err


@pytest.mark.sampled
@cases(
    "said, autocrlf",
    {
        "text=auto eol=crlf": ("* text=auto eol=crlf", None),
        "text": ("* text", None),
        "autocrlf": ("", "true"),
        "autocrlf=input": ("", "input"),
        "nothing": ("", None),
        "-text": ("* -text", "true"),
    },
)
def test_a_new_file_that_git_add_would_normalise_is_refused(
    repo: Repo, apply: Callable[..., Result], said: str, autocrlf: str | None, tmp_path: Path
) -> None:
    base = repo.commit({".gitattributes": said + "\n"})
    if autocrlf is not None:
        repo.git("config", "core.autocrlf", autocrlf)
    expected = as_git_adds(repo, "new", lambda _: b"1\r\n2\r\n", tmp_path / "clone")
    result = apply(op="create_file", path="new", new_text="1\r\n2\r\n")
    if b"\r" not in expected:
        assert (result.code, repo.head) == (4, base)
        assert "Write a whole file with LF" in result.err
        result = apply(op="create_file", path="new", new_text="1\n2\n")
    assert result.code == 0, result.err
    assert repo.show("HEAD", "new") == expected, result.err
    assert repo.status() == []


@cases(
    "said, named",
    {
        "a filter": ("f filter=rot", "filter rot"),
        "an encoding": ("f working-tree-encoding=UTF-16", "UTF-16"),
        "text that is not normalised": ("f text", "would not store"),
    },
)
def test_a_file_that_git_stores_otherwise_is_refused(
    repo: Repo, apply: Callable[..., Result], said: str, named: str
) -> None:
    head = repo.commit({"f": "1\r\n2\r\n"})
    repo.write(".git/info/attributes", said + "\n")
    result = apply(op="replace_text", path="f", old_text="2", new_text="two")
    assert result.code == 4, result.err
    assert named in result.err, result.err
    assert repo.head == head, result.err


def test_a_file_that_git_filters_can_be_renamed_and_removed(
    repo: Repo, apply: Callable[..., Result]
) -> None:
    repo.commit({"f": "1\n", ".gitattributes": "f filter=rot\ng filter=rot\n"})
    assert apply(op="rename_file", path="f", new_path="g").code == 0
    assert apply(op="delete_file", path="g").code == 0
    assert repo.git("ls-tree", "--name-only", "HEAD").splitlines() == [".gitattributes", ".hkgit"]


def test_an_expanded_keyword_is_not_brought_in(repo: Repo, apply: Callable[..., Result]) -> None:
    repo.commit({"f": "1\n$Id$\n", ".gitattributes": "* ident\n"})
    result = apply(op="replace_text", path="f", old_text="1", new_text="$Id: 123 $")
    assert result.code == 4
    assert "$Id$" in result.err


def test_a_mode_and_a_link_stay_what_they_are(repo: Repo, apply: Callable[..., Result]) -> None:
    repo.write("run.sh", "1\n").chmod(0o755)
    (repo.path / "link").symlink_to("run.sh")
    repo.commit()
    assert apply(op="replace_text", path="run.sh", old_text="1", new_text="2").code == 0
    assert repo.git("ls-tree", "HEAD", "run.sh").split()[0] == "100755"
    result = apply(op="replace_text", path="link", old_text="run", new_text="walk")
    assert result.code == 4
    assert "a symbolic link" in result.err
