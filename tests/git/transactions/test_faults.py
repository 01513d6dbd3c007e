"""Killed or failed at any point, a repository is as before or has the whole commit."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.git.transactions.faults import UNCHANGED, Forks
from tests.support.repos import Repo

SPEC = {
    "version": "1",
    "operations": [
        {"op": "replace_text", "path": "a", "old_text": "line 2\n", "new_text": "two\n"},
        {"op": "replace_text", "path": "gone", "old_text": "1\n", "new_text": "2\n"},
        {"op": "rename_file", "path": "gone", "new_path": "come"},
        {"op": "create_file", "path": "new/d", "new_text": "new\n"},
    ],
}
BEFORE = {"a": b"line 1\nline 2\n", "gone": b"1\n", "come": None, "new/d": None}
AFTER = {"a": b"line 1\ntwo\n", "gone": None, "come": b"2\n", "new/d": b"new\n"}
MINE = {"staged": b"mine\n", "unstaged": b"mine\n", "untracked": b"mine\n"}
STATUS = ["M  staged", " M unstaged", "?? untracked"]


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    started = Forks()
    yield started
    started.close()


@dataclass(frozen=True)
class Scene:
    """A directory that is made anew for every run: a repository, and what hkgit is to do in it."""

    directory: Path
    pristine: Path
    repo: Repo
    checkout: Repo
    branch: str = "main"
    options: tuple[str, ...] = ()

    @property
    def tip(self) -> str:
        return self.repo.resolve(self.branch)

    @property
    def temporary(self) -> Path:
        return self.directory / "temporary"

    def renew(self) -> None:
        shutil.rmtree(self.directory)
        shutil.copytree(self.pristine, self.directory, symlinks=True)
        self.checkout.git("update-index", "-q", "--refresh", check=False)

    @property
    def args(self) -> list[str]:
        return ["apply", str(self.directory / "spec.json"), *self.options]

    def inconsistencies(self, tip: str, code: int | None) -> Iterator[str]:
        """What is wrong with the repository; `code` is that of a run that could end by itself."""
        head = self.tip
        has_landed = head != tip
        if has_landed and self.repo.resolve(f"{head}~") != tip:
            yield "the branch is neither old nor new"
        if code is not None and has_landed != (code == 0):
            yield f"it ended with {code}, and the commit has {'' if has_landed else 'not '}landed"
        if code == 70:
            yield "a fault of hkgit itself"
        is_shown = self.checkout.git("symbolic-ref", "--short", "HEAD") == self.branch
        shown = AFTER if has_landed and is_shown else BEFORE
        for path, content in {**shown, **MINE}.items():
            place = self.checkout.path / path
            if (place.read_bytes() if place.exists() else None) != content:
                yield f"{path} is not what it should be"
        if self.checkout.status() != STATUS:
            yield f"status is {self.checkout.status()}"
        try:
            self.repo.git("fsck", "--strict", "--no-dangling")
        except AssertionError as error:
            yield str(error)

    def orphans(self) -> Iterator[str]:
        """What of hkgit's own, and which locks, are still there."""
        git_dir = self.repo.path / ".git"
        for pattern in ("*hkgit*", "*.lock", "tx"):
            yield from (f"{path} was left" for path in git_dir.rglob(pattern))
        yield from (f"{path} was left" for path in self.temporary.iterdir())
        if len(list((git_dir / "worktrees").glob("*"))) != (self.checkout != self.repo):
            yield "a worktree was left"


FILES = {"a": "line 1\nline 2\n", "gone": "1\n", "staged": "1\n", "unstaged": "1\n"}


def on_the_checked_out_branch(directory: Path) -> Scene:
    repo = Repo.init(directory / "repo")
    repo.commit(FILES, "Base")
    return Scene(directory, directory.with_name("pristine"), repo, repo)


def on_another_branch(directory: Path) -> Scene:
    scene = on_the_checked_out_branch(directory)
    scene.repo.git("branch", "topic")
    return replace(scene, branch="topic", options=("--branch", "topic"))


def in_a_linked_worktree_with_hooks(directory: Path) -> Scene:
    scene = on_the_checked_out_branch(directory)
    scene.repo.write_hook("pre-commit", "exit 0")
    scene.repo.write_hook("reference-transaction", "exit 0")
    linked = scene.repo.linked(directory / "linked", "-b", "topic")
    return replace(scene, checkout=linked, branch="topic", options=("--verify", "test -e come"))


SCENES = (on_the_checked_out_branch, on_another_branch, in_a_linked_worktree_with_hooks)


@pytest.fixture
def scene(tmp_path: Path, request: pytest.FixtureRequest) -> Scene:
    """The scene that a test names, with local changes that the commit does not touch."""
    directory = tmp_path / "scene"
    (directory / "temporary").mkdir(parents=True)
    (directory / "spec.json").write_text(json.dumps(SPEC))
    make: Callable[[Path], Scene] = getattr(request, "param", on_the_checked_out_branch)
    made = make(directory)
    for path, content in MINE.items():
        made.checkout.write(path, content)
    made.checkout.git("add", "staged")
    shutil.copytree(directory, made.pristine, symlinks=True)
    return made


def points_of(scene: Scene, forks: Forks) -> list[tuple[int, str]]:
    """Every point of a run without a fault, with its number; see `UNCHANGED`."""
    scene.renew()
    tip = scene.tip
    code, points, said = forks.run(scene.checkout.path, scene.args, scene.temporary, "watch")
    assert code == 0, said
    assert [*scene.inconsistencies(tip, code), *scene.orphans()] == [], said
    return list(enumerate(points))


def repaired(scene: Scene, forks: Forks) -> str:
    """What `hkgit doctor --fix` says, once no process of the transaction runs any more."""
    said = "running"
    while "running" in said:
        _, _, said = forks.run(scene.checkout.path, ["doctor", "--fix"], scene.temporary)
    return said


def injected(scene: Scene, forks: Forks, kind: str, at: int) -> Iterator[str]:
    """What one fault does harm to; then `hkgit doctor --fix` has seen to what it left."""
    scene.renew()
    tip = scene.tip
    code, _, said = forks.run(scene.checkout.path, scene.args, scene.temporary, kind, at)
    if kind == "fail":
        yield from (f"{each}\n{said}" for each in scene.inconsistencies(tip, code))
    repair = repaired(scene, forks)
    found = (*scene.inconsistencies(tip, None), *scene.orphans())
    yield from (f"{each}, repaired\n{said}{repair}" for each in found)


def test_a_git_that_outlives_hkgit_is_not_disturbed(scene: Scene, forks: Forks) -> None:
    processes = [at for at, name in points_of(scene, forks) if "before git " in name]
    found = [
        f"at point {at}: {problem}"
        for at in processes
        for problem in injected(scene, forks, "desert", at)
    ]
    assert found == []
    assert len(processes) >= 6


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("scene", "stride"),
    [
        pytest.param(on_the_checked_out_branch, 16, id="on the checked out branch"),
        pytest.param(on_another_branch, 32, id="on another branch"),
        pytest.param(in_a_linked_worktree_with_hooks, 32, id="in a linked worktree"),
        *(
            pytest.param(make, 1, id=f"{make.__name__}, all", marks=pytest.mark.slow)
            for make in SCENES
        ),
    ],
    indirect=["scene"],
)
def test_killed_at_any_point_it_leaves_old_or_new(scene: Scene, forks: Forks, stride: int) -> None:
    """To die where nothing has changed since the point before is to die there."""
    met = points_of(scene, forks)
    points = [(at, name) for at, name in met if not name.startswith(UNCHANGED)]
    assert len(points) >= 40
    expect_no_harm(scene, forks, "kill", points[::stride])


@pytest.mark.slow
def test_failed_at_any_point_it_leaves_old_or_new(scene: Scene, forks: Forks) -> None:
    points = points_of(scene, forks)
    assert len(points) >= 110
    expect_no_harm(scene, forks, "fail", points)


def expect_no_harm(
    scene: Scene, forks: Forks, kind: str, points: Sequence[tuple[int, str]]
) -> None:
    found = [
        f"at point {at}, {name}: {problem}"
        for at, name in points
        for problem in injected(scene, forks, kind, at)
    ]
    assert found == [], "\n".join(found)
