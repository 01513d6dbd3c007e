"""Reports of the gate: a class for each format, or a function that renders a document."""

from __future__ import annotations

from importlib import import_module

from hkgit.audit.reports.report_format import DocumentFormat, ReportFormat
from hkgit.errors import HkgitError
from hkgit.gate.policy.model import Policy

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
