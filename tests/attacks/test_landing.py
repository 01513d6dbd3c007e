"""Attacks on what a ref has, through merges that call another parent first, by real pushes."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from hkgit.text.document import Document
from tests.support.commands import AGENT, git, hkgit
from tests.support.commits import applied, commit_tree, message_of, tree_of
from tests.support.planning import Operation, protocol
from tests.support.planning import replace_range as replaced
from tests.support.repos import Repo
from tests.support.serving import preload_hooks

ATTRIBUTES = "ledger/** -text -filter -diff -merge linguist-generated\n"
AUTH = "def check(u):\n    return verify(u)\n"
NUMBERS = "".join(f"{number}\n" for number in range(1, 61))


@dataclass
class Landing:
    """A server with a policy and the clone of an agent who pushes to it."""

    clone: Repo
    server: Repo

    @classmethod
    @cache
    def template(cls, govern: str) -> Landing:
        """One that nobody pushes to, to be copied."""
        folder = Path(tempfile.mkdtemp(dir=os.environ["HOME"]))
        clone = Repo.init(folder / "clone")
        files = {"auth.py": AUTH, "README": "hello\nworld\n", "f": NUMBERS}
        config = f'[gate]\ngovern = "{govern}"\nrewrites = "refuse"\naccept = ["hash"]\n'
        own = {".hkgit/config.toml": config, ".hkgit/.gitattributes": ATTRIBUTES}
        clone.commit({**files, **own}, "Begin")
        server = Repo.init(folder / "server.git", bare=True)
        clone.git("push", "-q", str(server.path), "main")
        hkgit(server, "init", "--server")
        preload_hooks(server)
        return cls(clone, server)

    @classmethod
    def at(cls, folder: Path, govern: str) -> Landing:
        template = cls.template(govern)
        landing = cls(Repo(folder / "clone"), Repo(folder / "server.git"))
        shutil.copytree(template.clone.path, landing.clone.path)
        shutil.copytree(template.server.path, landing.server.path)
        return landing

    def create(self, path: str, text: str, *, on: str) -> str:
        return self.apply({"op": "create_file", "path": path, "new_text": text}, on=on)

    def edit(self, path: str, *lines: tuple[int, str], on: str) -> str:
        data = self.clone.show(on, path)
        return self.apply(*(replaced(path, data, n, n, text) for n, text in lines), on=on)

    def apply(self, *operations: Operation, on: str) -> str:
        """The commit that hkgit makes of operations on a commit, checked out as `work`."""
        parent = self.clone.resolve(on)
        change = replace(applied(self.clone, protocol(*operations), on=parent), parents=(parent,))
        tree = tree_of(self.clone, change)
        made = commit_tree(self.clone, tree, change.parents, message_of(change), change.author)
        self.clone.git("checkout", "-q", "-B", "work", made)
        return made

    def resolve(self, first: str, second: str, *lines: tuple[int, str]) -> str:
        """The merge that hkgit makes with edits for what conflicts, checked out as `work`."""
        data = self.clone.show(first, "f")
        operations = [replaced("f", data, n, n, text) for n, text in lines]
        self.clone.git("checkout", "-q", "-B", "work", first)
        spec = json.dumps({"version": "1", "operations": operations})
        hkgit(self.clone, "apply", "-q", "--merge", second, "-", stdin=spec, env=AGENT)
        return self.clone.head

    def commit(self, tree: str, *parents: str) -> str:
        named = [word for parent in parents for word in ("-p", parent)]
        return self.clone.git("commit-tree", tree, *named, "-m", "Merge", env=AGENT)

    def merge(self, *parents: str) -> str:
        """The merge that git makes by itself."""
        options = ("--write-tree", "--allow-unrelated-histories")
        return self.commit(self.clone.git("merge-tree", *options, *parents), *parents)

    def overlaid(self, below: str, *above: str) -> str:
        """The tree of a commit, with the files of others over it."""
        index = {"GIT_INDEX_FILE": str(self.clone.path / ".git" / "overlay")}
        self.clone.git("read-tree", below, env=index)
        for each in above:
            listed = self.clone.git_bytes("ls-tree", "-r", each)
            self.clone.git("update-index", "--index-info", stdin=listed, env=index)
        return self.clone.git("write-tree", env=index)

    def root(self) -> str:
        """A first commit that holds nothing."""
        return self.commit("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

    def land(self, commit: str) -> str:
        """Make a commit the server's main without asking the server."""
        self.server.git("fetch", "-q", str(self.clone.path), f"+{commit}:refs/heads/main")
        return commit

    def push(self, refspec: str) -> tuple[bool, str]:
        return git(self.clone, "push", str(self.server.path), refspec, env=AGENT)


@pytest.fixture(params=["agents", "all"])
def landing(request: pytest.FixtureRequest, tmp_path: Path) -> Landing:
    return Landing.at(tmp_path, request.param)


@pytest.fixture
def strict(tmp_path: Path) -> Landing:
    return Landing.at(tmp_path, "all")


def of_a_root(landing: Landing, *, main_first: bool = False) -> str:
    """A root makes the file, an edit of another file makes the merge one with an entry."""
    made = landing.create("auth.py", "def check(u): return True\n", on=landing.root())
    made = landing.create("README", "x\ny\n", on=made)
    last = landing.edit("README", (1, "hello"), on=made)
    tree = landing.overlaid("main", last)
    return landing.commit(tree, *(("main", made) if main_first else (made, "main")))


def of_a_root_with_main_first(landing: Landing) -> str:
    return of_a_root(landing, main_first=True)


def of_a_whole_file(landing: Landing) -> str:
    """The entry of the merge says every line, with the hash of what the root has made."""
    made = landing.create("auth.py", "def check(u): return False\n", on=landing.root())
    last = landing.edit("auth.py", (1, "def check(u): return True"), on=made)
    return landing.commit(landing.overlaid("main", last), made, "main")


def below_another_merge(landing: Landing) -> str:
    """The side takes the older main in before the newer one, which then merges by itself."""
    side = of_a_root(landing)
    newer = landing.edit("f", (50, "fifty"), on="main")
    landing.land(newer)
    return landing.merge(newer, side)


def of_a_side_from_before_the_file(landing: Landing) -> str:
    """No new root: the side leaves main where the file was not yet, or was another."""
    old = landing.clone.git("rev-parse", "main")
    newer = landing.create("new.py", AUTH, on=old)
    landing.land(newer)
    made = landing.create("new.py", "def check(u): return False\n", on=old)
    last = landing.edit("new.py", (1, "def check(u): return True"), on=made)
    return landing.commit(landing.overlaid(newer, last), made, newer)


def of_what_was_a_line(landing: Landing) -> str:
    """The side knows the one line that the file had, and main has written it since."""
    old = landing.create("new.py", "pass\n", on="main")
    newer = landing.edit("new.py", (1, AUTH.rstrip("\n")), on=old)
    landing.land(newer)
    made = landing.edit("new.py", (1, "def check(u): return False"), on=old)
    last = landing.edit("new.py", (1, "def check(u): return True"), on=made)
    return landing.commit(landing.overlaid(newer, last), made, newer)


def from_a_strange_base(landing: Landing) -> str:
    """What the root has as well is kept out once, and then merged from there by itself."""
    made = landing.create("f", "10\n11\n12\n13\n14\n", on=landing.root())
    made = landing.create("README", "x\ny\n", on=made)
    last = landing.edit("README", (1, "hello"), on=made)
    text = landing.overlaid("main", last)
    kept = landing.commit(landing.overlaid(text, "main"), "main", made)
    return landing.merge(kept, landing.edit("f", (3, "evil"), on=made))


def by_an_undone_merge(landing: Landing) -> str:
    """A merge with a root that holds nothing, taken back as if main had been brought by it."""
    made = landing.merge(landing.root(), "main")
    text = f"Revert\n\nThis reverts commit {made}, reversing\nchanges made to {made}^1.\n"
    named = landing.clone.git("rev-parse", f"{made}^1")
    text = text.replace(f"{made}^1", named)
    tree = landing.clone.git("rev-parse", f"{named}^{{tree}}")
    return landing.clone.git("commit-tree", tree, "-p", made, "-m", text, env=AGENT)


def of_a_file_that_was_there(landing: Landing) -> str:
    """What main has taken out comes back from a history of its own."""
    gone = landing.apply(
        {
            "op": "delete_file",
            "path": "auth.py",
            "expected_hash": Document(AUTH.encode()).range_hash(1, 2),
        },
        on="main",
    )
    landing.land(gone)
    return landing.merge(gone, landing.create("auth.py", "evil\n", on=landing.root()))


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(of_a_root, id="of a root"),
        pytest.param(of_a_root_with_main_first, id="of a root, with main first"),
        pytest.param(of_a_whole_file, id="of a whole file"),
        pytest.param(below_another_merge, id="below another merge"),
        pytest.param(of_a_side_from_before_the_file, id="of a side from before the file"),
        pytest.param(of_what_was_a_line, id="of what was a line"),
        pytest.param(from_a_strange_base, id="from a strange base"),
        pytest.param(by_an_undone_merge, id="by an undone merge"),
        pytest.param(of_a_file_that_was_there, id="of a file that was there"),
    ],
)
def test_a_file_is_not_overwritten_by_evidence_out_of_nothing(
    strict: Landing, attack: Callable[[Landing], str]
) -> None:
    made = attack(strict)
    done, said = strict.push(f"{made}:main")
    assert not done, said
    assert "FAIL" in said


def test_the_gate_of_agents_takes_no_evidence_out_of_nothing(landing: Landing) -> None:
    assert not landing.push(f"{of_a_root(landing)}:main")[0]


@pytest.mark.parametrize("is_first", [True, False], ids=["main second", "main first"])
def test_an_unrelated_history_may_bring_files_that_a_ref_never_had(
    strict: Landing, is_first: bool
) -> None:
    side = strict.create("lib/x.py", "x = 1\n", on=strict.root())
    side = strict.edit("lib/x.py", (1, "x = 2"), on=side)
    both = (side, "main") if is_first else ("main", side)
    made = strict.merge(*both)
    more = strict.merge(made, strict.edit("lib/x.py", (1, "x = 3"), on=side))
    done, said = strict.push(f"{more}:main")
    assert done, said


def diverged(landing: Landing) -> tuple[str, str]:
    """Main, which has changed lines 2, 20 and 38, and a topic that has changed line 38."""
    topic = landing.edit("f", (38, "T38"), on="main")
    main = landing.edit("f", (2, "M2"), (20, "M20"), (38, "M38"), on="main")
    assert landing.push(f"{main}:main")[0]
    return main, topic


def test_a_merge_with_the_topic_first_drops_no_line_of_main(landing: Landing) -> None:
    main, topic = diverged(landing)
    made = landing.resolve(topic, main, (38, "R38"))
    done, said = landing.push(f"{made}:main")
    assert not done
    assert f"hkgit apply --merge {topic[:12]} SPEC" in said
    again = landing.resolve(main, topic, (38, "R38"))  # as the advice says
    done, said = landing.push(f"{again}:main")
    assert done, said


@pytest.mark.parametrize(
    ("lines", "is_taken"),
    [
        pytest.param([(2, "M2"), (20, "M20"), (38, "R38")], True, id="all that main had"),
        pytest.param([(2, "M2"), (20, "M20"), (38, "M38")], True, id="as main has it"),
        pytest.param([(2, "M2"), (20, "M20")], False, id="the conflict as the topic has it"),
        pytest.param([(2, "X"), (20, "M20"), (38, "R38")], False, id="another line 2"),
        pytest.param([(2, "M2"), (38, "R38")], False, id="line 20 left out"),
    ],
)
def test_what_main_had_is_in_the_merge_or_said(
    strict: Landing, lines: list[tuple[int, str]], is_taken: bool
) -> None:
    main, topic = diverged(strict)
    done, said = strict.push(f"{strict.resolve(topic, main, *lines)}:main")
    assert done is is_taken, said


def test_a_merge_below_another_drops_no_line_of_main(strict: Landing) -> None:
    main, topic = diverged(strict)
    inner = strict.resolve(topic, main, (38, "R38"))
    newer = strict.create("new.py", "x\n", on=main)
    strict.land(newer)
    assert not strict.push(f"{strict.merge(newer, inner)}:main")[0]


def test_two_refs_of_one_push_do_not_vouch_for_each_other(strict: Landing) -> None:
    main, topic = diverged(strict)
    strict.push(f"{topic}:refs/heads/topic")
    made = strict.resolve(topic, main, (38, "R38"))
    args = (f"{made}:refs/heads/topic", f"{made}:refs/heads/main")
    done, said = git(strict.clone, "push", str(strict.server.path), *args, env=AGENT)
    assert not done, said
    assert "FAIL refs/heads/main" in said


def test_a_pruned_entry_does_not_come_back_through_a_merge(strict: Landing) -> None:
    base = strict.clone.git("rev-parse", "main")
    bad = strict.edit("f", (5, "BAD"), on=base)
    good = strict.edit("f", (5, "5"), on=bad)
    assert strict.push(f"{good}:main")[0]
    hkgit(strict.clone, "ledger", "prune", "-q", "--yes", env=AGENT)
    pruned = strict.clone.head
    done, said = strict.push(f"{pruned}:main")
    assert done, said
    old = strict.commit(strict.clone.tree(bad), base)
    for parents in ((pruned, old), (old, pruned)):
        done, said = strict.push(f"{strict.merge(*parents)}:main")
        assert not done
        assert "had this entry already" in said


def test_an_entry_that_was_reverted_does_not_come_back_through_a_merge(strict: Landing) -> None:
    base = strict.clone.git("rev-parse", "main")
    bad = strict.edit("f", (5, "BAD"), on=base)
    strict.clone.git("revert", "--no-edit", "HEAD", env=AGENT)
    undone = strict.clone.head
    assert strict.push(f"{undone}:main")[0]
    old = strict.commit(strict.clone.tree(bad), base)
    assert not strict.push(f"{strict.merge(undone, old)}:main")[0]
    strict.clone.git("revert", "--no-edit", undone, env=AGENT)
    again = strict.clone.head  # which is said to be what it is
    other = strict.edit("f", (50, "x"), on=undone)
    done, said = strict.push(f"{strict.merge(other, again)}:main")
    assert done, said


def test_an_entry_that_was_carried_over_and_pruned_is_no_news(strict: Landing) -> None:
    """A fix of the topic that main has taken over before, and whose entry it has pruned since."""
    base = strict.clone.git("rev-parse", "main")
    fix = strict.edit("f", (5, "five"), on=base)
    strict.edit("f", (50, "x"), on=base)
    strict.clone.git("cherry-pick", fix, env=AGENT)
    assert strict.push("work:main")[0]
    hkgit(strict.clone, "ledger", "prune", "-q", "--yes", env=AGENT)
    assert strict.push("work:main")[0]
    pruned = strict.clone.head
    topic = strict.edit("f", (30, "thirty"), on=fix)
    done, said = strict.push(f"{strict.merge(pruned, topic)}:main")
    assert done, said


def rename(path: str, new_path: str, text: str) -> Operation:
    digest = Document(text.encode()).whole_hash
    return {"op": "rename_file", "path": path, "new_path": new_path, "expected_hash": digest}


def an_undone_edit(landing: Landing, on: str) -> tuple[str, str]:
    """The commit of an edit, and main, which a later edit has put as it was."""
    bad = landing.edit("f", (5, "BAD"), on=on)
    return bad, landing.edit("f", (5, "5"), on=bad)


def a_copy(landing: Landing, bad: str, base: str, main: str) -> tuple[str, str]:
    return main, landing.commit(landing.clone.tree(bad), base)


def a_copy_and_an_edit(landing: Landing, bad: str, base: str, main: str) -> tuple[str, str]:
    copy = landing.commit(landing.clone.tree(bad), base)
    return main, landing.edit("f", (50, "fifty"), on=copy)


def a_copy_beside_another_bad_line(
    landing: Landing, bad: str, base: str, main: str
) -> tuple[str, str]:
    """The line stands elsewhere too."""
    return landing.edit("f", (40, "BAD"), on=main), landing.commit(landing.clone.tree(bad), base)


def a_copy_of_a_renamed_file(landing: Landing, bad: str, base: str, main: str) -> tuple[str, str]:
    """Git carries the change to the new name."""
    renamed = landing.apply(rename("f", "g", NUMBERS), on=main)
    return renamed, landing.commit(landing.clone.tree(bad), base)


@pytest.mark.parametrize("is_first", [True, False], ids=["main first", "main second"])
@pytest.mark.parametrize(
    "attack",
    [a_copy, a_copy_and_an_edit, a_copy_beside_another_bad_line, a_copy_of_a_renamed_file],
)
def test_an_edit_that_a_later_one_undid_does_not_come_back_through_a_merge(
    strict: Landing, attack: Callable[[Landing, str, str, str], tuple[str, str]], is_first: bool
) -> None:
    base = strict.clone.git("rev-parse", "main")
    bad, main = an_undone_edit(strict, base)
    assert strict.push(f"{main}:main")[0]
    main, side = attack(strict, bad, base, main)
    strict.land(main)
    done, said = strict.push(f"{strict.merge(*((main, side) if is_first else (side, main)))}:main")
    assert not done, said
    assert "had this entry already, and undid its change" in said


@pytest.mark.parametrize(
    ("there", "back"),
    [
        pytest.param(
            {"op": "create_file", "path": "new.py", "new_text": "evil\n"},
            {
                "op": "delete_file",
                "path": "new.py",
                "expected_hash": Document(b"evil\n").whole_hash,
            },
            id="a created file",
        ),
        pytest.param(
            {
                "op": "delete_file",
                "path": "auth.py",
                "expected_hash": Document(AUTH.encode()).whole_hash,
            },
            {"op": "create_file", "path": "auth.py", "new_text": AUTH},
            id="a deleted file",
        ),
        pytest.param(
            replaced("f", NUMBERS.encode(), 5, 6, ""),
            replaced("f", NUMBERS.replace("5\n6\n", "", 1).encode(), 4, 4, "4\n5\n6"),
            id="deleted lines",
        ),
        pytest.param(
            rename("README", "READ", "hello\nworld\n"),
            rename("READ", "README", "hello\nworld\n"),
            id="a renamed file",
        ),
    ],
)
def test_what_an_undone_entry_did_to_a_file_does_not_come_back(
    strict: Landing, there: Operation, back: Operation
) -> None:
    base = strict.clone.git("rev-parse", "main")
    bad = strict.apply(there, on=base)
    main = strict.apply(back, on=bad)
    assert strict.push(f"{main}:main")[0]
    side = strict.commit(strict.clone.tree(bad), base)
    merged = strict.merge(main, side)
    assert strict.clone.tree(merged) != strict.clone.tree(main)
    done, said = strict.push(f"{merged}:main")
    assert not done, said


def test_an_undone_edit_that_is_made_again_comes_by_a_merge(strict: Landing) -> None:
    """The same line, written by an entry that main never had."""
    base = strict.clone.git("rev-parse", "main")
    bad, main = an_undone_edit(strict, base)
    assert strict.push(f"{main}:main")[0]
    copy = strict.commit(strict.clone.tree(bad), base)
    again = strict.edit("f", (5, "BAD"), on=strict.edit("f", (5, "so"), on=copy))
    done, said = strict.push(f"{strict.merge(main, again)}:main")
    assert done, said


def test_a_fix_that_both_sides_have_may_be_merged_from_a_renamed_file(strict: Landing) -> None:
    base = strict.clone.git("rev-parse", "main")
    fix = strict.edit("f", (5, "five"), on=base)
    strict.edit("f", (50, "x"), on=base)
    strict.clone.git("cherry-pick", fix, env=AGENT)
    main = strict.clone.head
    assert strict.push(f"{main}:main")[0]
    text = strict.clone.show(fix, "f").decode()
    topic = strict.apply(rename("f", "g", text), on=fix)
    done, said = strict.push(f"{strict.merge(main, topic)}:main")
    assert done, said


def test_a_fix_that_both_sides_have_may_be_merged_with_more(strict: Landing) -> None:
    base = strict.clone.git("rev-parse", "main")
    fix = strict.edit("f", (5, "five"), on=base)
    strict.edit("f", (50, "x"), on=base)
    strict.clone.git("cherry-pick", fix, env=AGENT)
    main = strict.edit("f", (20, "five"), on="work")
    assert strict.push(f"{main}:main")[0]
    topic = strict.edit("f", (30, "thirty"), on=fix)
    done, said = strict.push(f"{strict.merge(main, topic)}:main")
    assert done, said


def test_twins_of_case_do_not_come_by_a_merge(strict: Landing) -> None:
    one = strict.create("Makefile", "a\n", on="main")
    two = strict.create("makefile", "b\n", on="main")
    done, said = strict.push(f"{strict.merge(one, two)}:main")
    assert not done
    assert "to some file systems" in said


def test_twins_of_case_do_not_come_by_a_revert(strict: Landing) -> None:
    one = strict.create("Makefile", "a\n", on="main")
    digest = Document(b"a\n").range_hash(1, 1)
    gone: Operation = {"op": "delete_file", "path": "Makefile", "expected_hash": digest}
    removed = strict.apply(gone, on=one)
    strict.create("makefile", "b\n", on=removed)
    strict.clone.git("revert", "--no-edit", removed, env=AGENT)
    done, said = strict.push("work:main")
    assert not done
    assert "to some file systems" in said


def test_main_may_be_merged_into_a_topic_and_go_on_there(landing: Landing) -> None:
    topic = landing.edit("f", (38, "T38"), on="main")
    main = landing.edit("f", (2, "M2"), on="main")
    landing.land(main)
    done, said = landing.push(f"{landing.merge(topic, main)}:main")
    assert done, said
