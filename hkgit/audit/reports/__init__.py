"""Reports of the gate: each format is a function over the rulings as they are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from hkgit.audit.reports.findings import ReportItem
from hkgit.errors import HkgitError
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.values import dataclass

_MODULES = {
    **dict.fromkeys(("text", "github"), "text"),
    "json": "plain",
    **dict.fromkeys(("gitlab", "sarif"), "documents"),
}
FORMATS = tuple(_MODULES)
"""The names of the formats."""

DOCUMENTS = ("gitlab", "json", "sarif")
"""Those that are one JSON document, on refusal too."""

Judged = Iterable[tuple[Ruling, Sequence[ReportItem]]]
"""Rulings, each with its findings and their places."""


@dataclass
class ReportTotals:
    """How many commits there are under a policy, and how many of them do not pass.

    `explain` says that reports for people and programs tell which rules were tried on each.
    """

    policy: Policy
    provisional: bool = False
    explain: bool = False
    count: int = 0
    rejected: int = 0

    @property
    def passes(self) -> bool:
        """Whether nothing is rejected, or the policy only warns or reports."""
        return self.policy.mode != "enforce" or not self.rejected

    @classmethod
    def of(cls, report: Report) -> ReportTotals:
        """Count a whole report."""
        totals = cls(report.policy, report.provisional)
        for _ in totals.watch((ruling, ()) for ruling in report.rulings):
            pass
        return totals

    def watch(self, judged: Judged) -> Iterator[tuple[Ruling, Sequence[ReportItem]]]:
        """Pass rulings on, and count each."""
        for ruling, items in judged:
            self.count += 1
            self.rejected += not ruling.passes
            yield ruling, items


def render(form: str, judged: Judged, totals: ReportTotals) -> Iterator[str]:
    """Render rulings in one of the formats, as they come; only its own module is loaded.

    `totals` counts them, and is asked at the end. Memory grows with what is found, not with the
    range.
    """
    module = import_module(f"{__name__}.{_MODULES[form]}")
    rendered: Iterator[str] = getattr(module, f"render_{form}")(judged, totals)
    return rendered


def refusal(error: HkgitError, form: str) -> str:
    """Render why there is no report, in a format that is a JSON document."""
    module = import_module(f"{__name__}.{_MODULES[form]}")
    rendered: str = getattr(module, f"refuse_{form}")(error)
    return rendered
