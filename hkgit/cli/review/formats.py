"""formats.py: the option that says how a report is written, for Click and for forms."""

from __future__ import annotations

from hkgit.cli.forms.form import Option

FORMATS = ("text", "json", "github", "gitlab", "rdjson", "sarif")
"""The names in `audit.reports.FORMATS`, which is slow to load."""

FORMAT = Option(
    "form",
    ("--format",),
    "How the report is written.",
    choices=FORMATS,
    default="text",
    makes_json=True,
)
