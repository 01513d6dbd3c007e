"""Findings and rulings as text: what is wrong, where, and how to fix it."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from hkgit.audit.commits import list_changes
from hkgit.edits import DIRECTORY, SUBMODULE, Snapshot, encode_text
from hkgit.errors import Unverifiable
from hkgit.evidence.verdict import Finding
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.text.diff import LineChange, LineMap, find_changes
from hkgit.text.document import Document, Lines, has_too_many_lines
from hkgit.text.paths import quote_path
from hkgit.values import dataclass

LEVELS = {"enforce": "error", "warn": "warning", "report": "note"}
"""How grave a finding is under each mode of the policy, in the words of SARIF."""


NOWHERE = ".hkgit"
"""The path of a finding that refers to no file, for formats whose readers want one."""


@dataclass(frozen=True)
class SourcePlace:
    """Lines of a file, counted from 1, both included; without lines, the file as a whole."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True)
class ReportItem:
    """A finding: of which ruling, where it is in the newest commit, and its fingerprint.

    `place` is None where it refers to no file. The fingerprint stays the same when lines move
    and commits get other ids.
    """

    ruling: Ruling
    finding: Finding
    place: SourcePlace | None
    fingerprint: str


def grade(item: ReportItem, policy: Policy) -> str:
    """Grade a finding: error, warning or note; a note if the commit passes."""
    return "note" if item.ruling.passes else LEVELS[policy.mode]


def name_commit(ruling: Ruling) -> str:
    """Name the commit by 12 digits of its id, or as the one to be made."""
    commit = ruling.judged.candidate.id
    return "commit to be made" if commit is None else commit[:12]


_LINES = re.compile(r"(?::(\d+)(?:-(\d+))?)?(?=, | and |\Z)")
"""What follows a path: its lines, and other paths."""

_SPEAK_OF_RESULT = frozenset({"bytes", "mode", "text"})
"""The rules whose lines are those of the file after the commit; of the others, before it."""

_NO_PATH = frozenset({"trailer", "unverifiable"})


def place_findings(
    repository: Repository, rulings: Iterable[Ruling], tip: str
) -> Iterator[tuple[Ruling, tuple[ReportItem, ...]]]:
    """Place the findings of each ruling in the tree of the newest commit."""
    seen: Counter[str] = Counter()
    for ruling in rulings:
        items = []
        places = _Places.of(repository, ruling, tip) if ruling.findings else None
        for finding in ruling.findings:
            place = None if places is None else places.find(finding)
            text = () if places is None or place is None else places.text(place)
            # What stays when lines move and commits are made again: rule, path, text.
            path = encode_text("" if place is None else place.path)
            kept = finding.rule.encode(), path, *(text or [encode_text(finding.what)])
            key = hashlib.sha256(b"\0".join(kept)).hexdigest()
            seen[key] += 1
            fingerprint = hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()
            items.append(ReportItem(ruling, finding, place, fingerprint))
        yield ruling, tuple(items)


@dataclass(frozen=True)
class _Places:
    """The files before a commit, after it, and at the tip."""

    before: Snapshot
    after: Snapshot
    tip: Snapshot
    paths: tuple[str, ...]
    moved: Mapping[str, str]

    @classmethod
    def of(cls, repository: Repository, ruling: Ruling, tip: str) -> _Places | None:
        """None where the commit cannot be read."""
        candidate = ruling.judged.candidate
        try:
            changed = [change.path for change in list_changes(repository, candidate)]
        except Unverifiable:
            return None
        return cls(
            before=repository.snapshot(next(iter(candidate.parents), EMPTY_TREE)),
            after=repository.snapshot(candidate.tree),
            tip=repository.snapshot(tip),
            paths=tuple(sorted(changed, key=len, reverse=True)),
            moved={
                file.path: file.new_path
                for file in ruling.judged.files
                if file.path is not None and file.new_path is not None
            },
        )

    def find(self, finding: Finding) -> SourcePlace | None:
        """Find the place of a finding at the tip."""
        if finding.rule in _NO_PATH:
            return None
        if finding.path is not None:
            start, end = finding.start_line, finding.end_line
            return self._at_tip(finding.path, None if start is None else (start, end or start))
        named = self._find_named(finding.where)
        if named is not None and finding.rule not in _SPEAK_OF_RESULT:
            named = self._after_commit(*named)
        return None if named is None else self._at_tip(*named)

    def _find_named(self, where: str) -> tuple[str, Lines | None] | None:
        """The file that begins a finding's `where`, as it is or as git quotes it, and the lines."""
        for path in self.paths:
            name = path if where.startswith(path) else quote_path(path)
            found = _LINES.match(where, len(name)) if where.startswith(name) else None
            if found is not None:
                return path, None if found[1] is None else (
                    int(found[1]),
                    int(found[2] or found[1]),
                )
        return None

    def _after_commit(self, path: str, lines: Lines | None) -> tuple[str, Lines | None]:
        """Lines of the file before the commit as those after it; the first change by default."""
        new_path = self.moved.get(path, path)
        old, new = _lines(self.before, path), _lines(self.after, new_path)
        if new is None:
            return path, None
        differ = find_changes(old or (), new)
        if lines is None:
            return new_path, _result(differ[0]) if differ else None
        return new_path, LineMap(differ).follow(lines)

    def _at_tip(self, path: str, lines: Lines | None) -> SourcePlace:
        new, now = _lines(self.after, path), _lines(self.tip, path)
        if lines is None or new is None or now is None:
            return SourcePlace(path)
        first, last = LineMap(find_changes(new, now)).follow(lines)
        last = max(min(last, len(now)), 1)
        return SourcePlace(path, min(max(first, 1), last), last)

    def text(self, place: SourcePlace) -> Sequence[bytes]:
        """The lines that are at a place of the tip; none where it is a whole file."""
        if place.start_line is None:
            return ()
        return (_lines(self.tip, place.path) or ())[place.start_line - 1 : place.end_line]


def _result(change: LineChange) -> Lines:
    return change.new_start + 1, max(change.new_end, change.new_start + 1)


def _lines(files: Snapshot, path: str) -> tuple[bytes, ...] | None:
    """The lines of a file; None where there is none that has lines."""
    file = files.get(path)
    if file is None or file.mode in (DIRECTORY, SUBMODULE) or has_too_many_lines(file.data):
        return None
    return Document(file.data).lines


PAGE = Path(__file__).with_name("rule_page.md")


@cache
def read_sections() -> Mapping[str, str]:
    """Map each rule and verdict to its section of the page, without the heading."""
    _, *sections = PAGE.read_text("utf-8").split("\n## ")
    parts = (section.partition("\n") for section in sections)
    return {name: text.strip() for name, _, text in parts}


def describe_rule(rule: str) -> str:
    """Say what a rule is for, in one sentence."""
    section = read_sections().get(rule, f"The commit keeps the gate's rule {rule!r}.")
    return section.partition("\n")[0]


def explain_rule(rule: str) -> str | None:
    """Explain a rule or a verdict; None where there is no such one."""
    section = read_sections().get(rule)
    return None if section is None else f"{rule}\n\n{section}"


def find_rule_url(rule: str, urls: Iterable[str] | None = None) -> str | None:
    """Find the address of a rule's section, given the `Project-URL`s of a package: hkgit's own."""
    named = dict(each.split(", ", 1) for each in (_list_urls() if urls is None else urls))
    site = named.get("Documentation")
    return None if site is None else f"{site.rstrip('/')}/rules/#{rule}"


@cache
def _list_urls() -> tuple[str, ...]:
    from importlib.metadata import metadata  # hooks print no addresses

    return tuple(metadata("hkgit").get_all("Project-URL") or ())


_UNSHALLOW = "git fetch --unshallow"


def mend(ruling: Ruling) -> str:
    """Write a command that fixes a commit, with what is left to do behind `#`; or nothing.

    For most it is `hkgit redo`, where the policy takes what that makes. It refuses what it cannot
    make again, and says who can.
    """
    if ruling.passes:
        return ""
    candidate, first = ruling.judged.candidate, ruling.findings[0]
    commit = (candidate.id or "")[:12]
    if ruling.rule == "unverifiable":
        # No command fixes what cannot be read or costs too much: its finding says what to do.
        return _UNSHALLOW if _UNSHALLOW in first.fix else f"git status  # {first.fix or first.what}"
    if ruling.rule == "assisted-by":  # the message alone is wrong: all else of the commit stays
        onto = f"{commit}^" if candidate.parents else "--root"
        return f"git {f'rebase -i -r {onto}  # reword it:' if commit else 'commit  #'} {first.fix}"
    if first.mend:
        own = (each.mend for each in ruling.findings if each.mend)
        steps = dict.fromkeys(step for each in own for step in each.split(" && "))
        is_undone = any(" undo " in each for each in steps)
        then = "make the edit again, and commit" if is_undone else "commit again"
        return " && ".join(steps) + ("" if commit else f"  # then {then}")
    is_mixed = ruling.judged.entries and ruling.agent is None and len(candidate.parents) < 2
    if not commit and is_mixed and ruling.rule in ("bytes", "mode"):
        return _split_by_hand(ruling)
    if ruling.redo is None:
        return ""
    if commit:
        return f"hkgit redo {ruling.redo}{commit}"
    author = ""
    if ruling.agent == candidate.author:  # as git was told for this one commit, maybe
        name, _, email = map(shlex.quote, candidate.author.removesuffix(">").partition(" <"))
        author = f"GIT_AUTHOR_NAME={name} GIT_AUTHOR_EMAIL={email} "
    return f"{author}hkgit redo --tree {candidate.tree[:12]}  # with -m for another message"


def _split_by_hand(ruling: Ruling) -> str:
    """Commit first what a person has changed beside sessions, who can tell lines apart."""
    named = [each.path or each.where for each in ruling.findings if each.rule == ruling.rule]
    known = {file.path for file in ruling.judged.files}
    paths = shlex.join(f":/{path}" for path in dict.fromkeys(named))
    command = f"git commit -q -m 'By hand' --only -- {paths}"
    if ruling.judged.candidate.amends:
        return command
    if known.isdisjoint(named):
        return f"{command}  # then commit again"
    words = "# commit what was made by hand first, then the rest; of a line that both changed,"
    return f"git reset -q && git add -p  {words} the agent's text first"


def _end(ruling: Ruling) -> str:
    """What fixes a commit, or by what it passes, behind its name; nothing where nothing does."""
    words = f"allowed by {ruling.rule}" if ruling.passes else mend(ruling)
    return words and f": {words}"


def render_message(item: ReportItem) -> str:
    """Render a finding for one place in a file: what, what to do, its commit, and where to read on.

    Annotations, comments and issues of every host have these words.
    """
    finding, ruling = item.finding, item.ruling
    return "\n".join(
        (
            finding.what if item.place is not None else f"{finding.where}: {finding.what}",
            finding.fix,
            f"Commit {name_commit(ruling)}{_end(ruling)}",
            f"More about this rule: {find_rule_url(finding.rule) or f'hkgit help {finding.rule}'}",
        )
    )
