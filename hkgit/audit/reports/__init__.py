"""Reports of the gate: each format is a function over the rulings as they are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from hkgit.audit.reports.findings import ReportItem
from hkgit.errors import HkgitError
from hkgit.gate.ruling import Report, Ruling

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


def render(form: str, judged: Judged, report: Report) -> Iterator[str]:
    """Render rulings in one of the formats, as they come; only its own module is loaded.

    `report` counts them, and is asked at the end. Memory grows with what is found, not with the
    range.
    """
    module = import_module(f"{__name__}.{_MODULES[form]}")
    rendered: Iterator[str] = getattr(module, f"render_{form}")(judged, report)
    return rendered


def refusal(error: HkgitError, form: str) -> str:
    """Render why there is no report, in a format that is a JSON document."""
    module = import_module(f"{__name__}.{_MODULES[form]}")
    rendered: str = getattr(module, f"refuse_{form}")(error)
    return rendered
