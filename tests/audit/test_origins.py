"""Every line leads to the commit, the entry and the edit that wrote it."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.audit.commits import History
from hkgit.audit.origins import LineOrigin, LineOrigins, blame_file
from hkgit.edits import File
from hkgit.errors import InvalidInput
from hkgit.gate.commit_range import CommitRange, drop_floors
from hkgit.gate.policy.model import Policy
from tests.audit.conftest import TEXT, Trail, ranges
from tests.support.cases import cases
from tests.support.commits import PERSON, Change, applied, commit
from tests.support.objects import open_repository
from tests.support.properties import examples
from tests.support.repos import Repo


def origins(repo: Repo, path: str = "a.txt", rev: str | None = "HEAD") -> list[LineOrigin]:
    repository = open_repository(repo)
    asked = CommitRange(None, repository.resolve(rev or "HEAD"))
    found = LineOrigins(History(repository, asked, drop_floors(Policy())))
    return [found.of(line) for line in blame_file(repository, path, rev)]


def test_each_line_has_its_commit_verdict_and_edit(trail: Trail) -> None:
    names = {commit: name for name, commit in trail.commits.items()}
    found = origins(trail.repo)
    said = [
        (each.line.text.decode(), names[each.line.commit or ""], each.edit and each.edit.id)
        for each in found
    ]
    assert said == [
        ("Title", "two entries", 1),
        ("by an agent", "two entries", 1),
        ("line 1", "start", None),
        ("line 2", "start", None),
        ("three", "two edits", 1),
        ("three b", "two edits", 1),
        ("line 4", "start", None),
        ("line 5", "start", None),
        ("six", "two entries", 1),
        ("line 7", "start", None),
        ("line 8", "start", None),
        ("line 9", "start", None),
        ("ten", "two edits", 2),
        ("line 12", "start", None),
    ]
    assert {(each.kind, each.edit is None) for each in found} == {
        ("strict", False),
        ("by hand", True),
    }
    wrote = {each.line.text: each.entry_id for each in found}
    assert wrote[b"Title"] == wrote[b"by an agent"] != wrote[b"six"]


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_what_is_not_committed_is_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", kind)
    repo = Repo.init(tmp_path / "repo")
    repo.commit({"a.txt": TEXT}, "Begin")
    repo.write("a.txt", TEXT + b"draft\n")
    assert [each.kind for each in origins(repo, rev=None)] == ["by hand"] * 12 + ["uncommitted"]


def test_a_rebased_line_is_found_by_its_text(trail: Trail, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    trail.repo.git("clone", "-q", ".", str(repo.path))
    repo.git("checkout", "-q", "-b", "moved", "start")
    repo.commit({"a.txt": b"preface\n" * 3 + TEXT}, "Preface")
    repo.git("cherry-pick", trail.commits["two edits"])
    wrote = {origin.line.text: origin.edit for origin in origins(repo)}
    [ten, three] = [wrote[b"ten"], wrote[b"three b"]]
    assert (ten and ten.id) == 2
    assert (three and three.id) == 1


ODD_NAMES = ("naïve ü.txt", 'quote"d.txt', " blank .txt", ":(glob)*.txt", "-rf")


def test_odd_names_are_followed_too(repo: Repo) -> None:
    repo.commit(dict.fromkeys(ODD_NAMES, TEXT), "Begin")
    edits = [{"file": name, "old_text": "line 3\n", "new_text": "drei\n"} for name in ODD_NAMES]
    commit(repo, applied(repo, json.dumps({"edits": edits})))
    for name in ODD_NAMES:
        found = origins(repo, name)
        assert [each.line.number for each in found if each.edit is not None] == [3], name


@cases(
    "path, lines",
    {
        "no such file": ("none.txt", None),
        "no such lines": ("a.txt", "50,60"),
        "no lines at all": ("a.txt", "x"),
    },
)
def test_what_is_not_there_is_invalid(trail: Trail, path: str, lines: str | None) -> None:
    with pytest.raises(InvalidInput):
        list(blame_file(open_repository(trail.repo), path, "HEAD", lines))


def test_configuration_does_not_change_the_answer(trail: Trail, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    trail.repo.git("clone", "-q", ".", str(repo.path))
    repo.write(".git/info/attributes", "*.txt diff=upper\n")
    repo.git("config", "diff.upper.textconv", "tr a-z A-Z <")
    repo.write("ignored", f"{trail.commits['two edits']}\n")
    repo.git("config", "blame.ignoreRevsFile", "ignored")
    assert [origin.line for origin in origins(repo)] == [
        origin.line for origin in origins(trail.repo)
    ]


Round = list[tuple[int, int, int]]


@examples(6)
@given(
    rounds=st.lists(
        st.tuples(
            st.booleans(),
            st.lists(
                st.tuples(st.integers(0, 2), st.integers(1, 2), st.integers(0, 3)),
                min_size=1,
                max_size=3,
            ),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_it_agrees_with_who_wrote_the_lines(rounds: list[tuple[bool, Round]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        repo = Repo.init(Path(place) / "repo")
        repo.commit({"a.txt": TEXT}, "Begin")
        lines = [(text, repo.head, None) for text in TEXT.decode().splitlines()]
        wrote: list[tuple[str, str, int | None]] = [*lines]
        for number, (by_agent, edits) in enumerate(rounds):
            wrote = _worked(repo, wrote, edits, number, by_agent=by_agent)
        said = [
            (each.line.text.decode(), each.line.commit, each.edit and each.edit.id)
            for each in origins(repo)
        ]
    assert said == wrote


def _worked(
    repo: Repo,
    wrote: list[tuple[str, str, int | None]],
    edits: Round,
    number: int,
    *,
    by_agent: bool,
) -> list[tuple[str, str, int | None]]:
    """One commit that replaces stretches of lines by new ones, each line unlike any other."""
    spec: list[tuple[int, int, str]] = []
    made: list[tuple[str, str, int | None]] = []
    at = 0
    for edit, (gap, old, new) in enumerate(edits, 1):
        start, end = at + gap, at + gap + old
        if end > len(wrote):
            break
        texts = [f"{number}.{edit}.{each}" for each in range(new)]
        spec.append((start + 1, end, "".join(f"{text}\n" for text in texts)))
        made += [*wrote[at:start], *((text, "", edit if by_agent else None) for text in texts)]
        at = end
    made += wrote[at:]
    if not spec:
        return wrote
    content = "".join(f"{text}\n" for text, _, _ in made).encode()
    by_hand = Change({"a.txt": File(content)}, author=PERSON)
    head = commit(repo, applied(repo, ranges(repo, *spec)) if by_agent else by_hand)
    return [(text, commit_ or head, edit_) for text, commit_, edit_ in made]
