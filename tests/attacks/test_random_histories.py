"""Random histories with one change smuggled in: each is refused, and its honest twin passes.

A few examples here, in process and the same every time; `HKGIT_FUZZ=1000` asks for more.
"""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hkgit.applying.outcome import files_after
from hkgit.applying.planner import Options, plan
from hkgit.edits import File
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, entry_id, entry_path
from hkgit.gate.entrypoints.arrival import EntryPoint, Update, choose_trusted_side
from hkgit.gate.policy.model import Policy
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from tests.support.entries import recorded
from tests.support.objects import open_repository
from tests.support.planning import Operation, protocol, replace_range
from tests.support.repos import FUZZ, Repo

LINES = 24
NAMES = ("a.txt", "b.txt", "c.txt")
EXAMPLES = int(os.environ.get(FUZZ, "3"))
BLIND = File(b"smuggled\n")
Step = tuple[str, str, int]
"""What is done, on which file, at which line."""

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["main", "topic", "create", "to topic", "to main", "revert"]),
        st.sampled_from(NAMES),
        st.integers(0, LINES // 3 - 1),
    ),
    min_size=2,
    max_size=7,
)


@dataclass
class History:
    """Main and a topic, which commits are made on; `landing` is what the server has of main."""

    repository: Repository
    main: str = ""
    topic: str = ""
    landing: str = ""
    count: int = 0

    def begin(self) -> None:
        text = "".join(f"line {number}\n" for number in range(LINES))
        files = {name: File(f"{name}\n{text}".encode()) for name in NAMES}
        tree = self.repository.write_tree(None, {**files, ATTRIBUTES_PATH: File(ATTRIBUTES)})
        self.main = self.topic = self.landing = self.commit(tree)

    def commit(self, tree: str, *parents: str, message: str = "Say") -> str:
        who = "claude <noreply@anthropic.com> 1700000000 +0000"
        self.count += 1
        named = "".join(f"parent {each}\n" for each in parents)
        text = f"tree {tree}\n{named}author {who}\ncommitter {who}\n\n{message} {self.count}\n"
        return self.repository.write_objects([("commit", text.encode())])[0]

    def files(self, commit: str, files: dict[str, File | None]) -> str:
        """The tree that a commit's becomes."""
        return self.repository.write_tree(self.repository.commit(commit).tree, files)

    def apply(self, operation: Operation, on: str) -> str:
        spec, files = protocol(operation), self.repository.snapshot(on)
        made = plan(spec, files, Options(), ())
        assert made.ok, made.first_error
        self.count += 1
        claims = {"agent": "tester/1", "time": self.count}
        entry = recorded(spec, made, on, claims=claims).to_bytes()
        changed = {**files_after(made), entry_path(entry_id(entry)): File(entry)}
        return self.commit(self.files(on, changed), on)

    def edit(self, name: str, line: int, on: str) -> str:
        file = self.repository.snapshot(on).get(name)
        assert file is not None
        self.count += 1
        words = f"edit {self.count}"
        return self.apply(replace_range(name, file.data, line, line, words), on)

    def merge(self, first: str, second: str) -> str:
        tree = self.repository.git("merge-tree", "--write-tree", first, second).text
        return self.commit(tree, first, second, message="Merge")

    def revert(self, commit: str, on: str, more: dict[str, File | None] | None = None) -> str:
        """Take a commit back that is the last on its side."""
        before = self.repository.commit(self.repository.commit(commit).parents[0]).tree
        tree = self.repository.write_tree(before, more or {})
        message = f'Revert "Say"\n\nThis reverts commit {commit}.\n'
        return self.commit(tree, on, message=message)

    def take(self, step: Step) -> None:
        """One honest step; main edits the upper third of a file, the topic the lower one."""
        what, name, at = step
        if what == "main":
            self.main = self.edit(name, at + 2, self.main)
        elif what == "topic":
            self.topic = self.edit(name, LINES - at, self.topic)
        elif what == "create":
            self.count += 1
            path = f"new/{self.count}.txt"
            create: Operation = {"op": "create_file", "path": path, "new_text": "new\n"}
            self.topic = self.apply(create, self.topic)
        elif what == "to topic" and self.main != self.topic:
            self.topic = self.merge(self.topic, self.main)
        elif what == "to main" and self.main != self.topic:
            self.main = self.merge(self.main, self.topic)
        elif what == "revert":
            done = self.edit(name, at + 2, self.main)
            self.main = self.revert(done, done)

    def refusal(self, ref: str, new: str, policy: Policy) -> str:
        """Why the ref may not come to name a commit or tag; nothing where it may."""
        old = self.landing if ref == "refs/heads/main" else None
        side = choose_trusted_side(self.repository, [ref], old, self.landing, policy)
        point, update = EntryPoint(self.repository, on_server=True), Update(ref, old, new)
        [answer] = point.answer_each([update], lambda _: side, policy)
        if answer.passes:
            return ""
        rulings = answer.report.rulings
        return f"{answer.refusal or [each.findings for each in rulings if not each.passes]}"


def direct(history: History) -> str:
    return history.commit(history.files(history.main, {"a.txt": BLIND}), history.main)


def by_merge(history: History) -> str:
    return _merged(history, history.files(history.main, {"b.txt": BLIND}))


def by_a_merge_that_keeps_the_topic(history: History) -> str:
    main = history.edit("a.txt", 2, history.main)
    history.main = history.landing = main
    topic = history.edit("b.txt", LINES, history.topic)
    return history.commit(history.repository.commit(topic).tree, topic, main)


def by_revert(history: History) -> str:
    done = history.edit("a.txt", 2, history.main)
    return history.revert(done, done, {"c.txt": BLIND})


def by_prune(history: History) -> str:
    done = history.edit("a.txt", 2, history.main)
    added = history.repository.changes(
        history.repository.commit(history.main).tree, history.repository.commit(done).tree
    )
    gone = {each.path: None for each in added if each.path.startswith(".hkgit/ledger/")}
    return history.commit(history.files(done, {**gone, "c.txt": BLIND}), done)


def by_what_was_reverted(history: History) -> str:
    """An entry that main has taken back comes again from a side that has it."""
    base = history.main
    bad = history.edit("a.txt", 2, base)
    history.landing = history.revert(bad, bad)
    again = history.commit(history.repository.commit(bad).tree, base)
    return history.merge(history.landing, again)


def by_rename(history: History) -> str:
    file = history.repository.snapshot(history.main).get("a.txt")
    return history.commit(history.files(history.main, {"a.txt": None, "z.txt": file}), history.main)


def by_a_root(history: History) -> str:
    root = history.commit(EMPTY_TREE)
    made = history.apply({"op": "create_file", "path": "a.txt", "new_text": "x\ny\n"}, root)
    last = history.edit("a.txt", 1, made)
    found = {
        each.path: history.repository.snapshot(last).get(each.path)
        for each in history.repository.changes(None, history.repository.commit(last).tree)
    }
    return history.commit(history.files(history.main, found), made, history.main)


def by_a_forced_root(history: History) -> str:
    root = history.commit(EMPTY_TREE)
    return history.apply({"op": "create_file", "path": "a.txt", "new_text": "x\n"}, root)


def by_a_blind_side(history: History) -> str:
    side = history.commit(history.files(history.topic, {"d.txt": BLIND}), history.topic)
    return history.merge(history.main, side)


def by_tag(history: History) -> str:
    blind = direct(history)
    text = f"object {blind}\ntype commit\ntag v2\ntagger A 1 +0000\n\nm\n"
    args = ("hash-object", "-t", "tag", "-w", "--literally", "--stdin")
    return history.repository.git(*args, stdin=text.encode()).text


def _merged(history: History, tree: str) -> str:
    return history.commit(tree, history.main, history.topic, message="Merge")


SMUGGLED: dict[str, Callable[[History], str]] = {
    "direct": direct,
    "merge": by_merge,
    "merge that keeps the topic": by_a_merge_that_keeps_the_topic,
    "revert": by_revert,
    "prune": by_prune,
    "what was reverted": by_what_was_reverted,
    "rename": by_rename,
    "root": by_a_root,
    "forced root": by_a_forced_root,
    "blind side": by_a_blind_side,
    "tag": by_tag,
}


@pytest.mark.sampled
@pytest.mark.parametrize("way", SMUGGLED)
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate])
@given(steps=STEPS, pushed=st.integers(0, 4), is_turned=st.booleans())
def test_what_is_smuggled_into_a_history_is_refused(
    way: str, steps: list[Step], pushed: int, is_turned: bool
) -> None:
    with tempfile.TemporaryDirectory(prefix="hkgit-fuzz-") as folder:
        repo = Repo.init(Path(folder) / "repo")
        history = History(open_repository(repo))
        history.begin()
        for number, step in enumerate(steps):
            history.take(step)
            history.landing = history.main if number < pushed else history.landing
        last = history.edit("c.txt", LINES, history.topic)
        sides = (last, history.main) if is_turned else (history.main, last)
        twin = history.merge(*sides)
        for policy in (Policy(), Policy(govern="all")):
            assert history.refusal("refs/heads/main", twin, policy) == "", "the honest twin"
        ref = "refs/tags/v2" if way == "tag" else "refs/heads/main"
        made = SMUGGLED[way](history)
        for policy in (Policy(), Policy(govern="all")):
            assert history.refusal(ref, made, policy) != "", way
