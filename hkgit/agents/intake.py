"""Take in the edits that an agent's tools have made, from their files as put aside."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import find_running, note_written
from hkgit.agents.events import LateEdit
from hkgit.agents.files_before import PutAside
from hkgit.agents.specs import paths_of
from hkgit.edits import REGULAR, File, Spec, encode_text
from hkgit.errors import Conflict, HkgitError, Stale
from hkgit.sessions.answers import EditReport
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.values import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.shell_changes import ShellSnapshots, ShellWork


class EditAdopter:
    """Takes edits into a session; `aside` are files as they were."""

    def __init__(self, session: EditSession, aside: PutAside) -> None:
        self._session = session
        self._aside = aside
        self._checkout = Checkout(session.root)

    @cached_property
    def _snapshots(self) -> ShellSnapshots:
        from hkgit.agents.shell_changes import (
            ShellSnapshots,  # while no command runs, there are none
        )

        return ShellSnapshots(self._session.root, self._session.journal.folder)

    def take(self, spec: Spec, words: str, original: str | None = None) -> EditReport | None:
        """Take in an edit whose files were put aside for a call. Raises HkgitError.

        `original` is how the tool has found the one file that it edits, if that is told: somebody
        may have changed it since it was put aside.
        """
        before = {path: self._aside.get(path, words) for path in paths_of(spec)}
        after = {path: self._checkout.get(path) for path in before}
        guesses = [before]
        # What is there already, another hook has told, and what was put aside was renewed.
        if original is not None and len(before) == 1 and before != after:
            guesses.append({path: _restore(file, original) for path, file in before.items()})
        for files in guesses:
            try:
                answer = self._session.adopt(spec, files)
            except Stale:
                continue
            if answer.ok:
                self._forget_aside(files, after, words)
                return answer
        self._expect_own(before, words)
        return self._take_own_part(spec, before, words)

    def take_untold(self, path: str) -> EditReport | None:
        """Take in what a call has made of a file whose tool does not say it. Raises HkgitError."""
        self._expect_own([path], "")
        return self.take_rest({path: self._aside.get(path, "")}, "")

    def _expect_own(self, paths: Iterable[str], words: str) -> None:
        """Raise Stale where a copy is of another call: what was written since is not this one's."""
        for path in paths:
            if not self._aside.is_for(path, words):
                fix = "Only a call that is seen before and after it is made can be recorded."
                raise Stale(path, "was saved for another call", fix)

    def _take_own_part(
        self, spec: Spec, before: Mapping[str, File | None], words: str
    ) -> EditReport | None:
        """Take in an edit that does not lead to what is in the checkout by itself.

        Raises Stale where others have changed its files too, and what it did is not told exactly.
        """
        # Most edits lead there.
        from hkgit.agents.parallel_work import find_own_part, find_rivals

        since = self._find_start(before, words)
        rivals = find_rivals(self._session, [*before], since)
        own = find_own_part(self._session, spec, before, rivals, since) if rivals else None
        if own is None:
            return self.take_rest(before, words)
        answer = self._session.adopt(spec, own.before, own.time, leaves=own.after)
        self._forget_aside(own.before, own.after, words)
        return answer

    def take_rest(self, before: Mapping[str, File | None], words: str) -> EditReport | None:
        """Take in what has become of files by a call that does not say it. Raises HkgitError."""
        has_changed = any(self._checkout.get(path) != file for path, file in before.items())
        if has_changed and (rivals := self._find_rivals(before, words)):
            for path in before:
                self._aside.drop(path, words)
            self._lose(before)
            what = f"was changed by another session in the meantime: {rivals[0].name}"
            why = "It is not known exactly what this call did to it, so none of it is recorded."
            how = _say_how([*before], self._session.root)
            raise Conflict(", ".join(before), what, f"{why} {how}")
        return self.take_difference(before, words)

    def _find_rivals(self, paths: Iterable[str], words: str) -> list[Path]:
        from hkgit.agents.parallel_work import find_rivals

        return find_rivals(self._session, [*paths], self._find_start(paths, words))

    def _find_start(self, paths: Iterable[str], words: str) -> float:
        return min((self._aside.find_time(path, words) for path in paths), default=0.0)

    def take_own_work(self, work: ShellWork) -> EditReport | None:
        """Take in what a command has done. Raises Conflict where another session may have done it.

        Raises HkgitError.
        """
        lost = dict(work.lost)
        if work.changed or work.committed:
            # Most commands change nothing.
            from hkgit.agents.parallel_work import find_own_work

            own = find_own_work(self._session, work, self._snapshots)
            work, lost = own.work, {**own.work.lost, **own.lost}
            self._lose(own.lost)
        committed = self._take_apart(work.committed, work.time)
        answer = self._take_apart(work.changed) or committed
        if lost:
            raise _say_lost(lost, self._session.root)
        return answer

    def _take_apart(self, before: Mapping[str, File | None], time: int = 0) -> EditReport | None:
        """Take in files at once, and each by itself where that cannot be. Raises HkgitError."""
        if not before:
            return None
        try:
            return self.take_difference(before, time=time)
        except HkgitError:
            if len(before) > 1:
                for path, file in before.items():
                    with suppress(HkgitError):
                        self.take_difference({path: file}, time=time)
            raise

    def _lose(self, paths: Iterable[str]) -> None:
        """Let no command of any session that still runs claim what has become of files by now."""
        from hkgit.agents.parallel_work import list_others

        folders = [self._session.journal.folder, *list_others(self._session)]
        for path in paths:
            self._aside.note_unknown(path)
            self._snapshots.lose(path, folders, self._session.journal.folder.name)

    def take_late(self, spec: Spec, did: LateEdit) -> EditReport | None:
        """Take in an edit on a version that it fits, from which it leads to what is there now.

        Where it leads elsewhere a formatter has run, or the next edit is made as well: then the
        difference is taken in, and that next one is none any more. Raises Stale where it fits none.
        """
        # Few agents tell so late.
        from hkgit.agents.late_work import find_versions_before, holds_difference

        [path] = paths_of(spec)
        if holds_difference(path, self._session):
            return None
        for file, is_sure in find_versions_before(did, path, self._session, self._aside):
            try:
                answer = self._session.adopt(spec, {path: file})
            except Stale:
                if is_sure:
                    return self.take_rest({path: file}, did.edit.text)
                continue
            if answer.ok:
                after = {path: self._checkout.get(path)}
                self._forget_aside({path: file}, after, did.edit.text)
                return answer
        if did.is_asked:
            return self.take_rest({path: self._aside.get(path, "")}, did.edit.text)
        fix = "It is not recorded in any session; the gate will say so at the commit."
        raise Stale(path, "was changed before hkgit could see how it was", fix)

    def take_difference(
        self, before: Mapping[str, File | None], words: str | None = None, time: int = 0
    ) -> EditReport | None:
        """Take in what has become of files, as a diff; None where nothing has, as after a failure.

        Raises HkgitError.
        """
        from hkgit.agents.differences import adopt_difference  # most edits lead to what is there

        after = {path: self._checkout.get(path) for path in before}
        answer = adopt_difference(self._session, before, time)
        self._forget_aside(before, after, words)
        return answer

    def _forget_aside(
        self,
        before: Mapping[str, File | None],
        after: Mapping[str, File | None],
        words: str | None,
    ) -> None:
        if find_running(self._session.journal.folder):
            self._snapshots.renew(after)
        for path, file in after.items():
            if words is not None:
                self._aside.drop(path, words)
            self._aside.renew(path, file, before.get(path))
            # Where others have gone on already, it is not left as this call has left it.
            if file is not None and file == self._checkout.get(path):
                note_written(self._session.journal.folder, path, file)


def _say_lost(lost: Mapping[str, str], root: Path) -> Conflict:
    names = ", ".join(dict.fromkeys(lost.values()))
    what = f"changed while this command ran and one of another session, {names}"
    why = "It is not known which of the two changed it, so no session has recorded it."
    return Conflict(", ".join(lost), what, f"{why} {_say_how([*lost], root)}")


def _say_how(paths: Sequence[str], root: Path) -> str:
    """How files that no session has recorded are committed, wherever the agent is.

    Evidence made after the change is `late`, which the policy may not accept.
    """
    if not _may_be_late(paths, root):
        return (
            "Look at the change. What is read afterwards is not evidence that the policy"
            " accepts: make"
            " the change again in a session that reads first, or let a person commit it."
        )
    gone = [path for path in paths if not (root / path).exists()]
    steps = (
        ("git add --", [path for path in paths if path not in gone]),
        ("git rm -q --cached --ignore-unmatch --", gone),
        ("hkgit redo -m MESSAGE", paths),
    )
    words = (f"{step} {shlex.join(f':/{x}' for x in some)}" for step, some in steps if some)
    return f"Look at the change; to commit it with evidence, run: {' && '.join(words)}"


def _may_be_late(paths: Iterable[str], root: Path) -> bool:
    """Whether the policy of the checkout accepts evidence that is made after a change."""
    # Few files are changed by two at once.
    from hkgit.gate.trusted_policy import read_own_policy
    from hkgit.git.repository import Repository

    try:
        repository = Repository.discover(root)
        policy = read_own_policy(repository, repository.head().commit)
    except HkgitError:
        return False
    return all(policy.accepts_late(path) for path in paths)


def _restore(file: File | None, original: str | None) -> File | None:
    """A file that was put aside, as the tool has found it."""
    return File(encode_text(original or ""), REGULAR if file is None else file.mode)
