"""sheet.py: the input of every report format: a report, and its findings with their places."""

from __future__ import annotations

from hkgit.evidence.replay.findings import Finding
from hkgit.gate.policy.model import Policy
from hkgit.gate.rulings import Report, Ruling
from hkgit.values import dataclass

LEVELS = {"enforce": "error", "warn": "warning", "report": "note"}
"""How grave a finding is under each mode of the policy, in the words of SARIF."""


NOWHERE = ".hkgit"
"""The path of a finding that speaks of no file, for formats whose readers want one."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Lines of a file, counted from 1, both included; without lines, the file as a whole."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class ReportItem:
    """A finding: of which ruling, where it stands in the newest commit, and its fingerprint.

    `place` is None where it speaks of no file. The fingerprint stays the same when lines move
    and commits get other ids.
    """

    ruling: Ruling
    finding: Finding
    place: SourcePlace | None
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ReportSheet:
    """A report with its items; `commit_url` is what a commit's id is appended to, if known."""

    report: Report
    items: tuple[ReportItem, ...] = ()
    commit_url: str | None = None

    def level(self, item: ReportItem) -> str:
        """Grade a finding: error, warning or note; a note if the commit passes."""
        return grade(item, self.report.policy)


def grade(item: ReportItem, policy: Policy) -> str:
    """Grade a finding under a policy, in the same words."""
    return "note" if item.ruling.passes else LEVELS[policy.mode]


def read_subject(ruling: Ruling) -> str:
    """Return the first line of the commit's message, unescaped."""
    message = ruling.judged.candidate.message or b""
    return message.decode("utf-8", "replace").split("\n", 1)[0]


def name_commit(ruling: Ruling) -> str:
    """Name the commit by 12 digits of its id, or as the one to be made."""
    commit = ruling.judged.candidate.id
    return "commit to be made" if commit is None else commit[:12]
