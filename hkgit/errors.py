"""Every failure hkgit expects, each with an exit code scripts can rely on."""

from __future__ import annotations

from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.edits import AnyEdit


@dataclass(frozen=True)
class Near:
    """Lines that a refused edit may have meant; `similarity` per mille where it was measured.

    They are lines of the text that the edit refers to, counted from 1, both included.
    """

    start_line: int
    end_line: int
    similarity: int | None = None


class HkgitError(Exception):
    """Says where it happened, what happened, and what to do next.

    `near` are the places that whoever fixes the edit needs to see, the likeliest first;
    `corrected` is the edit as it would be right at the one of them, for its author to confirm.
    """

    exit_code = 70
    status = "fault"
    corrected: AnyEdit | None = None

    def __init__(self, where: str, what: str, fix: str = "", *near: Near) -> None:
        super().__init__(f"{where}: {what}" + (f"\n{fix}" if fix else ""))
        self.where = where
        self.what = what
        self.fix = fix
        self.near = near

    def __reduce__(self) -> tuple[object, ...]:
        """Let an error of a worker come back as what it is."""
        return _restore, (type(self), self.where, self.what, self.fix)

    def advise(self, fix: str) -> None:
        """Add one more thing to do."""
        HkgitError.__init__(self, self.where, self.what, f"{self.fix} {fix}".lstrip(), *self.near)

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line of the likeliest place."""
        return (self.near[0].start_line, self.near[0].end_line) if self.near else None


def _restore(kind: type[HkgitError], where: str, what: str, fix: str) -> HkgitError:
    error = kind.__new__(kind)
    HkgitError.__init__(error, where, what, fix)
    return error


SEND_AGAIN = "Send all of it again."
"""How to go on where a text ends before its notation says that it is complete."""


class NoMatch(HkgitError):
    """The old text is nowhere in the file, not even roughly."""

    exit_code = 1
    status = "no_match"


class AlreadyApplied(HkgitError):
    """The file says already what the edit wants it to say."""

    exit_code = 1
    status = "already_applied"


class Ambiguous(HkgitError):
    """The old text fits more than one place, so choosing one would be a guess."""

    exit_code = 2
    status = "ambiguous"


class Stale(HkgitError):
    """An expected hash or tag does not hold: what was read is not what is there."""

    exit_code = 3
    status = "stale"


class Conflict(HkgitError):
    """The file and the edit changed the same words in different ways."""

    exit_code = 3
    status = "conflict"


class InvalidInput(HkgitError):
    """A spec, path, range or policy that cannot mean anything, or must not."""

    exit_code = 4
    status = "invalid"


class WrongArgument(InvalidInput, TypeError):
    """A program gave the library something of another kind than it asks for."""

    def __init__(self, where: str, found: object, expected: str, fix: str) -> None:
        kind = type(found).__name__
        shown = f"{kind} {found[:40]!r}" if isinstance(found, str | bytes) else kind
        super().__init__(where, f"expected {expected}, found {shown}", fix)


class WrongUsage(HkgitError):
    """Arguments that the command line does not have, or not together."""

    exit_code = 64
    status = "usage"


class VerifyFailed(HkgitError):
    """The command given with --verify did not pass on the edited files.

    `output` is the end of what it printed, where somebody wants to hear it.
    """

    exit_code = 5
    status = "verify_failed"
    output = ""


class Rejected(HkgitError):
    """The gate judged a commit and rejects it."""

    exit_code = 6
    status = "rejected"


class BlindEdit(Rejected):
    """Nothing ties an edit to content that was read, and a rule asks for that."""


class GitRefused(HkgitError):
    """git, a lock, a hook or the state of the repository is in the way."""

    exit_code = 7
    status = "git_refused"


class Unverifiable(GitRefused):
    """The history, object or format that a judgement needs is not here."""

    status = "unverifiable"


def forget_frames(error: BaseException) -> None:
    """Let go of what the functions that a failure came through had read."""
    each: BaseException | None = error
    while each is not None:
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
