"""What a push is refused for, it is refused for from wherever it is pushed."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.attacks import test_trust as trust
from tests.attacks.landing import Landing
from tests.attacks.test_contents import MOVES
from tests.support.commands import AGENT, git
from tests.support.planning import replace_range
from tests.support.repos import Repo


def in_a_dirty_tree(made: Landing, refspec: str) -> tuple[bool, str]:
    made.clone.write("app.py", "changed\n")
    made.clone.write("staged.md", "staged\n")
    made.clone.git("add", "staged.md")
    made.clone.write("untracked.md", "untracked\n")
    done = git(made.clone, "push", str(made.server.path), refspec, env=AGENT)
    assert made.clone.git("status", "--porcelain") != ""
    made.clone.git("reset", "-q", "--hard")
    made.clone.git("clean", "-q", "-f")
    return done


def in_a_rebase(made: Landing, refspec: str) -> tuple[bool, str]:
    here = made.clone.git("rev-parse", "--symbolic-full-name", "--abbrev-ref", "HEAD")
    here = made.clone.head if here == "HEAD" else here
    stops = {"GIT_SEQUENCE_EDITOR": "sed -i 1s/pick/edit/"}
    source, _, target = refspec.partition(":")
    refspec = f"{source.replace('HEAD', made.clone.head)}:{target}"
    made.clone.git("rebase", "-q", "-i", "--root", env=stops)
    assert (made.clone.path / ".git/rebase-merge").exists()
    done = git(made.clone, "push", str(made.server.path), refspec, env=AGENT)
    made.clone.git("rebase", "--abort")
    made.clone.git("checkout", "-q", here)
    return done


def in_a_linked_worktree(made: Landing, refspec: str) -> tuple[bool, str]:
    linked = Repo(made.clone.path.parent / "linked")
    if not linked.path.exists():
        made.clone.git("worktree", "add", "-q", "--detach", str(linked.path))
    linked.git("checkout", "-q", "--detach", made.clone.head)
    return git(linked, "push", str(made.server.path), refspec, env=AGENT)


def in_a_shallow_clone(made: Landing, refspec: str) -> tuple[bool, str]:
    folder = made.clone.path.parent
    shallow = Repo.init(folder / f"shallow-{len([*folder.iterdir()])}")
    source, _, target = refspec.partition(":")
    if source:
        commit = made.clone.resolve(source.lstrip("+"))
        origin = made.clone.path.as_uri()
        shallow.git("fetch", "-q", f"--shallow-exclude={trust.START}", origin, commit)
        has_parent = made.clone.git("rev-list", "--count", commit) != "1"
        assert (shallow.path / ".git/shallow").exists() is has_parent
        source = f"+{commit}" if source.startswith("+") else commit
    return git(shallow, "push", str(made.server.path), f"{source}:{target}", env=AGENT)


CIRCUMSTANCES: dict[str, Callable[[Landing, str], tuple[bool, str]]] = {
    "dirty": in_a_dirty_tree,
    "rebase": in_a_rebase,
    "linked": in_a_linked_worktree,
    "shallow": in_a_shallow_clone,
    "SHA-256": Landing.push,
}


def a_direction_control_in_code(folder: Path) -> None:
    old, new = MOVES["from a string into code"]
    made = trust.begin(folder, {trust.CONFIG: "[gate]\n", "moved.py": old})
    edit = replace_range("moved.py", old.encode(), 1, 2, new)
    assert "U+202E" in made.refuse(f"{made.apply(edit, on='main')}:main")


ATTACKS: dict[str, Callable[[Path], None]] = {
    "a policy by a merge": partial(
        trust.test_a_clean_merge_makes_no_policy_that_nobody_has_written, govern="all", env=AGENT
    ),
    "signers by a merge": trust.test_a_merge_of_two_changes_of_the_signers_is_an_agents_decision,
    "a pipeline by a merge": (
        trust.test_a_merge_of_two_changes_of_a_protected_file_is_an_agents_decision
    ),
    "a rotated key": trust.test_a_rewrite_does_not_bring_back_a_rotated_key,
    "a branch made again": (
        trust.test_a_ref_with_a_policy_of_its_own_is_not_deleted_to_be_made_again
    ),
    "HEAD names nothing": (
        trust.test_where_head_names_nothing_the_branch_that_is_there_says_whom_to_trust
    ),
    "moved out and back": trust.test_a_floor_holds_for_what_a_file_meets_on_its_way,
    "carried in by a merge": (trust.test_a_merge_carries_no_loose_edit_to_where_more_is_asked),
    "a broken policy": partial(
        trust.test_what_breaks_the_policy_is_refused_where_it_arrives,
        path=trust.CONFIG,
        text=trust.BROKEN,
    ),
    "a long key": partial(
        trust.test_no_policy_takes_long_to_read, text="a" + ".a" * 40_000 + " = 1\n"
    ),
    "a direction control": a_direction_control_in_code,
}


def shift(by: int) -> list[str]:
    """The circumstances from another one on, so that a sample of the tests meets them all."""
    return [*CIRCUMSTANCES][by % 5 :] + [*CIRCUMSTANCES][: by % 5]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("attack", "circumstance"),
    [(attack, each) for number, attack in enumerate(ATTACKS) for each in shift(number)],
)
def test_no_circumstance_opens_a_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: str, circumstance: str
) -> None:
    if circumstance == "SHA-256":
        monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    monkeypatch.setattr(Landing, "push", CIRCUMSTANCES[circumstance])
    ATTACKS[attack](tmp_path)
