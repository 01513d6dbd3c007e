"""Reports of the gate: a module for each format, with a class, or `render` of a document."""

from __future__ import annotations

from importlib import import_module

from hkgit.audit.reports.report_format import DocumentFormat, ReportFormat
from hkgit.errors import HkgitError
from hkgit.gate.policy.model import Policy

_MODULES = {
    "text": "text",
    "json": "plain",
    "github": "github",
    "gitlab": "gitlab",
    "rdjson": "rdjson",
    "sarif": "sarif",
}

_CLASSES = {"text": "TextFormat", "json": "JsonFormat", "github": "GitHubFormat"}
"""Formats that are more than a document of findings at the end."""

FORMATS = tuple(_MODULES)
"""The names of the formats."""

DOCUMENTS = ("gitlab", "json", "rdjson", "sarif")
"""Those that are one JSON document, on refusal too."""


def begin(form: str, policy: Policy, commit_url: str | None = None) -> ReportFormat:
    """Begin a report in one of the formats; only that format's module is loaded."""
    module = import_module(f"{__name__}.{_MODULES[form]}")
    if form not in _CLASSES:
        return DocumentFormat(policy, module.render)
    begun: ReportFormat = getattr(module, _CLASSES[form])(policy, commit_url)
    return begun


def refusal(error: HkgitError, form: str) -> str:
    """Render why there is no report, in a format that is a JSON document."""
    rendered: str = import_module(f"{__name__}.{_MODULES[form]}").refusal(error)
    return rendered
