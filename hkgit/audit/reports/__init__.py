"""Reports of the gate: a class for each format, or a function that renders a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

from hkgit.audit.reports.findings import ReportItem
from hkgit.errors import HkgitError
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.values import dataclass

_CLASSES = {
    "text": ("text", "TextFormat"),
    "json": ("plain", "JsonFormat"),
    "github": ("github", "GitHubFormat"),
}
"""Formats that are more than a document of findings at the end, with their modules."""

FORMATS = (*_CLASSES, "gitlab", "rdjson", "sarif")
"""The names of the formats."""

DOCUMENTS = ("gitlab", "json", "rdjson", "sarif")
"""Those that are one JSON document, on refusal too."""


@dataclass(slots=True)
class ReportTotals:
    """How many commits there are under a policy, and how many of them do not pass."""

    policy: Policy
    provisional: bool = False
    count: int = 0
    rejected: int = 0

    @property
    def passes(self) -> bool:
        """Whether nothing is rejected, or the policy only warns or reports."""
        return self.policy.mode != "enforce" or not self.rejected

    @classmethod
    def of(cls, report: Report) -> ReportTotals:
        """Count a whole report."""
        rejected = sum(not each.passes for each in report.rulings)
        return cls(report.policy, report.provisional, len(report.rulings), rejected)

    def add(self, ruling: Ruling) -> None:
        """Count one commit."""
        self.count += 1
        self.rejected += not ruling.passes


class ReportFormat:
    """A report under way: what is to be printed with each commit, and at the end.

    Memory grows with what is found, not with the range. `commit_url` is what a commit's id is
    appended to, if known.
    """

    def __init__(self, policy: Policy, commit_url: str | None = None) -> None:
        self.policy = policy
        self.commit_url = commit_url
        self.items: list[ReportItem] = []

    def add(self, ruling: Ruling, items: Sequence[ReportItem]) -> Iterable[str]:
        """Return the text that comes with a commit; `items` are its findings with their places."""
        self.items += items
        return ()

    def end(self, totals: ReportTotals) -> Iterable[str]:
        """Return the text that comes when all is added."""
        return ()

    def close(self) -> None:
        """Leave nothing open."""


class DocumentFormat(ReportFormat):
    """A document of findings, which comes at the end."""

    def __init__(
        self, policy: Policy, render: Callable[[Sequence[ReportItem], ReportTotals], str]
    ) -> None:
        super().__init__(policy)
        self._render = render

    def end(self, totals: ReportTotals) -> Iterable[str]:
        return (self._render(self.items, totals),)


def begin(form: str, policy: Policy, commit_url: str | None = None) -> ReportFormat:
    """Begin a report in one of the formats; only that format's module is loaded."""
    if form not in _CLASSES:
        documents = import_module(f"{__name__}.documents")
        return DocumentFormat(policy, getattr(documents, f"render_{form}"))
    module, name = _CLASSES[form]
    begun: ReportFormat = getattr(import_module(f"{__name__}.{module}"), name)(policy, commit_url)
    return begun


def refusal(error: HkgitError, form: str) -> str:
    """Render why there is no report, in a format that is a JSON document."""
    module = import_module(f"{__name__}.{'plain' if form == 'json' else 'documents'}")
    rendered: str = getattr(module, f"refuse_{form}")(error)
    return rendered
