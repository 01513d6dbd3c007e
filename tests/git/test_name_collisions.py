"""A spec brings no name beside one that some file system takes for the same."""

from collections.abc import Mapping

import pytest

from hkgit.edits import File
from hkgit.errors import InvalidInput
from hkgit.git.attributes import expect_no_collisions
from hkgit.text.paths import fold_name
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.specs import protocol

NEW = File(b"")


@pytest.fixture
def based(repo: Repo) -> Repo:
    repo.commit({"README": "1\n", "Src/a.py": "1\n", "Src/b.py": "1\n", "caf\u00e9": "1\n"})
    return repo


def check(repo: Repo, changed: Mapping[str, File | None]) -> None:
    expect_no_collisions(open_repository(repo).snapshot("HEAD"), changed)


@cases(
    "changed",
    {
        "case": {"readme": NEW},
        "case of a directory beside a file": {"Readme/x": NEW},
        "case of a directory": {"src/c.py": NEW},
        "case below a directory": {"Src/A.PY": NEW},
        "normal form": {"cafe\u0301": NEW},
        "both": {"CAFE\u0301": NEW},
        "what HFS+ leaves out": {"READ\u200dME": NEW},
        "two new ones": {"new": NEW, "NEW": NEW},
        "two new directories": {"n/x": NEW, "N/y": NEW},
        "the sign of \u00c5ngstr\u00f6m": {"\u212b": NEW, "\u00e5": NEW},
        "out of a directory that stays": {"Src/a.py": None, "src/a.py": NEW},
    },
)
def test_a_twin_is_refused(based: Repo, changed: dict[str, File | None]) -> None:
    with pytest.raises(InvalidInput, match="is the same name as"):
        check(based, changed)


@cases(
    "changed",
    {
        "a file that is there": {"README": NEW},
        "a file that changes its case": {"README": None, "readme": NEW},
        "a directory that changes its case": {
            "Src/a.py": None,
            "Src/b.py": None,
            "src/a.py": NEW,
            "src/b.py": NEW,
        },
        "the name in another directory": {"Src/readme": NEW},
        "other names": {"readme2": NEW, "cafe": NEW},
        "a removal": {"README": None},
    },
)
def test_what_is_no_twin_may_come(based: Repo, changed: dict[str, File | None]) -> None:
    check(based, changed)


def test_twins_that_are_there_can_be_edited(repo: Repo) -> None:
    repo.commit({"a": "1\n", "A": "1\n"})
    check(repo, {"a": NEW, "A": NEW, "b": NEW})


def test_only_directories_with_new_names_are_read(based: Repo) -> None:
    based.loose("HEAD:Src").unlink()
    check(based, {"new": NEW})


@cases(
    "name, other",
    {
        "case": ("a", "A"),
        "composed and decomposed": ("\u00e9", "e\u0301"),
        "a dotted capital I": ("\u0130", "i\u0307"),
        "a final sigma": ("\u03c3", "\u03c2"),
        "a capital sharp s": ("\u1e9e", "\u00df"),
        "a ligature": ("\ufb01", "FI"),
    },
)
def test_names_that_collide_have_one_folded_name(name: str, other: str) -> None:
    assert fold_name(name) == fold_name(other)


@pytest.mark.parametrize("name", ["caf\udce9", "\udcff\udcfe", "\U0001f600"])
def test_odd_names_can_be_folded(name: str) -> None:
    assert fold_name(name) == name


def test_apply_refuses_a_twin_and_a_series_that_makes_one(based: Repo) -> None:
    head = based.head
    specs = [based.path.parent / f"{name}.json" for name in ("new", "NEW")]
    for spec in specs:
        spec.write_text(protocol({"op": "create_file", "path": spec.stem, "new_text": "x\n"}))
    result = run("apply", *specs, cwd=based.path)
    assert result.code == 4
    assert based.head == head
    assert "is the same name as new" in result.err
