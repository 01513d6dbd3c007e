"""landing.py: a server with a policy, and the clone of an agent who pushes merges to it."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hkgit.gate.entrypoints.arrival import Update
from hkgit.gate.entrypoints.hooks import judge_received
from tests.support.commands import AGENT, hkgit
from tests.support.commits import applied, commit_tree, message_of, tree_of
from tests.support.objects import open_repository
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
        return cls.template(govern).copy(folder)

    def copy(self, folder: Path) -> Landing:
        """The same again elsewhere; the server borrows the objects of the clone."""
        made = Landing(self.clone.copy(folder / "clone"), self.server.copy(folder / "server.git"))
        objects = f"{made.clone.path / '.git/objects'}\n"
        (made.server.path / "objects/info/alternates").write_text(objects)
        return made

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
        return self.commit(self.clone.git("mktree", stdin=b""))

    def land(self, commit: str) -> str:
        """Make a commit the server's main without asking the server."""
        self.server.git("update-ref", "refs/heads/main", commit)
        return commit

    def push(self, refspec: str) -> tuple[bool, str]:
        """Whether the server takes a push, judged as its hook does, and what it says against it."""
        source, _, name = refspec.removeprefix("+").partition(":")
        ref = name if name.startswith("refs/") else f"refs/heads/{name}"
        server = open_repository(self.server)
        old = self.server.git("for-each-ref", "--format=%(objectname)", ref) or None
        new = self.clone.git("rev-parse", source) if source else None
        [answer] = judge_received(server, [Update(ref, old, new)], None, 60)
        if answer.passes:
            self.server.git("update-ref", ref, new or "0" * len(old or ""))
        rulings = answer.report.rulings
        findings = (each for ruling in rulings if not ruling.passes for each in ruling.findings)
        said = (f"FAIL {each.rule}: {each.where}: {each.what}\n{each.fix}" for each in findings)
        return answer.passes, "\n".join([f"FAIL {ref}: {answer.refusal}", *said])

    def take(self, refspec: str) -> None:
        """A push that the server takes."""
        done, said = self.push(refspec)
        assert done, said

    def refuse(self, refspec: str) -> str:
        """What is said against a push that the server refuses."""
        done, said = self.push(refspec)
        assert not done, said
        return said
