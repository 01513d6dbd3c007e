"""The documents that other programs may rely on, as types, and their JSON Schemas."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from types import NoneType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    get_args,
    get_origin,
    get_type_hints,
)

from hkgit.text.strict_json import JsonObject


class Keywords:
    """Keywords of JSON Schema that a type of Python cannot say."""

    def __init__(self, **words: Any) -> None:
        self.words = words


Count = Annotated[int, Keywords(minimum=0)]
Line = Annotated[int, Keywords(minimum=1)]
Share = Annotated[float, Keywords(minimum=0, maximum=1)]
Permille = Annotated[int, Keywords(minimum=0, maximum=1000), "Per mille, rounded down."]
Range = Annotated[list[Count], Keywords(minItems=2, maxItems=2)]
Sha256 = Annotated[str, Keywords(pattern="^[0-9a-f]{64}$")]
CommitId = Annotated[str, Keywords(pattern="^[0-9a-f]{40}([0-9a-f]{24})?$")]
Time = Annotated[str, Keywords(format="date-time")]
Seconds = Annotated[int, "In seconds since 1970."]

EvidenceKind = Literal["hash", "receipt", "quote", "tag", "late", "none"]
ShownKind = EvidenceKind | Literal["recovered"]
ReplayName = Annotated[
    Literal[
        "strict",
        "reanchored",
        "mixed",
        "recovered",
        "merge",
        "revert",
        "prune",
        "attested",
        "vouched",
        "empty",
        "unverifiable",
        "fail",
        "by hand",
        "no evidence",
    ],
    "What can be derived, whatever the policy says: a verdict, or why nothing can.",
]


# What calls answer


class ErrorJson(TypedDict):
    """Why nothing came of it."""

    where: str
    what: str
    fix: str
    exit_code: int


class NextJson(TypedDict):
    """The call to make next."""

    tool: str
    arguments: dict[str, Any]


class RefusalJson(TypedDict):
    """Why a call came to nothing."""

    status: str
    error: ErrorJson
    next: NotRequired[NextJson]


class CandidateJson(TypedDict):
    """A place that a refused edit may have meant, in lines of the file as it is."""

    start_line: Line
    end_line: Count
    range_hash: Annotated[Sha256 | None, "Null, like the text, if it is too long."]
    similarity: Share | None
    text: str | None


class OutcomeJson(TypedDict):
    """What became of one edit."""

    number: Line
    spec: NotRequired[Annotated[str, "The spec of the edit, where a call has several."]]
    path: str
    file: Annotated[str, "The path, under the name that other tools use."]
    status: Annotated[
        Literal[
            "applied",
            "would_apply",
            "not_applied",
            "no_match",
            "ambiguous",
            "stale",
            "conflict",
            "already_applied",
            "invalid",
        ],
        "`would_apply` in a dry run, `not_applied` for an edit next to a refused one.",
    ]
    tier: str | None
    match_type: Annotated[str | None, "The tier, under the name that other tools use."]
    similarity: Share | None
    confidence: Share | None
    evidence: EvidenceKind
    expected_hash: str | None
    lines: list[Range]
    repairs: list[str]
    notes: list[str]
    matched_text: str | None
    diff: str
    error: ErrorJson | None
    candidates: Annotated[list[CandidateJson], "Of a refused edit, the likeliest first."]
    corrected: Annotated[
        str | None,
        "The refused edit, corrected for the one similar place, in the dialect of the spec:"
        " for its author to"
        " confirm, never applied automatically.",
    ]


class BlindJson(TypedDict):
    """An edit that nothing ties to what was read."""

    number: Line
    spec: NotRequired[Annotated[str, "The spec of the edit, where a call has several."]]
    path: str
    lines: Annotated[Range | None, "The first and the last line to read; null for all."]
    read: Annotated[str, "The command that reads these lines."]


class MergeJson(TypedDict):
    """What `apply --merge` has merged, and what became of each conflicted path."""

    commit: str
    conflicts: dict[str, Literal["resolved", "kept"]]


class AnswerJson(TypedDict):
    """What became of a spec, as `edit --json` and `apply --json` print it."""

    status: Literal[
        "applied",
        "would_apply",
        "no_match",
        "ambiguous",
        "stale",
        "conflict",
        "already_applied",
        "invalid",
        "verify_failed",
        "rejected",
        "git_refused",
        "unverifiable",
        "fault",
        "usage",
    ]
    dry_run: NotRequired[Annotated[bool, "True if nothing was to be changed."]]
    edits: list[OutcomeJson]
    commit: str | None
    error: NotRequired[ErrorJson]
    call: NotRequired[Annotated[str | None, "What `undo` undoes."]]
    files: NotRequired[Annotated[list[str], "The paths that changed."]]
    blind: NotRequired[list[BlindJson]]
    merge: NotRequired[MergeJson]
    next: NotRequired[NextJson]
    file: NotRequired[str]
    match_type: NotRequired[str | None]
    confidence: NotRequired[Share | None]
    matched_text: NotRequired[str | None]


class ReadJson(TypedDict):
    """Lines of a file with their hash, as `read --json` prints them."""

    path: str
    start_line: Line
    end_line: Annotated[Count, "start_line - 1 where there are no lines."]
    total_lines: Count
    range_hash: Annotated[str | None, "SHA-256 over the lines, each with a line feed."]
    range_lines: list[str]
    kind: NotRequired[Annotated[Literal["image", "binary"], "If the file is not text."]]
    mime: NotRequired[str]
    has_receipt: NotRequired[Annotated[bool, "Whether the session keeps that this was read."]]
    tagged_lines: NotRequired[Annotated[list[str], "As `ab|text`, where read with tags."]]
    next: NotRequired[NextJson]
    next_line: NotRequired[Annotated[Line, "Where to go on reading."]]


class UndoJson(TypedDict):
    """What was taken back."""

    status: Literal["undone"]
    session: str
    calls: list[str]
    files: list[str]


class SessionCallJson(TypedDict):
    """A call of `edit` in a session."""

    call: str
    time: Seconds
    agent: str
    edits: Count
    blind: Count
    committed: Count
    files: list[str]
    undone: bool


class ReceiptJson(TypedDict):
    """Lines that a session has read."""

    path: str
    start_line: int | None
    end_line: int | None
    range_hash: str


class StatusJson(TypedDict):
    """The state of a session."""

    session: str
    calls: list[SessionCallJson]
    receipts: list[ReceiptJson]
    uncommitted: Count
    blind: Count
    coverage: Annotated[Share | None, "The share of uncommitted edits that have evidence."]


class SessionJson(TypedDict):
    """A session of a checkout."""

    session: Annotated[str, "`_` holds the calls that name no session."]
    agents: list[str]
    call_count: Count
    waiting: Annotated[Count, "Edits that are in the checkout and in no commit."]
    waiting_blind: Count
    last_used: Seconds
    expires: Annotated[
        int | None, "When it is removed if unused; null while it has uncommitted edits."
    ]
    damage: Annotated[str | None, "Why its journal cannot be read."]


class SessionsJson(TypedDict):
    """The sessions of a checkout."""

    sessions: list[SessionJson]


class DecisionJson(TypedDict):
    """What a person answered with `hkgit consult`."""

    decision: Literal["apply", "drop", "rewrite"]
    by: str
    message: str


class RefusedCallJson(TypedDict):
    """An edit that was refused, and what came of it."""

    id: str
    time: Time
    agent: str
    call: Literal["apply", "edit"]
    path: Annotated[str, "Empty for a spec that could not be read."]
    status: str
    reason: str
    tries: int
    landed: str | None
    decided: DecisionJson | None


class RefusalsJson(TypedDict):
    """What was refused in a clone, the newest first."""

    refusals: list[RefusedCallJson]


# What the gate and the history answer


class PolicyResultJson(TypedDict):
    """Whether a policy lets a commit pass, and the rule that decided."""

    passes: bool
    rule: str
    source: str | None


class FindingJson(TypedDict):
    """What is wrong, with its place in the newest commit where it has one."""

    rule: str
    where: str
    what: str
    fix: str
    path: str | None
    start_line: int | None
    end_line: int | None


class ByHandJson(TypedDict):
    """What no entry accounts for, and the policy lets its author change."""

    path: str
    lines: list[Range]


class RulingJson(TypedDict):
    """Whether a commit passes, and why."""

    commit: Annotated[CommitId | None, "Null of a commit that is being made."]
    replay: ReplayName
    policy: PolicyResultJson
    entries: list[Sha256]
    findings: list[FindingJson]
    notes: list[str]
    basis: Annotated[
        str | None, "What the verdict is based on, if that is another commit or a key."
    ]
    by_hand: list[ByHandJson]
    mend: Annotated[
        str, "The command that makes the commit again with evidence; empty if there is none."
    ]


class JudgingPolicyJson(TypedDict):
    """The policy that judged."""

    source: str
    mode: Literal["enforce", "warn", "report"]


class GateJson(TypedDict):
    """Whether each commit of a range passes, as `gate --json` and `verify --json` answer.

    Where nothing could be judged, the answer is a `status` and an `error`.
    """

    passes: bool
    provisional: Annotated[bool, "Judged on a client, where hooks can be skipped."]
    policy: JudgingPolicyJson
    commits: list[RulingJson]


class CommitJson(TypedDict):
    """A commit: what can be derived of it, and whether it passes the policy."""

    commit: CommitId
    replay: ReplayName
    policy: PolicyResultJson
    time: Time
    subject: str
    author: str
    agents: list[str]
    evidence: Annotated[dict[str, int], "Edits by evidence."]
    weakest_evidence: ShownKind | None
    lowest_confidence: Share | None
    entries: list[str]
    findings: list[dict[str, Any]]
    mend: str
    signatures: list[dict[str, Any]]


class HunkReadJson(TypedDict):
    """What was read of the lines of a hunk."""

    lines: Range
    kind: str
    how: str


class HunkJson(TypedDict):
    """A hunk, with what was read before it."""

    path: str
    lines: Range
    evidence: str
    confidence: Share | None
    changed: int
    added: int
    unseen: Annotated[int, "Lines of the base that it changes and that no reading covers."]
    read: list[HunkReadJson]


class ShowJson(CommitJson):
    """A commit with its ledger entries, and its hunks with what was read before them."""

    ledger: list[dict[str, Any]]
    hunks: list[HunkJson]


class BlameLineJson(TypedDict):
    """A line of a file, with the edit that wrote it and its evidence."""

    line: int
    text: str
    commit: str | None
    commit_path: str
    commit_line: int
    time: str | None
    kind: str
    replay: str | None
    passes: bool | None
    author: str | None
    entry: str | None
    edit: int | None
    agent: str | None
    tier: str | None
    evidence: str
    weak: bool
    confidence: Share | None


class PassingJson(TypedDict):
    """Commits that a policy accepts, and others."""

    passes: int
    fails: int


class NumbersJson(TypedDict):
    """Commits, edits and their evidence in numbers."""

    commits: int
    replay: dict[str, int]
    policy: PassingJson
    entries: int
    edits: int
    files: int
    agents: dict[str, int]
    tiers: dict[str, int]
    evidence: dict[str, int]
    lowest_confidence: Share | None
    blind_edits: int
    blind_rate: Share | None


class AgentNumbersJson(TypedDict):
    """The numbers of an agent."""

    agent: str
    commits: int
    derived: int
    passes: int
    edits: int
    weak: int
    refused: int
    first_week: Annotated[str, Keywords(format="date")]
    by_week: list[int]


class StatsJson(NumbersJson):
    """A stretch of history in numbers."""

    policy_source: str
    refused: int
    by_agent: list[AgentNumbersJson]


class ReportJson(TypedDict):
    """A range: its commits under the policy, what is claimed, and the numbers."""

    range: str
    old: CommitId
    new: CommitId
    passes: bool
    policy: JudgingPolicyJson
    commits: list[RulingJson]
    rejected: list[str]
    break_glass: list[str]
    claimed: dict[str, Any]
    numbers: NumbersJson


class FactJson(TypedDict):
    """What an answer rests on."""

    says: Literal["yes", "no", "unknown"]
    commit: Annotated[str, "Empty for a fact of the whole range."]
    where: str
    what: str


class PointJson(TypedDict):
    """A question of the edit protocol and its answer."""

    name: str
    question: str
    answer: Literal["yes", "no", "unknown"]
    basis: Annotated[
        Literal["replayed", "recomputed", "claimed"],
        "What the answer is based on: bytes, ranges and hashes; the spec, located again; or"
        " a claim.",
    ]
    facts: list[FactJson]


class QaJson(TypedDict):
    """Answers to what the edit protocol asks of QA on a range."""

    passes: Annotated[bool, "Whether every answer is yes."]
    commits: Annotated[Count, "How many the range has."]
    governed: Annotated[Count, "How many of them the protocol applies to."]
    points: list[PointJson]


# What was adopted from transcripts


class TranscriptJson(TypedDict):
    """A transcript that was read."""

    path: str
    form: Annotated[str | None, "Null for one in an unknown format."]
    steps: Count
    broken_lines: Count


class ExplainedJson(TypedDict):
    """Lines that the entry of a call derives."""

    path: str
    lines: Range
    agent: str
    session: str
    where: Annotated[str | None, "The place in the transcript."]
    call: str | None
    tool: str | None
    evidence: str
    evidence_lines: Range | None
    changed_share: Share | None


class UnexplainedJson(TypedDict):
    """Lines that no entry derives."""

    path: str
    lines: Range
    what: str


class SkippedJson(TypedDict):
    """A call that says nothing of a change."""

    where: str
    call: str
    tool: str
    why: str


class AdoptedChangeJson(TypedDict):
    """Which call made each changed line of a commit."""

    commit: Annotated[str | None, "Null for what is not committed yet."]
    lines: Annotated[Count, "How many places were changed."]
    explained_lines: Count
    entries: Annotated[Count, "Entries that explain them."]
    record: Annotated[str | None, "The ref that keeps the evidence outside the history."]
    explained: list[ExplainedJson]
    unexplained: list[UnexplainedJson]
    skipped: list[SkippedJson]


class AdoptJson(TypedDict):
    """Which call made each changed line."""

    status: Literal["explained", "unexplained"]
    kept: Annotated[bool, "Whether evidence was written."]
    transcripts: list[TranscriptJson]
    other_repositories: list[str]
    changes: list[AdoptedChangeJson]


class TallyJson(TypedDict):
    """Numbers of commits: all, those that the policy accepts, and by kind."""

    commits: int
    passing: int
    replay: dict[str, int]
    evidence: dict[str, int]
    agents: dict[str, int]


class FleetErrorJson(TypedDict):
    """Why a repository could not be judged."""

    where: str
    what: str
    fix: str


class FleetRepositoryJson(TypedDict):
    """What a run says of a repository."""

    name: str
    address: Annotated[str, "Where it is, without credentials."]
    status: Literal["verified", "unchanged", "empty", "same", "failed"]
    passes: bool
    tips: Annotated[dict[str, str], "Commits by ref."]
    policy: Annotated[str | None, "The digest of the policy."]
    new: Annotated[int, "Commits that were judged in this run."]
    same_as: Annotated[str | None, "The name of the entry that records it."]
    error: FleetErrorJson | None
    numbers: TallyJson


class FleetJson(TypedDict):
    """What `hkgit fleet verify` says of each repository, and of all of them together."""

    schema: Literal[1]
    versions: list[str]
    repositories: list[FleetRepositoryJson]
    total: TallyJson
    failed: Annotated[int, "Repositories that could not be judged."]
    rejected: Annotated[int, "Repositories that their policy rejects."]


class ExportJson(TypedDict):
    """What an export did to the tables of a repository."""

    repository: Annotated[str, "Its name in every table."]
    url: Annotated[str | None, "The URL of its remote, without credentials."]
    roots: Annotated[list[str], "The ids of the root commits."]
    judged: Annotated[int, "Commits that were judged in this run."]
    removed: Annotated[int, "Commits that are no longer in the history."]


class SqlColumnJson(TypedDict):
    """A column of an answer."""

    name: str
    type: Annotated[str, "The type, as the database names it."]


class SqlJson(TypedDict):
    """The answer to a query."""

    columns: list[SqlColumnJson]
    rows: Annotated[list[dict[str, Any]], "By column name; a repeated name becomes `NAME_2`."]


# The ledger, where nothing else may be


class Base64Json(TypedDict):
    """Bytes that are not UTF-8."""

    base64: Annotated[str, Keywords(contentEncoding="base64")]


LedgerText = Annotated[str | Base64Json, "Text; base64 where its bytes are not UTF-8."]
LedgerLines = Annotated[
    tuple[Line, Count],
    "First and last line, from 1; [n+1, n] is the empty range after line n.",
]


class ParametersJson(TypedDict):
    """What the ladder was told."""

    threshold: Permille


class SpecJson(TypedDict):
    """The document that the edits were read from."""

    digest: Sha256


class LedgerReadJson(TypedDict):
    """A range that was read."""

    path: LedgerText
    lines: LedgerLines | None
    range_hash: Sha256
    kind: Literal["hash", "receipt", "late"]


class OperationJson(TypedDict):
    """What an edit says; a key that says nothing is left out."""

    op: Literal[
        "replace_text",
        "replace_range",
        "insert_after",
        "replace_tagged",
        "create_file",
        "write_file",
        "delete_file",
        "rename_file",
        "set_mode",
    ]
    path: LedgerText
    new_path: NotRequired[LedgerText]
    old_text: NotRequired[LedgerText]
    new_text: NotRequired[LedgerText]
    new_lines: NotRequired[list[LedgerText]]
    start_line: NotRequired[Line]
    end_line: NotRequired[Line]
    after_line: NotRequired[Count]
    start_tag: NotRequired[LedgerText]
    stop_tag: NotRequired[LedgerText]
    offset: NotRequired[Line]
    is_exclusive: NotRequired[bool]
    expected_hash: NotRequired[Annotated[str, Keywords(pattern="^[0-9a-f]{12,64}$")]]
    line_hint: NotRequired[Count]
    anchors: NotRequired[list[LedgerText]]
    heading: NotRequired[LedgerText]
    replace_all: NotRequired[bool]
    expected_count: NotRequired[Line]
    final_newline: NotRequired[bool]
    at_end: NotRequired[bool]
    whole_lines: NotRequired[bool]
    mode: NotRequired[Literal["100644", "100755"]]


class LedgerEditJson(TypedDict):
    """One edit: what it said, where it landed, how surely."""

    id: Line
    dialect: str
    path: LedgerText
    edit: OperationJson
    evidence: EvidenceKind
    expected_hash: Sha256 | None
    evidence_lines: LedgerLines | None
    lines: Annotated[list[LedgerLines], Keywords(minItems=1)]
    base_lines: Annotated[list[LedgerLines], Keywords(minItems=1)]
    relocated: bool
    tier: str
    repairs: list[str]
    similarity: Permille
    confidence: Permille
    runner_up: Permille | None


class LedgerHunkJson(TypedDict):
    """Base lines that become new text."""

    lines: LedgerLines
    old_hash: Sha256
    new_hash: Sha256
    new_text: LedgerText
    before: Annotated[list[Sha256], Keywords(maxItems=3)]
    after: Annotated[list[Sha256], Keywords(maxItems=3)]
    edits: list[Line]


class MarkJson(TypedDict):
    """A file's mode and the SHA-256 of its bytes."""

    mode: Annotated[str, Keywords(pattern="^[0-7]{6}$")]
    sha256: Sha256


class LedgerFileJson(TypedDict):
    """One file before and after; path is null for a new file, new_path for a deleted one."""

    path: LedgerText | None
    new_path: LedgerText | None
    before: MarkJson | None
    after: MarkJson | None
    final_newline: bool
    hunks: list[LedgerHunkJson]


class SquashedJson(TypedDict):
    """How many edits, which wrote over one another, the entry is the net change of."""

    edits: Line
    agents: list[str]


class ClaimsJson(TypedDict, total=False):
    """What nobody can recompute: agent, time, the verify outcome, refusals, what was squashed."""

    agent: str
    time: Seconds
    origin: Annotated[str, "`recovered` where the entry was made from a transcript."]
    squashed: Annotated[SquashedJson, Keywords(additionalProperties=True)]


class LedgerJson(TypedDict):
    """The record of one applied spec: RFC 8785 canonical JSON and one line feed.

    It is named by the SHA-256 of its bytes.
    """

    schema: Literal[1]
    ladder: Annotated[Count, "The matching ladder; raised whenever any result may change."]
    parameters: ParametersJson
    base: Annotated[CommitId | None, "The commit that the edits were written against; a claim."]
    spec: SpecJson
    reads: list[LedgerReadJson]
    edits: Annotated[list[LedgerEditJson], Keywords(minItems=1, maxItems=1000)]
    files: list[LedgerFileJson]
    claims: Annotated[ClaimsJson, Keywords(additionalProperties=True)]


FORMATS: dict[str, Any] = {
    "adopt": Annotated[AdoptJson, "Which call made each changed line."],
    "answer": AnswerJson,
    "blame": Annotated[list[BlameLineJson], "The lines of a file."],
    "commit": CommitJson,
    "export": ExportJson,
    "fleet": FleetJson,
    "gate": GateJson,
    "ledger": LedgerJson,
    "log": Annotated[list[CommitJson], "Commits, the newest first."],
    "outcome": OutcomeJson,
    "qa": QaJson,
    "read": ReadJson,
    "refusal": RefusalJson,
    "refusals": RefusalsJson,
    "report": ReportJson,
    "sessions": SessionsJson,
    "show": ShowJson,
    "sql": SqlJson,
    "stats": StatsJson,
    "status": StatusJson,
    "undo": UndoJson,
}
"""Every document by its name."""


_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_STRICT = ("ledger",)
"""Documents in which no other key may be."""


def describe_format(name: str) -> JsonObject:
    """Write the schema of a document. Raises KeyError where no document has this name."""
    return _write(FORMATS[name], is_open=name not in _STRICT)


def describe_choice(*names: str) -> JsonObject:
    """Write the schema of an object that is one of several documents."""
    return {"type": "object", "anyOf": [_write(FORMATS[name], is_open=True) for name in names]}


def _write(kind: Any, *, is_open: bool) -> JsonObject:
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin is None:
        known = _PLAIN.get(kind)
        return {"type": known} if known else _write_object(kind, is_open=is_open)
    if origin is Literal:
        return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
    if origin is Annotated:
        schema, notes = _write(args[0], is_open=is_open), args[1:]
        for note in notes:
            schema |= {"description": note} if isinstance(note, str) else note.words
        return schema
    parts = [_write(each, is_open=is_open) for each in args]
    if origin is NotRequired:
        return parts[0]
    if origin is list:
        return {"type": "array", "items": parts[0]}
    if origin is tuple:
        return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}
    if origin is dict:
        return {"type": "object"} | ({"additionalProperties": parts[1]} if parts[1] else {})
    return _write_choice(parts)


def _write_object(kind: Any, *, is_open: bool) -> JsonObject:
    """Write a TypedDict, whose docstring describes it."""
    hints = get_type_hints(kind, include_extras=True)
    # With postponed annotations `__required_keys__` has those of `NotRequired` as well.
    optional = {name for name, each in hints.items() if get_origin(each) is NotRequired}
    schema: JsonObject = {
        "description": cleandoc(kind.__doc__),
        "type": "object",
        "properties": {name: _write(each, is_open=is_open) for name, each in hints.items()},
        "required": [name for name in hints if name in kind.__required_keys__ - optional],
    }
    return schema if is_open else schema | {"additionalProperties": False}


def _write_choice(parts: Sequence[JsonObject]) -> JsonObject:
    """Write what is one of several; null joins the type or the values of the only other one."""
    null: JsonObject = {"type": "null"}
    others = [part for part in parts if part != null]
    if len(others) == len(parts) or len(others) > 1:
        return {"anyOf": list(parts)}
    other = others[0]
    if "enum" in other:
        return other | {"enum": [*other["enum"], None]}
    return other | {"type": [other["type"], "null"]} if "type" in other else {"anyOf": list(parts)}
