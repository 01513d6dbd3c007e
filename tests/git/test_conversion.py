"""What `git add` stores: the same content, beside git itself."""

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
from tests.support.running import Result, run
from tests.support.specs import protocol

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
        *(
            (None, autocrlf)
            for autocrlf in (None, "true", "input", "false", "1", "True", "Input", "2", "no")
        ),
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


TEXT, RAW = "*.txt text\n", "*.txt -text\n"


@cases(
    "files, then, stores_lf",
    {
        "in the root": ({".gitattributes": TEXT}, "", True),
        "by line ends": ({".gitattributes": "*.txt eol=lf\n"}, "", True),
        "in a directory": ({".gitattributes": RAW, "d/.gitattributes": "f.* text\n"}, "", True),
        "in the repository": (
            {".gitattributes": RAW},
            f"echo '{TEXT}' >.git/info/attributes",
            True,
        ),
        "in a macro": ({".gitattributes": "[attr]prose text -ident\n*.txt prose\n"}, "", True),
        "of the user": (
            {},
            f"echo '{TEXT}' >.git/mine; git config core.attributesFile $PWD/.git/mine",
            True,
        ),
        "in the configuration": (
            {},
            "git config -f .git/more core.autocrlf input; git config include.path $PWD/.git/more",
            True,
        ),
        "in another directory": (
            {".gitattributes": "*.txt diff\n", "d/e/.gitattributes": TEXT},
            "",
            False,
        ),
        "only in the work tree": ({}, f"echo '{TEXT}' >.gitattributes", False),
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


def test_where_the_settings_are_known_plain_content_needs_no_process(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.commit({".gitattributes": "*.png binary\n*.py diff=python\n"})
    ours = conversion(repo)
    assert not ours.repository.may_have("core.autocrlf")
    monkeypatch.setenv("PATH", str(tmp_path))
    ours.expect_stored({"f": Content(b"a\n", b"b\n"), "d/g": Content(b"\n")})


# The commit holds the blob that `git add` would have made after the same edit


Apply = Callable[..., Result]


@pytest.fixture
def apply(repo: Repo) -> Apply:
    """Applies one operation of the protocol to the repository."""

    def applied(**operation: object) -> Result:
        spec = protocol(operation).encode()
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
    apply: Apply,
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
    repo: Repo, apply: Apply, said: str, autocrlf: str | None, tmp_path: Path
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
        "LFS": ("f filter=lfs diff=lfs merge=lfs -text", "filter lfs"),
        "a driver that is not configured here": ("f filter=rot", "filter rot"),
        "an encoding": ("f working-tree-encoding=UTF-16", "UTF-16 in the work tree"),
        "text that is not normalised": ("f text", "would not store"),
        "an expanded keyword": ("f ident", "would not store"),
    },
)
def test_a_file_that_git_stores_otherwise_is_refused(
    repo: Repo, apply: Apply, said: str, named: str
) -> None:
    base = b"1\r\n2\r\n$Id: x $\n"
    head = repo.commit({"f": base})
    repo.write(".git/info/attributes", said + "\n")
    with pytest.raises(InvalidInput, match=named):
        conversion(repo).expect_stored({"a": Content(b""), "f": Content(base + b"3\r\n", base)})
    result = apply(op="replace_text", path="f", old_text="2", new_text="two")
    assert result.code == 4, result.err
    assert named in result.err, result.err
    assert repo.head == head, result.err


def test_a_file_that_git_filters_can_be_renamed_and_removed(repo: Repo, apply: Apply) -> None:
    repo.commit({"f": "1\n", ".gitattributes": "f filter=rot\ng filter=rot\n"})
    assert apply(op="rename_file", path="f", new_path="g").code == 0
    assert apply(op="delete_file", path="g").code == 0
    assert repo.git("ls-tree", "--name-only", "HEAD").splitlines() == [".gitattributes", ".hkgit"]


def test_an_expanded_keyword_is_not_brought_in(repo: Repo, apply: Apply) -> None:
    repo.commit({"f": "1\n$Id$\n", ".gitattributes": "* ident\n"})
    result = apply(op="replace_text", path="f", old_text="1", new_text="$Id: 123 $")
    assert result.code == 4
    assert "$Id$" in result.err


def test_a_mode_and_a_link_stay_what_they_are(repo: Repo, apply: Apply) -> None:
    repo.write("run.sh", "1\n").chmod(0o755)
    (repo.path / "link").symlink_to("run.sh")
    repo.commit()
    assert apply(op="replace_text", path="run.sh", old_text="1", new_text="2").code == 0
    assert repo.git("ls-tree", "HEAD", "run.sh").split()[0] == "100755"
    result = apply(op="replace_text", path="link", old_text="run", new_text="walk")
    assert result.code == 4
    assert "a symbolic link" in result.err
