"""Which paths may stand in a spec, by the class of attack they belong to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.errors import InvalidInput
from hkgit.text.paths import check_new_path, check_path, check_tree_path, quote_path
from tests.support.cases import cases
from tests.support.properties import examples
from tests.support.repos import Repo

NEVER = {
    "empty": "",
    "absolute": "/etc/passwd",
    "drive": "C:/x",
    "drive-relative": "c:x",
    "UNC": "//server/share/x",
    "UNC with backslashes": "\\\\server\\share\\x",
    "root of the drive": "\\x",
    "parent": "..",
    "outside": "../x",
    "outside from inside": "a/../../x",
    "parent inside": "a/../b",
    "parent with backslashes": "a\\..\\b",
    "parent with a blank that Windows drops": "a/.. /b",
    "only dots": "a/.../b",
    "dot": "./a",
    "dot inside": "a/./b",
    "empty part": "a//b",
    "ends in a slash": "a/",
    "NUL": "a\0b",
    "newline": "a\nb",
    "tab": "a\tb",
    "DEL": "a\x7fb",
    "C1 control": "a\x85b",
    "stray surrogate": "a\ud800b",
    "UTF-8 in disguise": "caf\udcc3\udca9",
    "part too long": "n" * 256,
    "part too long in bytes": "é" * 128,
    "path too long": "a/" * 2048 + "b",
    # CVE-2014-9390: .git in another case, or with code points that HFS+ ignores
    ".git itself": ".git",
    ".git/config": ".git/config",
    "nested .git": "sub/.git/hooks/pre-commit",
    ".GIT": ".GIT/config",
    ".gIt": ".gIt",
    "HFS+ zero-width non-joiner": ".g\u200cit/config",
    "HFS+ byte order mark": "\ufeff.git",
    "HFS+ nominal digit shapes": ".git\u206f/x",
    # CVE-2019-1352, CVE-2019-1353, CVE-2014-9390: what NTFS takes for .git
    "NTFS short name": "git~1/config",
    "NTFS second short name": "GIT~2",
    "NTFS trailing dot": ".git./config",
    "NTFS trailing blank": ".git /config",
    "NTFS dots and blanks": ".git. . .",
    "NTFS stream of the directory": ".git::$INDEX_ALLOCATION/config",
    "NTFS stream": ".git:x",
    "NTFS blank and stream": ".git .:x",
    "NTFS short name and stream": "git~1:x",
    # CVE-2019-1354: backslashes
    "backslash": ".git\\config",
    "backslash inside": "a\\.git\\hooks",
    "both separators": "a/b\\.GIT./c",
}

OURS = [
    ".hkgit",
    ".hkgit/config.toml",
    ".HKGIT/ledger/aa",
    ".hkgit./x",
    "hkgit~1/x",
    ".hk\u200dgit/x",
    ".hkgit::$INDEX_ALLOCATION/x",
]

EVERYWHERE = [
    "a",
    "src/app.py",
    ".gitignore",
    ".gitattributes",
    ".github/workflows/ci.yml",
    ".git-blame-ignore-revs",
    "git",
    "git~x",
    "sub/.hkgit/x",
    ".hkgitignore",
    "-rf",
    "a b/ c",
    "été/日本.txt",
    "odd\udcff name",
    "...x",
    "a..b",
    "auxiliary.c",
    "com.py",
    "x" * 255,
]

NOT_PORTABLE = [
    "aux",
    "aux.c",
    "src/NUL",
    "Con.txt",
    "com1",
    "LPT9.x.y",
    "com².txt",
    "conin$",
    "prn .txt",
    "notes:b",
    "src/a:$DATA",
    "a\\b",
    "ends.",
    "ends ",
    "dir./x",
]


def documented(heading: str) -> list[str]:
    """The examples of a table of docs/paths.md, in which escapes and `{...}` are Python's."""
    page = (Path(__file__).parents[2] / "docs" / "paths.md").read_text()
    table = page.split(heading)[1].split("\n\n")[1]
    cells = [row.split(" | ")[1] for row in table.splitlines()[2:]]
    quoted = re.findall("`(.*?)`", " ".join(cell for cell in cells if "beside" not in cell))
    assert len(quoted) > 8
    return [_evaluated(code) for code in quoted]


def _evaluated(code: str) -> str:
    if code.startswith("{"):
        repeated, rest = code[1:].split("}")
        text, times = repeated.split(" * ")
        return text.strip('"') * int(times) + rest
    return code.encode("ascii").decode("unicode_escape")


@pytest.mark.parametrize("path", documented("**Always refused**"), ids=repr)
def test_what_the_documentation_says_is_refused_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput):
        check_path(path)


@pytest.mark.parametrize("path", documented("**Not portable:**"), ids=repr)
def test_what_the_documentation_says_is_not_portable_is_not_made(path: str) -> None:
    check_path(path)
    with pytest.raises(InvalidInput, match="not portable"):
        check_new_path(path)


@cases("path", NEVER)
def test_a_path_that_leads_outside_or_into_git_stands_in_no_tree(path: str) -> None:
    with pytest.raises(InvalidInput):
        check_tree_path(path)


@pytest.mark.parametrize("path", OURS)
def test_a_path_under_hkgits_own_directory_is_never_in_a_spec(path: str) -> None:
    check_tree_path(path)
    with pytest.raises(InvalidInput, match="belongs to hkgit"):
        check_path(path)


@pytest.mark.parametrize("path", EVERYWHERE)
def test_an_ordinary_path_may_be_made_anew(path: str) -> None:
    check_new_path(path)


@pytest.mark.parametrize("path", NOT_PORTABLE)
def test_a_name_that_is_not_portable_can_be_edited_but_not_made(path: str) -> None:
    check_path(path)
    with pytest.raises(InvalidInput, match="not portable"):
        check_new_path(path)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0/") | st.sampled_from('\t"\\\udcff\udc80é '),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in (".", "..") and name.lower() != ".git")


@examples(15)
@given(names=st.lists(NAMES, min_size=1, max_size=30))
def test_paths_are_quoted_as_git_quotes_them(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("quoting") / "repo")
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"")
    raw = {name.encode("utf-8", "surrogateescape") for name in names}
    tree = b"".join(f"100644 blob {blob}\t".encode() + name + b"\0" for name in raw)
    made = repo.git("mktree", "-z", stdin=tree)
    shown = repo.git("ls-tree", "--name-only", made).split("\n")
    expected = sorted(raw)
    assert shown == [quote_path(name.decode("utf-8", "surrogateescape")) for name in expected]
