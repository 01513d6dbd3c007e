"""Reports of the gate: each format is a function over the rulings as they are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from hkgit.audit.reports.findings import ReportItem
from hkgit.errors import HkgitError
from hkgit.gate.ruling import Report, Ruling

DOCUMENTS = ("json", "gitlab", "sarif")
"""The names of the formats that are one JSON document, on refusal too."""

FORMATS = ("text", "github", *DOCUMENTS)
"""The names of all formats."""

Judged = Iterable[tuple[Ruling, Sequence[ReportItem]]]
"""Rulings, each with its findings and their places."""


def render(form: str, judged: Judged, report: Report) -> Iterator[str]:
    """Render rulings in one of the formats, as they come; only its own module is loaded.

    `report` counts them, and is asked at the end. Memory grows with what is found, not with the
    range.
    """
    module = import_module(f"{__name__}.{'documents' if form in DOCUMENTS else 'text'}")
    rendered: Iterator[str] = getattr(module, f"render_{form}")(judged, report)
    return rendered


def refusal(error: HkgitError, form: str) -> str:
    """Render why there is no report, in a format that is a JSON document."""
    rendered: str = getattr(import_module(f"{__name__}.documents"), f"refuse_{form}")(error)
    return rendered
