"""`hkgit apply --merge`: one commit that merges a branch and resolves its conflicts."""

from pathlib import Path

import pytest

from hkgit.dialects import parse
from hkgit.errors import InvalidInput
from hkgit.gate.entrypoints.hook_scripts import HOOKS
from hkgit.workflows.setup import install
from hkgit.workflows.target import ApplyRequest, find_target
from tests.support.cases import cases
from tests.support.commands import AGENT, git, hkgit
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench, range_hash
from tests.support.specs import protocol, replace_range

LINES = "".join(f"line {number}\n" for number in range(1, 21)).encode()
POLICY = "[gate]\ngovern = '{}'\n"


def lines(repo: Repo, path: str, number: int, text: str, rev: str = "main") -> dict[str, object]:
    """An edit of one line, with the hash of what a branch has there."""
    expected = range_hash(repo.show(rev, path), number, number)
    return replace_range(path, number, number, expected, text)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Branches with evidence that disagree on a line of a.txt and of b.txt, and nowhere else."""
    repo = Repo.init(tmp_path_factory.mktemp("crossing") / "repo")
    repo.commit({"a.txt": LINES, "b.txt": LINES, "c.txt": LINES}, "Begin")
    repo.commit({".hkgit/config.toml": POLICY.format("all")}, "Govern all")
    side = [lines(repo, path, 5, "side") for path in ("a.txt", "b.txt", "c.txt")]
    side.append(lines(repo, "a.txt", 15, "from the side"))
    main = [lines(repo, path, 5, "main") for path in ("a.txt", "b.txt")]
    repo.git("tag", "start")
    hkgit(repo, "apply", "-", "--branch", "side", stdin=protocol(*side))
    hkgit(repo, "apply", "-", stdin=protocol(*main))
    repo.git("branch", "easy", "start")
    easy = protocol(lines(repo, "c.txt", 9, "easy", "start"))
    hkgit(repo, "apply", "-", "--branch", "easy", stdin=easy)
    return repo


@pytest.fixture
def bench(template: Repo, tmp_path: Path) -> Bench:
    return make_bench(template.copy(tmp_path / "repo"), tmp_path)


def resolution(repo: Repo) -> str:
    """Both sides in a.txt, line by line, against what main has."""
    edits = lines(repo, "a.txt", 5, "both"), lines(repo, "a.txt", 15, "from the side")
    return protocol(*edits, agent="codex/1")


@pytest.fixture(scope="module")
def landed(template: Repo, tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, str]:
    """The same with side merged into main, and what was said meanwhile."""
    place = tmp_path_factory.mktemp("landed")
    bench = make_bench(template.copy(place / "repo"), place)
    result = bench.apply(resolution(bench.repo), "--merge", "side")
    assert result.code == 0, result.err
    return bench, result.err


def test_the_commit_is_gits_merge_with_conflicts_as_the_edits_make_them(
    landed: tuple[Bench, str], template: Repo
) -> None:
    repo, ours, theirs = landed[0].repo, template.head, template.resolve("side")
    assert repo.git("log", "-1", "--format=%P|%s") == f"{ours} {theirs}|Merge side"
    made = LINES.replace(b"line 5\n", b"both\n").replace(b"line 15\n", b"from the side\n")
    assert repo.show("HEAD", "a.txt") == made
    assert repo.show("HEAD", "b.txt") == repo.show(ours, "b.txt")
    assert repo.read("c.txt") == repo.show("HEAD", "c.txt") == repo.show(theirs, "c.txt")
    assert repo.status() == []


def test_it_says_path_by_path_what_becomes_of_conflicts(landed: tuple[Bench, str]) -> None:
    assert landed[1].splitlines() == [
        "hkgit: note: a.txt: in conflict, resolved by the edits; it lacks 1 line of side",
        "hkgit: warning: b.txt: in conflict, stays as in the first parent; it lacks 1 line of side",
    ]


def test_blame_and_show_name_what_resolved_a_line(landed: tuple[Bench, str]) -> None:
    [_, line] = landed[0].run("blame", "a.txt", "-L", "5,5").out.splitlines()
    assert "merge" in line
    assert "codex/1" in line
    assert "with its conflicts as the entries resolve them" in landed[0].run("show").out


def test_a_dry_run_shows_the_same_and_leaves_nothing(bench: Bench) -> None:
    with bench.untouched():
        result = bench.apply(resolution(bench.repo), "--merge", "side", "--dry-run", "--json")
    side = bench.repo.resolve("side")
    conflicts = {"a.txt": "resolved", "b.txt": "kept"}
    assert result.json()["merge"] == {"commit": side, "conflicts": conflicts}


def test_it_lands_on_a_branch_that_is_not_checked_out(bench: Bench) -> None:
    bench.repo.git("checkout", "-q", "--detach")
    result = bench.apply(resolution(bench.repo), "--merge", "side", "--branch", "main")
    assert result.code == 0
    assert bench.run("verify", "start..main").code == 0


def test_a_branch_that_moved_meanwhile_is_merged_again(bench: Bench) -> None:
    once = f"test -e {bench.scratch}/it || git -C {bench.repo.path} commit -q --allow-empty -m Go"
    command = f"{once}; touch {bench.scratch}/it; grep -q both a.txt"
    result = bench.apply(resolution(bench.repo), "--merge", "side", "--verify", command)
    assert result.code == 0, result.err
    assert "planned again" in result.err, result.err
    assert bench.repo.git("log", "-1", "--format=%s", "HEAD^1") == "Go"


def test_a_file_that_one_side_removed_stays_removed(bench: Bench) -> None:
    bench.repo.commit({"c.txt": None}, "Remove")
    assert bench.apply(resolution(bench.repo), "--merge", "side").code == 0
    assert bench.repo.git("ls-tree", "HEAD", "c.txt") == ""
    assert bench.repo.status() == []
    assert bench.run("verify", "HEAD^1..HEAD").code == 0


@cases({"resolved": ("a.txt", 0), "beside the conflicts": ("c.txt", 7)})
def test_what_a_hook_changes_is_accepted_in_conflicted_paths(
    path: str, code: int, bench: Bench
) -> None:
    bench.repo.write_hook("pre-commit", f"sed -i 's/^line 1$/one/' {path}; git add {path}")
    options = ("--merge", "side", "--accept-hook-changes")
    result = bench.apply(resolution(bench.repo), *options)
    assert result.code == code
    assert ("nothing but conflicted paths" in result.err) == (code == 7)
    assert bench.run("verify", "start..HEAD").code == 0


# Refusals


AHEAD = "git checkout -q -b ahead; git commit -q --allow-empty -m Ahead; git checkout -q main"
ALONE = "git checkout -q --orphan alone; git commit -q -m Alone; git checkout -q main"
ASIDE = """\
echo file >d; git add d; git commit -qm File; git checkout -q -b aside HEAD~
mkdir d; echo inner >d/inner; git add d; git commit -qm Folder; git checkout -q main
"""


@cases(
    {
        "merged already": (":", "start", "merged into main already"),
        "no conflict": (":", "easy", "git merge easy"),
        "no such revision": (":", "nowhere", "is not a commit"),
        "a fast-forward": (AHEAD, "ahead", "git merge --ff-only ahead"),
        "unrelated histories": (ALONE, "alone", "no history in common"),
        "a file and a directory": (ASIDE, "aside", "have the same name"),
    },
)
def test_what_no_spec_can_resolve_is_refused(
    prepare: str, rev: str, words: str, bench: Bench
) -> None:
    bench.sh(prepare)
    with pytest.raises(InvalidInput, match=words):
        find_target(open_repository(bench.repo), ApplyRequest(merge=rev))


def test_an_edit_beside_the_conflicts_is_refused(bench: Bench) -> None:
    spec = protocol(lines(bench.repo, "a.txt", 5, "both"), lines(bench.repo, "c.txt", 5, "evil"))
    result = bench.expect_refusal(4, "(in conflict: a.txt, b.txt)", spec, "--merge", "side")
    assert result.err.startswith("hkgit: edit 2: c.txt: is not in conflict")


def test_a_merge_of_more_than_two_is_wrong_usage(bench: Bench) -> None:
    both = ("--merge", "side", "--merge", "easy")
    bench.expect_refusal(64, "merge them one by one", resolution(bench.repo), *both)


def test_one_merge_is_one_commit_of_one_spec(bench: Bench) -> None:
    spec = parse(resolution(bench.repo))
    with pytest.raises(InvalidInput, match="needs one spec"):
        find_target(open_repository(bench.repo), ApplyRequest((spec, spec), merge="side"))


def test_a_hook_that_refuses_leaves_nothing(bench: Bench) -> None:
    bench.repo.write_hook("pre-commit", "git rev-parse -q --verify MERGE_HEAD && exit 1")
    bench.expect_refusal(7, "pre-commit", resolution(bench.repo), "--merge", "side")


def test_in_the_middle_of_a_merge_the_refusal_names_the_way(bench: Bench) -> None:
    bench.repo.git("merge", "side", check=False)
    spec = resolution(bench.repo)
    result = bench.expect_refusal(7, "git merge --abort", spec, "--merge", "side")
    assert "hkgit apply --merge" in result.err


def test_an_edit_of_the_marks_of_a_conflict_is_shown_the_way(bench: Bench) -> None:
    bench.repo.git("merge", "side", check=False)
    result = bench.run("apply", "--file", "a.txt", "--old", "<<<<<<< HEAD", "--new", "")
    assert result.code == 1
    assert "hkgit apply --merge REV SPEC" in result.err


# Judged


def test_the_installed_hooks_let_it_pass(bench: Bench) -> None:
    install(open_repository(bench.repo), HOOKS)
    spec = resolution(bench.repo)
    hkgit(bench.repo, "apply", "-", "--merge", "side", stdin=spec, env=AGENT)
    assert bench.repo.git("rev-list", "--no-walk", "--parents", "HEAD").count(" ") == 2


def tampered(repo: Repo) -> dict[str, str]:
    """Commits like HEAD with a byte more, without a file or the records of the other side."""
    listed = repo.git("diff", "--name-only", "start", "side", "--", ".hkgit/ledger").splitlines()
    changes: dict[str, dict[str, str | bytes | None]] = {
        "smuggled": {"a.txt": repo.read("a.txt") + b"#"},
        "dropped": {"c.txt": LINES},
        "forgotten": dict.fromkeys(listed),
    }
    made, found = repo.head, {}
    for name, files in changes.items():
        found[name] = repo.commit(files, "Merge", "--amend")
        repo.git("reset", "-q", "--hard", made)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("govern", ["agents", "all"])
def test_a_server_takes_it_only_as_it_was_made(bench: Bench, govern: str) -> None:
    bench.repo.commit({".hkgit/config.toml": POLICY.format(govern)}, "Govern")
    server = Repo.init(bench.scratch / "server.git", bare=True)
    bench.repo.git("push", "-q", str(server.path), "main")
    hkgit(server, "init", "--server")
    assert bench.apply(resolution(bench.repo), "--merge", "side").code == 0
    commits = tampered(bench.repo) | {"as made": bench.repo.head}
    taken = {
        name: git(bench.repo, "push", str(server.path), f"{commit}:main")[0]
        for name, commit in commits.items()
    }
    assert [name for name, done in taken.items() if done] == ["as made"]
