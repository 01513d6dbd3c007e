"""A merge under way whose conflicts a session resolves: its entries, or why there are none."""

from collections.abc import Callable

import pytest

from hkgit.sessions.placement import without_marks
from tests.sessions.committing import LINES, Work, replacing
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import range_hash
from tests.support.serving import guard
from tests.support.specs import protocol, replace_range

PROVEN = "merge hash receipt"
"""What git merged has its hash, what the session did a receipt."""


def changed(**lines: str) -> str:
    """The file with some lines, named l5 and the like, replaced."""
    text = LINES
    for name, new in lines.items():
        text = text.replace(f"line {name[1:]}\n", f"{new}\n")
    return text


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Branches that disagree on a line of a.py and of b.py, and on nothing else."""
    repo = Repo.init(tmp_path_factory.mktemp("crossing") / "repo")
    repo.commit({"a.py": LINES, "b.py": LINES, "c.py": LINES}, "Begin")
    repo.git("checkout", "-q", "-b", "side")
    side = {"a.py": changed(l5="side", l20="merged"), "b.py": changed(l5="side"), "c.py": "side\n"}
    repo.commit({**side}, "Side")
    repo.git("checkout", "-q", "main")
    repo.commit({"a.py": changed(l5="main"), "b.py": changed(l5="main")}, "Main")
    return repo


def merge(work: Work, style: str = "merge") -> None:
    """A merge that stops at both conflicts; that of b.py stays as main has it."""
    work.repo.git("-c", f"merge.conflictStyle={style}", "merge", "side", check=False)
    work.repo.git("checkout", "--ours", "b.py")


def block(work: Work) -> str:
    """The conflict of a.py with its marks."""
    text = work.repo.read("a.py").decode()
    return text[text.index("<<<<<<<") : text.index("line 6\n")]


def at_once(work: Work) -> None:
    work.edit(block(work), "both\n")


def in_steps(work: Work) -> None:
    """The marks first, then the line between them."""
    whole = block(work)
    work.edit(whole, "main\n")
    work.edit("main\n", "both\n")


def on_our_side(work: Work) -> None:
    """Nothing of the other side but what the session says itself."""
    work.repo.git("checkout", "--ours", "a.py")
    work.edit("main\n", "both\n")
    work.edit("line 20\n", "merged\n")


@pytest.mark.parametrize("style", ["merge", "diff3"])
@cases(
    {
        "at once": (at_once, PROVEN),
        "in steps": (in_steps, PROVEN),
        "on the first parent's file": (on_our_side, "merge receipt"),
    },
)
def test_a_conflict_that_a_session_resolved_has_its_entries(
    resolve: Callable[[Work], None], verdict: str, work: Work, style: str
) -> None:
    merge(work, style)
    resolve(work)
    work.commit(add="-A")
    work.expect_clean(verdict)
    assert work.repo.show("HEAD", "a.py").decode() == changed(l5="both", l20="merged")
    assert work.desk.status().uncommitted == 0


def test_a_hash_in_the_spec_is_evidence_as_well(work: Work) -> None:
    merge(work)
    expected = range_hash(work.repo.read("a.py"), 5, 9)
    spec = protocol(replace_range("a.py", 5, 9, expected, "both"))
    assert work.desk.edit(spec).ok
    work.commit(add="-A")
    assert work.verdict() == "merge hash"


def test_what_is_read_after_a_blind_resolution_is_late(work: Work) -> None:
    merge(work)
    assert work.desk.edit(replacing(block(work), "both\n")).blind
    work.repo.git("add", "-A")
    [said] = work.record()
    mend = "hkgit undo --session task --call 1 && hkgit read :/a.py:5-9 --session task"
    assert said.endswith(f"is blind; fix it: {mend}, then edit again")
    work.desk.read("a.py", 5, 9, before="1")
    work.commit()
    assert work.verdict() == "merge late"


def by_hand_beside(work: Work) -> None:
    work.repo.write("a.py", work.repo.read("a.py") + b"by hand\n")


def by_hand_before(work: Work) -> None:
    """The person's line lies in what the session found."""
    work.desk.undo()
    by_hand_beside(work)
    at_once(work)


def another_file(work: Work) -> None:
    work.repo.write("c.py", "by hand\n")


def another_conflict(work: Work) -> None:
    work.repo.write("b.py", "by hand\n")


@pytest.mark.parametrize(
    "disturb", [by_hand_beside, by_hand_before, another_file, another_conflict]
)
def test_what_is_not_all_the_sessions_is_not_recorded_and_the_way_is_named(
    work: Work, disturb: Callable[[Work], None]
) -> None:
    merge(work)
    at_once(work)
    disturb(work)
    work.repo.git("add", "-A")
    before = work.repo.git("ls-files", "--stage")
    said = work.record()
    assert said[0].startswith("the merge is not recorded")
    assert "apply --merge" in said[1]
    assert work.repo.git("ls-files", "--stage") == before


def test_a_merge_that_no_session_touched_is_nobodys_business(work: Work) -> None:
    merge(work)
    work.desk.read("a.py")
    work.repo.write("a.py", "by hand\n")
    work.repo.git("add", "-A")
    assert work.record() == ()


def test_with_the_hooks_the_message_names_the_one_entry(work: Work) -> None:
    guard(work.repo)
    merge(work)
    at_once(work)
    work.repo.git("add", "-A")
    work.commit_with_hooks("-m", "Merge side")
    assert work.verdict() == PROVEN
    assert sum(line.startswith("Hkgit-Entry: ") for line in work.message) == 1
    assert work.message[0] == "Merge side"


@cases(
    {
        "two sides": (b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n3\n", b"1\n3\n"),
        "with the base": (b"<<<<<<< a\n1\n||||||| o\n0\n=======\n2\n>>>>>>> b\n", b"1\n"),
        "nothing on our side": (b"<<<<<<< a\n=======\n2\n>>>>>>> b\n", b""),
        "carriage returns": (b"<<<<<<< a\r\n1\r\n=======\r\n2\r\n>>>>>>> b\r\n", b"1\r\n"),
        "no conflict": (b"Title\n=======\n", b"Title\n=======\n"),
    },
)
def test_a_file_without_marks_is_the_first_parents_side(marked: bytes, plain: bytes) -> None:
    assert without_marks(marked * 2) == plain * 2
