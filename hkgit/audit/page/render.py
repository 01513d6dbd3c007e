"""What pages show, of a range and of tables, as files that fetch nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from itertools import islice
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

from hkgit import __version__
from hkgit.applying.evidence import RECOVERED, STRONGEST_FIRST
from hkgit.audit.audit import Audit
from hkgit.audit.commits import (
    REPLAYS,
    AuditedCommit,
    fold_agent,
    list_changes,
    needs_a_look,
    rank_weakness,
)
from hkgit.audit.page.hunks import MOST_HUNKS, ReviewHunk, list_hunks
from hkgit.audit.reports.findings import describe_rule, mend
from hkgit.audit.tables.figures import ask, sum_up
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.verdict import Finding
from hkgit.gate.ruling import NO_EVIDENCE
from hkgit.git.repository import Repository
from hkgit.matching.place import format_confidence, format_decimal
from hkgit.text.escape import count_noun, visible
from hkgit.values import dataclass

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


@cache
def _environment() -> Environment:
    """Load the templates, compiled once: tables may have a page for each of 1,000 repositories."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        fix = "Install it: pip install 'hkgit[report]'"
        raise InvalidInput("--html", "needs Jinja2, which is not installed", fix) from error
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
    "long_day": lambda day: f"{day.day} {day:%B} {day.year}",
    "meaning": describe_rule,
    "noun": count_noun,
    "percent": _percent,
    "visible": visible,
}


@dataclass(frozen=True)
class PageCommit:
    """A commit on the page; `hunks` is None where its details are left out."""

    commit: AuditedCommit
    hunks: tuple[ReviewHunk, ...] | None
    paths: tuple[str, ...]
    mend: str

    @property
    def anchor(self) -> str:
        return f"c-{self.commit.id[:12]}"

    @property
    def agent_names(self) -> tuple[str, ...]:
        """What a filter by agent compares: names without versions."""
        return tuple(dict.fromkeys(map(fold_agent, self.commit.agents)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """What a filter by evidence compares."""
        bare = (NO_EVIDENCE,) if self.commit.ruling.is_bare else ()
        return tuple(kind for kind in STRONGEST_FIRST if self.commit.evidence[kind]) or bare


@dataclass(frozen=True)
class PageFacts:
    """The page of one range; commits are in the order of review, the weakest first.

    `groups` are rules, and where each was broken by commits that do not pass.
    """

    title: str
    audit: Audit
    commits: tuple[PageCommit, ...]
    groups: Mapping[str, Sequence[tuple[PageCommit, Finding]]]

    @property
    def left_out(self) -> int:
        """How many commits are without their hunks."""
        return sum(each.hunks is None for each in self.commits)

    @property
    def look_first(self) -> tuple[PageCommit, ...]:
        """The weakest commits of agents, of which the first screen speaks."""
        return tuple(each for each in self.commits if needs_a_look(each.commit))[:5]

    @property
    def days(self) -> tuple[date, date] | None:
        times = [each.commit.time.date() for each in self.commits]
        return (min(times), max(times)) if times else None


MOST_ROWS = 8_000
"""Lines of diffs on one page: the weakest commits come first, the rest is named."""

MOST_FINDINGS = 300
_OPEN = 4
"""What a commit that can be opened weighs, in lines of diffs."""

MOST_NAMED = 8
"""Agents on the first screen: those of most commits."""


def gather_facts(repository: Repository, title: str, audit: Audit) -> PageFacts:
    """Collect everything of an audit that the page shows."""
    commits = tuple(_page_commits(repository, sorted(audit.commits, key=rank_weakness)))
    return PageFacts(visible(title), audit, commits, _group_findings(commits))


def _page_commits(repository: Repository, commits: Sequence[AuditedCommit]) -> Iterator[PageCommit]:
    left = MOST_ROWS
    for commit in commits:
        hunks = None
        if left > 0:
            hunks = list_hunks(repository, commit)
            left -= _OPEN + sum(len(hunk.rows) + 2 for hunk in hunks)
        paths = tuple(map(visible, _list_paths(repository, commit)))
        yield PageCommit(commit, hunks, paths, visible(mend(commit.ruling)))


def _list_paths(repository: Repository, commit: AuditedCommit) -> tuple[str, ...]:
    """List the files that an agent's commit changes, by their new names; of others none."""
    judged = commit.ruling.judged
    if judged.entries:
        return tuple(dict.fromkeys(file.new_path or file.name for file in judged.files))
    if not commit.ruling.is_bare:
        return ()
    try:
        return tuple(change.path for change in list_changes(repository, judged.candidate))
    except HkgitError:
        return ()


def _group_findings(commits: Sequence[PageCommit]) -> dict[str, list[tuple[PageCommit, Finding]]]:
    """Group the findings of commits that do not pass by rule, that of most findings first."""
    failing = (each for each in commits if not each.commit.passes)
    pairs = ((each, finding) for each in failing for finding in each.commit.ruling.findings)
    found: dict[str, list[tuple[PageCommit, Finding]]] = {}
    for each, finding in islice(pairs, MOST_FINDINGS):
        found.setdefault(finding.rule, []).append((each, finding))
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


MOST_COMMITS = 200
MOST_FILES = 50


def sum_tables(database: Connection) -> dict[str, Any]:
    """Sum up what the page over tables shows: rows of the queries in figures.sql."""
    repositories = ask(database, "repositories")
    for row in repositories:
        found = json.loads(row["replays"] or "{}")
        row["replays"] = {name: found[name] for name in REPLAYS if name in found}
    return {
        "repositories": repositories,
        "summary": sum_up(database, step="week"),
        "rules": ask(database, "rules"),
        "commits": ask(database, "commits to look at", most=MOST_COMMITS),
        "files": ask(database, "files to look at", most=MOST_FILES),
    }


def render_tables(database: Connection) -> str:
    """Render the page. Raises InvalidInput where Jinja2 is not here."""
    facts = sum_tables(database)
    return render_template("tables.html", facts=facts, most_commits=MOST_COMMITS)
