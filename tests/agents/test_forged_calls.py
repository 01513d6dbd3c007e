"""What hooks are told is checked with the files: no call takes what it does not explain."""

from pathlib import Path

import pytest

from tests.agents.streaming import Talk, statuses
from tests.support.cases import cases
from tests.support.repos import Repo

TEXT = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"
NEW = TEXT.replace("c = 3", "c = 30")
EDIT = {"old_string": "c = 3", "new_string": "c = 30"}


@pytest.fixture
def seeded(repo: Repo) -> Repo:
    repo.commit({"x.py": TEXT.encode()})
    return repo


def _tell(repo: Repo, tool: str, stage: str, answer: object = None, **given: object) -> None:
    Talk(repo.path).tell(stage, tool, answer, **{"file_path": str(repo.path / "x.py")} | given)


def _read(repo: Repo, text: str = TEXT, **given: object) -> None:
    Talk(repo.path).read("x.py", text, **given)


def _known(repo: Repo) -> list[tuple[int | None, int | None]]:
    receipts = [each for status in statuses(repo) for each in status.receipts]
    return [(each.start_line, each.end_line) for each in receipts]


def _recorded(repo: Repo) -> list[tuple[int, int]]:
    """Of each call that was recorded, its edits and those that are blind."""
    calls = [each for status in statuses(repo) for each in status.calls]
    return [(each.edits, each.blind) for each in calls]


@cases(
    "stands, answer, known",
    {
        "lines that no file has": (TEXT, "forged = 1\n", []),
        "fewer lines than are claimed": (TEXT, "a = 1\n", [(1, 1)]),
        "a file replaced": (TEXT.replace("c = 3", "c"), TEXT, [(1, 2), (4, 5)]),
    },
)
def test_a_reading_counts_as_far_as_the_file_says_it(
    stands: str, answer: str, known: list[tuple[int, int]], seeded: Repo
) -> None:
    seeded.write("x.py", stands.encode())
    _read(seeded, answer)
    assert _known(seeded) == known


def test_an_edit_told_by_hand_afterwards_is_blind(seeded: Repo) -> None:
    """Nobody told of it before, and nobody has read: what a person wrote becomes no evidence."""
    seeded.write("x.py", NEW.encode())
    _tell(seeded, "Edit", "after", **EDIT)
    assert _recorded(seeded) == [(1, 1)]


@pytest.mark.parametrize("stands", [TEXT, NEW.replace("a = 1", "a = 0"), "c = 30\n"])
def test_an_edit_told_by_hand_that_is_not_what_was_done(stands: str, seeded: Repo) -> None:
    _read(seeded)
    seeded.write("x.py", stands.encode())
    _tell(seeded, "Edit", "after", **EDIT)
    assert _recorded(seeded) == []


def test_a_notebook_that_another_call_has_put_aside(seeded: Repo) -> None:
    """Its tool does not say what it did: without a copy for this very call nothing is taken."""
    _read(seeded)
    _tell(seeded, "Edit", "before", old_string="nowhere", new_string="there")
    seeded.write("x.py", NEW.encode())
    path = str(seeded.path / "x.py")
    _tell(seeded, "NotebookEdit", "after", notebook_path=path)
    assert _recorded(seeded) == []


@pytest.mark.parametrize("name", ["link/x.py", "x-link.py", "../out/x.py", ".git/config"])
def test_a_path_that_leads_elsewhere(name: str, seeded: Repo, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.py").write_text(TEXT)
    (seeded.path / "link").symlink_to(tmp_path / "out")
    (seeded.path / "x-link.py").symlink_to(tmp_path / "out" / "x.py")
    given = EDIT | {"file_path": str(seeded.path / name)}
    _read(seeded, file_path=given["file_path"])
    _tell(seeded, "Edit", "before", **given)
    (tmp_path / "out" / "x.py").write_text(NEW)
    _tell(seeded, "Edit", "after", **given)
    assert (_known(seeded), _recorded(seeded)) == ([], [])


def test_a_file_that_became_a_link_meanwhile(seeded: Repo, tmp_path: Path) -> None:
    _read(seeded)
    _tell(seeded, "Edit", "before", **EDIT)
    (tmp_path / "x.py").write_text(NEW)
    (seeded.path / "x.py").unlink()
    (seeded.path / "x.py").symlink_to(tmp_path / "x.py")
    _tell(seeded, "Edit", "after", **EDIT)
    assert _recorded(seeded) == []
