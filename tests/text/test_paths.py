"""Which paths may be in a spec, by the class of attack they belong to."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.errors import InvalidInput
from hkgit.text.paths import check_new_path, check_path, check_tree_path, quote_path
from tests.support.properties import examples
from tests.support.repos import Repo

NEVER = {
    "empty": "",
    "UNC": "//server/share/x",
    "root of the drive": "\\x",
    "parent": "..",
    "parent inside": "a/../b",
    "parent with backslashes": "a\\..\\b",
    "parent with a blank that Windows drops": "a/.. /b",
    "tab": "a\tb",
    "C1 control": "a\x85b",
    "stray surrogate": "a\ud800b",
    "UTF-8 in disguise": "caf\udcc3\udca9",
    "part too long in bytes": "é" * 128,
    # CVE-2014-9390: .git in another case, or with code points that HFS+ ignores
    ".gIt": ".gIt",
    "HFS+ nominal digit shapes": ".git\u206f/x",
    # CVE-2019-1352, CVE-2019-1353, CVE-2014-9390: what NTFS takes for .git
    "NTFS second short name": "GIT~2",
    "NTFS dots and blanks": ".git. . .",
    "NTFS stream": ".git:x",
    "NTFS blank and stream": ".git .:x",
    "NTFS short name and stream": "git~1:x",
    # CVE-2019-1354: backslashes
    "backslash inside": "a\\.git\\hooks",
    "both separators": "a/b\\.GIT./c",
}
"""What no tree may hold, beside the examples of docs/paths.md."""

OURS = (".hkgit", ".hkgit./x", ".hk\u200dgit/x", ".hkgit::$INDEX_ALLOCATION/x")
NOT_PORTABLE = ("aux.c", "Con.txt", "LPT9.x.y", "com².txt", "prn .txt", "src/a:$DATA", "dir./x")
EVERYWHERE = (
    "a src/app.py .gitignore .gitattributes .github/workflows/ci.yml .git-blame-ignore-revs git"
    " git~x sub/.hkgit/x .hkgitignore -rf été/日本.txt ...x a..b auxiliary.c com.py"
)


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


REFUSED = documented("**Always refused**")
HKGIT = [path for path in REFUSED if "hkgit" in path.lower()]
OTHERS = [path for path in REFUSED if path not in HKGIT]


@pytest.mark.parametrize("path", [*OTHERS, *NEVER.values()], ids=ascii)
def test_a_path_that_leads_outside_or_into_git_is_in_no_tree(path: str) -> None:
    with pytest.raises(InvalidInput):
        check_tree_path(path)


@pytest.mark.parametrize("path", [*HKGIT, *OURS], ids=ascii)
def test_a_path_under_hkgits_own_directory_is_never_in_a_spec(path: str) -> None:
    check_tree_path(path)
    with pytest.raises(InvalidInput, match="belongs to hkgit"):
        check_path(path)


@pytest.mark.parametrize("path", [*EVERYWHERE.split(), "a b/ c", "odd\udcff name", "x" * 255])
def test_an_ordinary_path_may_be_made_anew(path: str) -> None:
    check_new_path(path)


@pytest.mark.parametrize("path", [*documented("**Not portable:**"), *NOT_PORTABLE], ids=ascii)
def test_a_name_that_is_not_portable_can_be_edited_but_not_made(path: str) -> None:
    check_path(path)
    with pytest.raises(InvalidInput, match="not portable"):
        check_new_path(path)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0/") | st.sampled_from('\t"\\\udcff\udc80é '),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in (".", "..") and name.lower() != ".git")


@examples(3)
@given(names=st.lists(NAMES, min_size=100, max_size=300))
def test_paths_are_quoted_as_git_quotes_them(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("quoting") / "repo")
    raw = sorted({name.encode("utf-8", "surrogateescape") for name in names})
    tree = b"".join(b"100644 blob %s\t%s\0" % (b"0" * 40, name) for name in raw)
    made = repo.git("mktree", "--missing", "-z", stdin=tree)
    shown = repo.git("ls-tree", "--name-only", made).split("\n")
    assert shown == [quote_path(name.decode("utf-8", "surrogateescape")) for name in raw]
