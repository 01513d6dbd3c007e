"""repository.py: one repository: its objects, its refs, and the commit being made.

Objects and refs come from a backend (see `backend`); what only git knows (the index that it is
committing, configuration with its includes, ranges) goes through the program.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.git.backends.backend import refuse_ref_name
from hkgit.git.backends.opening import open_backend
from hkgit.git.backends.settings import GitSettings
from hkgit.git.contents import Contents
from hkgit.git.merging import (
    Contested,
    MergeAttempt,
    Resolved,
    attempt_merge,
    automatic_merge,
    expect_merge_bases,
    find_contested,
    resolve_merge,
)
from hkgit.git.objects.ids import FULL_ID
from hkgit.git.objects.objects import Head
from hkgit.git.program import Git, prepare_git, read_config
from hkgit.git.signatures import verify_principal, verify_tagger
from hkgit.values import dataclass


@dataclass(frozen=True)
class Repository(Contents):
    """One repository, opened where the user stands, or where git says when it runs a hook."""

    start: Path
    in_hook: bool

    @classmethod
    def discover(cls, start: Path, *, in_hook: bool = False, is_small: bool = False) -> Repository:
        """Open the repository around `start`; `in_hook` believes the GIT_* variables.

        `is_small` says that few objects will be read: then to load libgit2 costs more than it
        saves, and the git program answers. Raises GitRefused where there is none, or none that can
        be read faithfully.
        """
        start = start.absolute()
        repository = cls(open_backend(start, in_hook=in_hook, is_small=is_small), start, in_hook)
        if (repository.common_dir / "info" / "grafts").exists():
            fix = "Turn it into a replacement: git replace --convert-graft-file"
            raise GitRefused(str(start), "info/grafts rewrites the history that git shows", fix)
        return repository

    @cached_property
    def work_tree(self) -> Path | None:
        """The checkout, or None when the repository is bare."""
        return self._backend.work_tree

    @property
    def is_bare(self) -> bool:
        return self.work_tree is None

    @cached_property
    def git(self) -> Git:
        """The git program on this repository, to be called (see `program.run`)."""
        return prepare_git(self.start, self.git_dir, self.work_tree, in_hook=self.in_hook)

    def commits_between(self, old: str | None, new: str, *excluding: str) -> tuple[str, ...]:
        """List the commits reachable from `new`, not from `old` or `excluding`, parents first."""
        excluded = [f"^{each}\n" for each in (old, *excluding) if each is not None]
        asked = "".join((f"{new}\n", *excluded)).encode()
        listed = self.git("rev-list", "--topo-order", "--reverse", "--stdin", stdin=asked)
        return tuple(listed.text.split())

    # The commit being made, and others' work

    def index_tree(self) -> str:
        """Store and name the tree of the index, in a hook the one that git is committing."""
        return self.git("write-tree").text

    def commit_in_progress_parents(self) -> list[tuple[str, ...]]:
        """List the parents that the commit being made may get: a hook is not told of --amend."""
        head = self.head().commit
        if head is None:
            return [()]
        merged = self.merge_heads()
        return [(head, *merged)] if merged else [(head,), self.commit(head).parents]

    def merge_heads(self) -> tuple[str, ...]:
        """List what is being merged; before a clean merge is committed the environment says so."""
        listed = self.git_dir / "MERGE_HEAD"
        if listed.exists():
            return tuple(listed.read_text().split())
        named = (name.partition("GITHEAD_")[2] for name in os.environ if self.in_hook)
        return tuple(name for name in named if FULL_ID.fullmatch(name))

    def automatic_merge(self, parents: Sequence[str]) -> str | None:
        """Merge commits as git does by itself: the tree, or None on a conflict (see `merging`)."""
        if self.is_shallow:
            expect_merge_bases(self.git, parents, self._boundaries)
        return automatic_merge(
            self.object_directories, parents, self._boundaries, self._backend.object_format
        )

    def attempt_merge(self, parents: tuple[str, str]) -> MergeAttempt:
        """Merge two commits, conflicts and all (see `merging`)."""
        if self.is_shallow:
            expect_merge_bases(self.git, parents, self._boundaries)
        return attempt_merge(
            self.object_directories, parents, self._boundaries, self._backend.object_format
        )

    def resolve_merge(self, parents: tuple[str, str], tree: str) -> Resolved:
        """Find how a tree completes the merge of two commits (see `merging`)."""
        return resolve_merge(
            self.object_directories, parents, tree, self._boundaries, self._backend.object_format
        )

    def find_contested_files(self, parents: tuple[str, str]) -> tuple[Contested, ...]:
        """Find the files that git leaves to people where it merges two commits (see `merging`)."""
        return find_contested(
            self.object_directories, parents, self._boundaries, self._backend.object_format
        )

    def merge_bases(self, first: str, second: str) -> tuple[str, ...]:
        """List every best common ancestor of two commits."""
        return tuple(self.git("merge-base", "--all", first, second, check=False).text.split())

    def roots_between(self, old: str, new: str) -> tuple[str, ...]:
        """List the commits without a parent that `new` has in its history and `old` has not."""
        return tuple(self.git("rev-list", "--max-parents=0", new, f"^{old}", "--").text.split())

    def verify_signature(self, commit_id: str, allowed_signers: str) -> str | None:
        """Return the principal whose SSH key signed a commit, or None (see `signatures`)."""
        return verify_principal(self.git, self.commit(commit_id), allowed_signers)

    def verify_tag(self, tag_id: str, allowed_signers: str) -> str | None:
        """Return the principal whose SSH key signed a tag, or None (see `signatures`)."""
        return verify_tagger(self.git, tag_id, allowed_signers)

    @property
    def object_directories(self) -> tuple[Path, ...]:
        """Where objects are looked for; in a hook on a server, also what is being pushed."""
        listed = [str(self.common_dir / "objects")]
        if self.in_hook:
            listed.append(os.environ.get("GIT_OBJECT_DIRECTORY", ""))
            listed += os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
        return tuple(self.start / path for path in listed if path)

    # Refs and configuration

    def head(self) -> Head:
        """Read where HEAD points; raise GitRefused when it points nowhere."""
        target = self._backend.head_target()
        if FULL_ID.fullmatch(target):
            return Head(None, target)
        return Head(target.removeprefix("refs/heads/"), self._backend.ref(target))

    def branch_tip(self, name: str) -> str | None:
        """Return the commit of a branch, or None when there is no such branch."""
        if name.startswith("-") or name == "HEAD":
            raise refuse_ref_name(name)
        return self._backend.ref(f"refs/heads/{name}")

    def remembers(self, name: str) -> bool:
        """Whether git keeps something by a name like MERGE_HEAD or BISECT_LOG for this checkout."""
        if (self.git_dir / name).exists():
            return True
        is_table = name.endswith("_HEAD") and (self.common_dir / "reftable").is_dir()
        return is_table and self._backend.ref(name) is not None

    def write_ref(self, name: str, object_id: str) -> None:
        """Let a ref of hkgit's own name an object; no hook hears of it. Raises GitRefused."""
        self._backend.write_ref(name, object_id)

    def delete_ref(self, name: str) -> None:
        """Take a ref of hkgit's own away, if it is there. Raises GitRefused."""
        self._backend.delete_ref(name)

    def list_checked_out_branches(self) -> dict[str, Path]:
        """List the branches that some work tree stands on, and where."""
        listed = os.fsdecode(self._list_worktrees())
        found = {}
        for record in listed.split("\0\0"):
            fields = dict(line.partition(" ")[::2] for line in record.split("\0"))
            if "branch" in fields:
                found[fields["branch"].removeprefix("refs/heads/")] = Path(fields["worktree"])
        return found

    def _list_worktrees(self) -> bytes:
        """Run `git worktree list`, and again if it met a worktree that was half written."""
        for pause in (0.02, 0.05, 0.1, 0.2, 0.4):
            try:
                return self.git("worktree", "list", "--porcelain", "-z").stdout
            except GitRefused as refusal:
                if "worktrees/" not in refusal.what:
                    raise
                time.sleep(pause)
        return self.git("worktree", "list", "--porcelain", "-z").stdout

    def config(self, name: str) -> str | None:
        """Return the last value of a configuration variable, as git reads it."""
        return read_config(self.git, name) if self.settings.may_have(name) else None

    def identity(self, who: str) -> str:
        """Return `AUTHOR` or `COMMITTER` as git would write it, without the time; or ""."""
        return self.settings.identity(f"GIT_{who}_IDENT")

    @cached_property
    def settings(self) -> GitSettings:
        """What git has for variables and identities."""
        return GitSettings.ask(self.git)

    def quick_config(self, name: str) -> str | None:
        """Return the value of a variable, without a process where one can; `name` in lower case."""
        return self.config(name) if self.backend == "program" else self._backend.config(name)

    @cached_property
    def hooks_path(self) -> Path | None:
        """`core.hooksPath`, from the checkout when it is relative; None when it is not set."""
        if not self.settings.may_have("core.hooksPath"):
            return None
        configured = read_config(self.git, "core.hooksPath", "--type=path")
        return (self.work_tree or self.git_dir) / configured if configured is not None else None

    # How it is done
