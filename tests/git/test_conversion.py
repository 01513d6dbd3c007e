"""What `git add` stores: the same content, beside git itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.errors import InvalidInput
from hkgit.git.attributes import Content, Conversion
from hkgit.git.repository import Repository
from tests.support.cases import cases
from tests.support.properties import examples
from tests.support.repos import Repo

ATTRIBUTES = [
    *("text", "-text", "!text", "text=auto", "text=input", "text=odd", "binary", "binary text"),
    *("eol=lf", "eol=crlf", "text eol=crlf", "text=auto eol=lf", "text=auto eol=crlf"),
    *("-text eol=lf", "crlf", "-crlf", "crlf=input", "crlf=auto", "text=odd crlf"),
    *("ident", "-ident", "text ident", "filter", "-filter", "working-tree-encoding=UTF-8"),
]
CONTENTS = [
    b"a\r\nb\n",
    b"a\rb\r\n",
    b"",
    b"\r\n",
    b"a\nb\n",
    b"a\r\r\nb\r\n",
    b"\xef\xbb\xbfa\r\n",
    b"a\r\n\x1a",
    b"\x1a\r\n",
    b"a" * 128 + b"\x01\r\n",
    b"a" * 127 + b"\x01\r\n",
    b"a\0b\r\n",
    b"$Id$\n",
    b"$Id: x $\n",
    b"$Id: x\n$\r\n",
    b"$Id:$ $Id: y$\r\n",
    b"$Id: x",
    b"\x7f\x08\x0c\r\n",
]
BEFORE = [None, b"a\nb\n", b"a\r\nb\r\n", b"a\rb\r\n"]


def stored_by_git(repo: Repo, contents: dict[str, Content]) -> dict[str, bytes]:
    """The blobs that `git add` makes, in a repository that has what was before in its index."""
    opened = pygit2.Repository(str(repo.path))
    for path, content in contents.items():
        if content.before is not None:
            blob = opened.create_blob(content.before)
            opened.index.add(pygit2.IndexEntry(path, blob, pygit2.enums.FileMode.BLOB))
        repo.write(path, content.data)
    opened.index.write()
    repo.git("add", "--", *contents)
    opened.index.read()
    return {path: opened[opened.index[path].id].read_raw() for path in contents}


def conversion(repo: Repo) -> Conversion:
    opened = Repository.discover(repo.path)
    return Conversion(opened, opened.snapshot("HEAD"))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("said", "autocrlf"),
    [
        *((said, "true") for said in ATTRIBUTES),
        *((said, None) for said in ("text", "text=auto", "!text", "eol=lf", "crlf")),
        *((None, autocrlf) for autocrlf in (None, "true", "input", "false", "1")),
    ],
)
def test_content_is_stored_as_git_add_stores_it(
    repo: Repo, said: str | None, autocrlf: str | None
) -> None:
    repo.commit({".gitattributes": "" if said is None else f"* {said}\n"})
    if autocrlf is not None:
        repo.git("config", "core.autocrlf", autocrlf)
    contents = {str(number): Content(data) for number, data in enumerate(CONTENTS)}
    for at, old in enumerate(BEFORE):
        contents |= {f"{at}-{number}": Content(CONTENTS[number], old) for number in (0, 1)}
    ours = conversion(repo)
    stored = {path: ours.convert(path, content) for path, content in contents.items()}
    assert stored == stored_by_git(repo, contents)


@examples(25)
@given(
    data=st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"\x01", b"$Id: x$", b"\x1a"])).map(
        b"".join
    ),
    before=st.none() | st.sampled_from(CONTENTS),
    said=st.sampled_from(["text", "text=auto", "ident", "eol=crlf", "text=auto ident"]),
    autocrlf=st.sampled_from(["true", "false"]),
)
def test_any_content_is_stored_as_git_add_stores_it(
    data: bytes,
    before: bytes | None,
    said: str,
    autocrlf: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("conversion") / "repo")
    repo.git("config", "core.autocrlf", autocrlf)
    repo.commit({".gitattributes": f"* {said}\n"})
    content = Content(data, before)
    assert {"f": conversion(repo).convert("f", content)} == stored_by_git(repo, {"f": content})


# Where attributes stand


@cases(
    "files, then, stores_lf",
    {
        "in the root": ({".gitattributes": "*.txt text\n"}, "", True),
        "in a directory": (
            {".gitattributes": "*.txt -text\n", "d/.gitattributes": "f.* text\n"},
            "",
            True,
        ),
        "in the repository": (
            {".gitattributes": "*.txt -text\n"},
            "echo '*.txt text' >.git/info/attributes",
            True,
        ),
        "in a macro": ({".gitattributes": "[attr]prose text -ident\n*.txt prose\n"}, "", True),
        "of the user": (
            {"x": ""},
            "echo '*.txt text' >.git/mine; git config core.attributesFile $PWD/.git/mine",
            True,
        ),
        "in the configuration": (
            {"x": ""},
            "git config -f .git/more core.autocrlf input; git config include.path $PWD/.git/more",
            True,
        ),
        "in another directory": (
            {".gitattributes": "*.txt diff\n", "d/e/.gitattributes": "*.txt text\n"},
            "",
            False,
        ),
        "only in the work tree": ({"x": ""}, "echo '*.txt text' >.gitattributes", False),
    },
)
def test_attributes_count_wherever_git_finds_them(
    repo: Repo, files: Mapping[str, str], then: str, *, stores_lf: bool
) -> None:
    repo.commit(files)
    repo.shell(then)
    assert conversion(repo).stores_lf("d/f.txt", b"a\r\n") is stores_lf


def test_attributes_of_a_bare_repository_are_those_of_its_commit(
    repo: Repo, make_repo: Callable[..., Repo]
) -> None:
    repo.commit({".gitattributes": "*.txt text\n"})
    bare = make_repo("bare.git", bare=True)
    repo.git("push", "-q", str(bare.path), "main")
    assert conversion(bare).stores_lf("f.txt", b"a\r\n")
    assert not conversion(bare).stores_lf("f.md", b"a\r\n")


def test_odd_names_have_attributes_too(repo: Repo) -> None:
    repo.commit({".gitattributes": "caf* text\n", "d\nd/.gitattributes": "* text\n"})
    ours = conversion(repo)
    assert ours.stores_lf("caf\udce9", b"\r\n")
    assert ours.stores_lf("d\nd/x", b"\r\n")


# What is refused


@cases(
    "said, named",
    {
        "LFS": ("filter=lfs diff=lfs merge=lfs -text", "filter lfs"),
        "a driver that is not configured here": ("filter=crypt", "filter crypt"),
        "UTF-16": ("working-tree-encoding=UTF-16", "UTF-16 in the work tree"),
    },
)
def test_content_that_is_not_what_the_work_tree_has_is_refused(
    repo: Repo, said: str, named: str
) -> None:
    repo.commit({".gitattributes": f"*.x {said}\n"})
    with pytest.raises(InvalidInput, match=named):
        conversion(repo).expect_stored({"a": Content(b""), "f.x": Content(b"a\n", b"b\n")})


@cases(
    "said, content",
    {
        "CRLF where LF is normal": ("text", Content(b"a\r\nc\r\n", b"a\r\nb\r\n")),
        "an expanded keyword": ("ident", Content(b"$Id: x $\n", b"\n")),
    },
)
def test_content_that_git_would_change_is_refused(repo: Repo, said: str, content: Content) -> None:
    repo.commit({".gitattributes": f"* {said}\n"})
    with pytest.raises(InvalidInput, match="would not store"):
        conversion(repo).expect_stored({"f": content})


def test_where_the_settings_are_known_plain_content_needs_no_process(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.commit({".gitattributes": "*.png binary\n*.py diff=python\n"})
    ours = conversion(repo)
    assert not ours.repository.may_have("core.autocrlf")
    monkeypatch.setenv("PATH", str(tmp_path))
    ours.expect_stored({"f": Content(b"a\n", b"b\n"), "d/g": Content(b"\n")})
