"""The results of a session's calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hkgit.applying.evidence import join_touched
from hkgit.applying.outcome import APPLIED, EditOutcome, find_first_error, refusal_text
from hkgit.edits import File
from hkgit.errors import HkgitError
from hkgit.text.document import Lines
from hkgit.text.escape import quote_word, to_json_text
from hkgit.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.text.strict_json import JsonObject


@dataclass(frozen=True)
class UnreadEdit:
    """A blind edit: its number, its lines, and the command that reads them after the fact."""

    number: int
    path: str
    lines: Lines
    evidence: str
    command: str

    @property
    def what(self) -> str:
        """One sentence for an agent."""
        where = f"{self.path}:{self.lines[0]}-{self.lines[1]}"
        return f"edit {self.number} is blind: nothing that was read covers {where}"


@dataclass(frozen=True)
class EditReport:
    """What became of a call of `edit`.

    Outcomes are numbered through all specs. `files` are those that changed, or would in a dry run:
    path -> new content, None where deleted; empty unless every edit applied. `call` names it for
    `undo`; None when nothing was written. `conflicts` says in words which conflicts were
    met.
    """

    outcomes: tuple[EditOutcome, ...]
    files: Mapping[str, File | None] = field(default_factory=dict)
    call: str | None = None
    blind: tuple[UnreadEdit, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def error(self) -> HkgitError | None:
        """The refusal that decides the exit code."""
        return find_first_error(self.outcomes)

    @property
    def status(self) -> str:
        """`applied`, or the status of the first edit that was refused."""
        return APPLIED if self.error is None else self.error.status

    def for_model(self) -> str:
        """Write text an agent can act on: the refusals, or how to fix blind edits; or nothing."""
        if self.ok:
            return "\n".join(f"{each.what}\nFix: {each.command}" for each in self.blind)
        failed = [str(each.number) for each in self.outcomes if each.error is not None]
        again = f"\nSend all edits again, with {', '.join(failed)} corrected."
        is_one = len(self.outcomes) == 1
        return f"Nothing was applied.\n{refusal_text(self.outcomes)}{'' if is_one else again}"

    @property
    def document(self) -> JsonObject:
        """What a session keeps of the call, as JSON: its name, its files, blind edits."""
        blind = [
            {
                "number": each.number,
                "path": to_json_text(each.path),
                "lines": [*each.lines],
                "read": to_json_text(each.command),
            }
            for each in self.blind
        ]
        files = sorted(map(to_json_text, self.files))
        return {"call": self.call, "files": files, "blind": blind}


@dataclass(frozen=True)
class UndoReport:
    """The calls that were taken back, and the files that changed: path -> new content.

    It `is_tagged` where their edits named lines by tags.
    """

    session: str
    calls: tuple[str, ...]
    files: Mapping[str, File | None]
    is_tagged: bool

    @property
    def document(self) -> JsonObject:
        """It as JSON."""
        files = sorted(map(to_json_text, self.files))
        calls = [*self.calls]
        return {"status": "undone", "session": self.session, "calls": calls, "files": files}


def render_mending_read(
    path: str, touched: Sequence[Lines], session: str, call: int | None, *, is_late: bool = False
) -> str:
    """Render the command that reads the lines of an edit; with `call`, once that is taken back.

    With `is_late` the edit stays, and its lines are read as they were before it. Whoever follows it
    may be in any directory of the checkout.
    """
    first, last = join_touched(touched)
    target = quote_word(f":/{path}:{first}-{last}")
    read = f"hkgit read {target} --session {session}"
    if is_late:
        return f"{read} --before {call}"
    if call is None:
        return read
    return f"hkgit undo --session {session} --call {call} && {read}"
