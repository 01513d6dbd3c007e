"""Reports of the gate, each format a module with one pure function `render`."""

from __future__ import annotations

from importlib import import_module

from hkgit.audit.reports.findings import ReportSheet
from hkgit.errors import HkgitError

_MODULES = {
    "text": "text",
    "json": "plain",
    "github": "github",
    "gitlab": "gitlab",
    "rdjson": "rdjson",
    "sarif": "sarif",
}

FORMATS = tuple(_MODULES)
"""The names of the formats."""

DOCUMENTS = ("gitlab", "json", "rdjson", "sarif")
"""Those that are one JSON document, on refusal too."""


def render(sheet: ReportSheet, form: str) -> str:
    """Render a report in one of the formats; only that format's module is loaded."""
    rendered: str = import_module(f"{__name__}.{_MODULES[form]}").render(sheet)
    return rendered


def refusal(error: HkgitError, form: str) -> str:
    """Render why there is no report, in a format that is a JSON document."""
    rendered: str = import_module(f"{__name__}.{_MODULES[form]}").refusal(error)
    return rendered
