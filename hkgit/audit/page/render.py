"""Pages as files that fetch nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from datetime import date
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from hkgit import __version__
from hkgit.applying.evidence import RECOVERED, STRONGEST_FIRST
from hkgit.audit.commits import REPLAYS
from hkgit.audit.page.hunks import MOST_HUNKS
from hkgit.audit.page.page_facts import MOST_NAMED, PageCommit, PageFacts
from hkgit.audit.reports.findings import describe_rule
from hkgit.errors import InvalidInput
from hkgit.gate.ruling import NO_EVIDENCE
from hkgit.matching.place import format_confidence, format_decimal
from hkgit.text.escape import count_noun, visible

if TYPE_CHECKING:
    from jinja2 import Environment


_MEANINGS = {
    "hash": "the edit gave the hash of the lines it changes, and the hash matches",
    "receipt": "the lines were read in the session, and had not changed",
    "tag": "the edit named its lines by the tags under which they were read",
    RECOVERED: "a transcript tells that the lines were read; whoever has the file can write it",
    "quote": "the edit quoted the text; nothing shows that it was read",
    "late": "its lines were named after the change; nothing shows that they were read before",
    "none": "the edit has no evidence",
    NO_EVIDENCE: "an agent's commit without a ledger entry",
}
AT_ONCE = 200
A_BATCH = 500
"""So many commits are elements as the page opens, and so many it makes of its text at a time."""

_CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'"


def render_page(facts: PageFacts) -> str:
    """Render one HTML file that fetches nothing. Raises InvalidInput where Jinja2 is not here."""
    return render_template("page.html", _asset("script.js"), facts=facts)


def render_template(name: str, script: str = "", **values: object) -> str:
    """Render a page with its style, and its script if it has one."""
    template = _environment().get_template(name)
    from markupsafe import Markup

    style = _asset("style.css")
    sources = {"style-src": style, **({"script-src": script} if script else {})}
    shown: str = template.render(
        policy=_CLOSED + "".join(f"; {name} {_hash(text)}" for name, text in sources.items()),
        style=Markup(style),  # our own files, which no history can change
        script=Markup(script),
        version=__version__,
        replays=REPLAYS,
        kinds=STRONGEST_FIRST,
        evidence_meanings=_MEANINGS,
        most_hunks=MOST_HUNKS,
        most_named=MOST_NAMED,
        at_once=AT_ONCE,
        a_batch=A_BATCH,
        **{**dict.fromkeys(("has_filters", "has_refusals", "has_repositories"), False), **values},
    )
    return shown


def _environment() -> Environment:
    try:
        import jinja2  # noqa: F401 - asked for only to say what is missing
    except ImportError as error:
        what, fix = (
            "needs Jinja2, which is not installed",
            "Install it: pip install 'hkgit[report]'",
        )
        raise InvalidInput("--html", what, fix) from error
    return _make_environment()


@cache
def _make_environment() -> Environment:
    """Load the templates, compiled once: tables may have a page for each of 1,000 repositories."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("hkgit.audit.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= _FILTERS
    return environment


def _asset(name: str) -> str:
    return files("hkgit.audit.page").joinpath("templates", name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _long_day(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _evidence_words(each: PageCommit) -> str:
    commit = each.commit
    if commit.ruling.is_bare:
        return NO_EVIDENCE
    if commit.weakest is None:
        return commit.replay
    return f"{commit.weakest}{format_confidence(commit.confidence, ', ')}"


def _percent(share: float) -> str:
    """A share in whole per cent; never 100 or 0 of what is not all or nothing."""
    rounded = 99 if 99 < share < 100 else 1 if 0 < share < 1 else round(share)
    return f"{rounded} %"


_FILTERS: dict[str, Callable[..., object]] = {
    "count_or_none": lambda count: "None" if count == 0 else str(count),
    "day": lambda day: f"{day.day} {day:%b}",
    "confidence": format_confidence,
    "decimal": format_decimal,
    "evidence_words": _evidence_words,
    "long_day": _long_day,
    "meaning": describe_rule,
    "noun": count_noun,
    "percent": _percent,
    "visible": visible,
}
