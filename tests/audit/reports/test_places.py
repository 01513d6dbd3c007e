"""Where findings stand: on the lines of the newest commit, with fingerprints that last."""

from __future__ import annotations

from pathlib import Path

from hkgit.audit.reports.findings import SourcePlace
from tests.audit.reports.conftest import ODD, History, judged
from tests.support.cases import cases
from tests.support.repos import Repo


@cases(
    "name, place, text",
    {
        "lines moved down": ("blind edit", SourcePlace("app.py", 7, 7), b"line five"),
        "a smuggled byte": ("smuggled", SourcePlace("app.py", 20, 20), b"line eighteen"),
        "first line changed": ("blind commit", SourcePlace("notes.md", 3, 3), b"three"),
        "an odd name": ("hostile", SourcePlace(ODD, 1, 1), b"y"),
    },
)
def test_a_finding_stands_on_the_lines_that_it_speaks_of(
    history: History, name: str, place: SourcePlace, text: bytes
) -> None:
    [item] = history.items(name)
    assert item.place == place
    assert place.start_line is not None
    assert history.repo.read(place.path).splitlines()[place.start_line - 1] == text


def test_a_file_that_is_gone_has_no_lines(history: History) -> None:
    assert [item.place for item in history.items("removed")] == [SourcePlace("gone.md")]


def test_fingerprints_survive_that_lines_move_and_tell_findings_apart(history: History) -> None:
    before = judged(history.repo, "start", history.commits["removed"])
    fingerprints = [item.fingerprint for item in history.sheet.items]
    assert [item.fingerprint for item in before.items] == fingerprints
    assert before.items[0].place != history.sheet.items[0].place
    assert len(set(fingerprints)) == len(fingerprints) == 5


def test_fingerprints_survive_a_rebase(history: History, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    history.repo.git("clone", "-q", ".", str(repo.path))
    repo.git("checkout", "-q", "-b", "moved", history.repo.resolve("start"))
    repo.commit({"notes.md": "zero\none\ntwo\n"}, "Move the base")
    repo.git("cherry-pick", history.commits["blind commit"])
    [moved] = judged(repo, "HEAD^").items
    [before] = history.items("blind commit")
    assert moved.fingerprint == before.fingerprint
    assert moved.place == SourcePlace("notes.md", 4, 4)
