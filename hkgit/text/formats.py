"""The documents that other programs may rely on: a dictionary, and the JSON Schemas it says.

The dictionary has each document and each part of one: fields, their types, and words behind ` -- `.
A field with `?` may be missing. An object has all fields of the one in brackets too; a strict one
has no others. Braces hold keywords of JSON Schema. Eight spaces go on with the line above.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hkgit.errors import InvalidInput
from hkgit.text.strict_json import Json, JsonObject

DICTIONARY = r"""
# Plain values

count = integer {"minimum": 0}
line = integer {"minimum": 1}
share = number {"minimum": 0, "maximum": 1}
permille = integer {"minimum": 0, "maximum": 1000} -- Per mille, rounded down.
range = list of count {"minItems": 2, "maxItems": 2}
sha256 = text {"pattern": "^[0-9a-f]{64}$"}
commit_id = text {"pattern": "^[0-9a-f]{40}([0-9a-f]{24})?$"}
date = text {"format": "date-time"}
seconds = integer -- In seconds since 1970.
evidence_kind = one of hash, receipt, quote, tag, late, none
shown_evidence = one of hash, receipt, quote, tag, late, none, recovered
replay = one of strict, reanchored, mixed, recovered, merge, revert, prune, attested, vouched,
        empty, unverifiable, fail, by hand, no evidence -- What can be derived, whatever the
        policy says: a verdict, or why nothing can.
ledger_text = text or base64 -- Text; base64 where its bytes are not UTF-8.
ledger_lines = list {"prefixItems": [{"type": "integer", "minimum": 1},
        {"type": "integer", "minimum": 0}], "items": false, "minItems": 2} -- First and last line,
        from 1; [n+1, n] is the empty range after line n.

# Documents that are lists

document blame = list of blame_line -- The lines of a file.
document log = list of commit -- Commits, the newest first.

# What calls answer

fault: Why something could not be done.
    where, what, fix: text
error(fault): Why nothing came of it.
    exit_code: integer
next: The call to make next.
    tool: text
    arguments: object
document refusal: Why a call came to nothing.
    status: text
    error: error
    next?: next

candidate: A place that a refused edit may have meant, in lines of the file as it is.
    start_line: line
    end_line: count
    range_hash: sha256 or null -- Null, like the text, if it is too long.
    similarity: share or null
    text: text or null
document outcome: What became of one edit.
    number: line
    spec?: text -- The spec of the edit, where a call has several.
    path, diff: text
    file: text -- The path, under the name that other tools use.
    status: one of applied, would_apply, not_applied, no_match, ambiguous, stale, conflict,
        already_applied, invalid -- `would_apply` in a dry run, `not_applied` for an edit next to
        a refused one.
    tier, expected_hash, matched_text: text or null
    match_type: text or null -- The tier, under the name that other tools use.
    similarity, confidence: share or null
    evidence: evidence_kind
    lines: list of range
    repairs, notes: list of text
    error: error or null
    candidates: list of candidate -- Of a refused edit, the likeliest first.
    corrected: text or null -- The refused edit, corrected for the one similar place, in the
        dialect of the spec: for its author to confirm, never applied automatically.

blind: An edit that nothing ties to what was read.
    number: line
    spec?: text -- The spec of the edit, where a call has several.
    path: text
    lines: range or null -- The first and the last line to read; null for all.
    read: text -- The command that reads these lines.
merge: What `apply --merge` has merged, and what became of each conflicted path.
    commit: text
    conflicts: map of one of resolved, kept
document answer: What became of a spec, as `edit --json` and `apply --json` print it.
    status: one of applied, would_apply, no_match, ambiguous, stale, conflict,
        already_applied, invalid, verify_failed, rejected, git_refused, unverifiable, fault, usage
    dry_run?: flag -- True if nothing was to be changed.
    edits: list of outcome
    commit, match_type?, matched_text?: text or null
    error?: error
    call?: text or null -- What `undo` undoes.
    files?: list of text -- The paths that changed.
    blind?: list of blind
    merge?: merge
    next?: next
    file?: text
    confidence?: share or null

document read: Lines of a file with their hash, as `read --json` prints them.
    path, mime?: text
    start_line: line
    end_line: count -- start_line - 1 where there are no lines.
    total_lines: count
    range_hash: text or null -- SHA-256 over the lines, each with a line feed.
    range_lines: list of text
    kind?: one of image, binary -- If the file is not text.
    has_receipt?: flag -- Whether the session keeps that this was read.
    tagged_lines?: list of text -- As `ab|text`, where read with tags.
    next?: next
    next_line?: line -- Where to go on reading.

document undo: What was taken back.
    status: one of undone
    session: text
    calls, files: list of text
    next?: next -- Of a server: what to read before it is made again.

session_call: A call of `edit` in a session.
    call, agent: text
    time: seconds
    edits, blind, committed: count
    files: list of text
    undone: flag
receipt: Lines that a session has read.
    path, range_hash: text
    start_line, end_line: integer or null
document status: The state of a session.
    session: text
    calls: list of session_call
    receipts: list of receipt
    uncommitted, blind: count
    coverage: share or null -- The share of uncommitted edits that have evidence.

session: A session of a checkout.
    session: text -- `_` holds the calls that name no session.
    agents: list of text
    call_count, waiting_blind: count
    waiting: count -- Edits that are in the checkout and in no commit.
    last_used: seconds
    expires: integer or null -- When it is removed if unused; null while it has uncommitted edits.
    damage: text or null -- Why its journal cannot be read.
document sessions: The sessions of a checkout.
    sessions: list of session

decision: What a person answered with `hkgit consult`.
    decision: one of apply, drop, rewrite
    by, message: text
refused_call: An edit that was refused, and what came of it.
    id, agent, status, reason: text
    time: date
    call: one of apply, edit
    path: text -- Empty for a spec that could not be read.
    tries: integer
    landed: text or null
    decided: decision or null
document refusals: What was refused in a clone, the newest first.
    refusals: list of refused_call

# What the gate and the history answer

policy_result: Whether a policy lets a commit pass, and the rule that decided.
    passes: flag
    rule: text
    source: text or null
finding: What is wrong, with its place in the newest commit where it has one.
    rule, where, what, fix: text
    path: text or null
    start_line, end_line: integer or null
by_hand: What no entry accounts for, and the policy lets its author change.
    path: text
    lines: list of range
ruling: Whether a commit passes, and why.
    commit: commit_id or null -- Null of a commit that is being made.
    replay: replay
    policy: policy_result
    entries: list of sha256
    findings: list of finding
    notes: list of text
    basis: text or null -- What the verdict is based on, if that is another commit or a key.
    by_hand: list of by_hand
    mend: text -- The command that makes the commit again with evidence; empty if there is none.
judging_policy: The policy that judged.
    source: text
    mode: one of enforce, warn, report
document gate: Whether each commit of a range passes, as `gate --json` and `verify --json` answer.
        Where nothing could be judged, the answer is a `status` and an `error`.
    passes: flag
    provisional: flag -- Judged on a client, where hooks can be skipped.
    policy: judging_policy
    commits: list of ruling
document commit(ruling): A commit: what can be derived of it, and whether it passes the policy.
    commit: commit_id
    time: date
    subject, author: text
    agents: list of text
    evidence: map of integer -- Edits by evidence.
    weakest_evidence: shown_evidence or null
    lowest_confidence: share or null
    signatures: list of object

hunk_read: What was read of the lines of a hunk.
    lines: range
    kind, how: text
hunk: A hunk, with what was read before it.
    path, evidence: text
    lines: range
    confidence: share or null
    changed, added: integer
    unseen: integer -- Lines of the base that it changes and that no reading covers.
    read: list of hunk_read
document show(commit): A commit with its ledger entries, and its hunks with what was read before
        them.
    ledger: list of object
    hunks: list of hunk

blame_line: A line of a file, with the edit that wrote it and its evidence.
    line, commit_line: integer
    text, commit_path, kind, evidence: text
    commit, time, replay, author, entry, agent, tier: text or null
    passes: flag or null
    edit: integer or null
    weak: flag
    confidence: share or null

passing: Commits that a policy accepts, and others.
    passes, fails: integer
numbers: Commits, edits and their evidence in numbers.
    commits, entries, edits, files, blind_edits: integer
    replay, agents, tiers, evidence: map of integer
    policy: passing
    lowest_confidence, blind_rate: share or null
agent_numbers: The numbers of an agent.
    agent: text
    commits, derived, passes, edits, weak, refused: integer
    first_week: text {"format": "date"}
    by_week: list of integer
document stats(numbers): A stretch of history in numbers.
    policy_source: text
    refused: integer
    by_agent: list of agent_numbers
document report(gate): A range: its commits under the policy, what is claimed, and the numbers.
    range: text
    old, new: commit_id
    rejected, break_glass: list of text
    claimed: object
    numbers: numbers

fact: What an answer rests on.
    says: one of yes, no, unknown
    commit: text -- Empty for a fact of the whole range.
    where, what: text
point: A question of the edit protocol and its answer.
    name, question: text
    answer: one of yes, no, unknown
    basis: one of replayed, recomputed, claimed -- What the answer is based on: bytes,
        ranges and hashes; the spec, located again; or a claim.
    facts: list of fact
document qa: Answers to what the edit protocol asks of QA on a range.
    passes: flag -- Whether every answer is yes.
    commits: count -- How many the range has.
    governed: count -- How many of them the protocol applies to.
    points: list of point

# What was adopted from transcripts

transcript: A transcript that was read.
    path: text
    form: text or null -- Null for one in an unknown format.
    steps, broken_lines: count
explained: Lines that the entry of a call derives.
    path, agent, session, evidence: text
    lines: range
    where: text or null -- The place in the transcript.
    call, tool: text or null
    evidence_lines: range or null
    changed_share: share or null
unexplained: Lines that no entry derives.
    path, what: text
    lines: range
skipped: A call that says nothing of a change.
    where, call, tool, why: text
adopted_change: Which call made each changed line of a commit.
    commit: text or null -- Null for what is not committed yet.
    lines: count -- How many places were changed.
    explained_lines: count
    entries: count -- Entries that explain them.
    record: text or null -- The ref that keeps the evidence outside the history.
    explained: list of explained
    unexplained: list of unexplained
    skipped: list of skipped
document adopt: Which call made each changed line.
    status: one of explained, unexplained
    kept: flag -- Whether evidence was written.
    transcripts: list of transcript
    other_repositories: list of text
    changes: list of adopted_change
document redo: What is in place of a commit.
    status: one of remade, unchanged
    commit: commit_id -- The last that was made; its parent where it changed only the ledger.
    commits: list of commit_id -- The new ones, in order.
    by_hand: commit_id or null -- That of what no entry explains.
    kept, recorded, recovered, late: list of sha256 -- Entries: as they were, of sessions, of
        transcripts, read after the change.
    unsigned: list of commit_id -- Commits whose signature was left out.
    elsewhere: list of text -- Other branches and tags with the old commit.

# Many repositories

fleet_repository: What a run says of a repository.
    name: text
    address: text -- Where it is, without credentials.
    status: one of verified, unchanged, empty, failed
    passes: flag
    branch, tip: text or null
    policy: text or null -- The digest of the policy.
    new: integer -- Commits that were judged in this run.
    error: fault or null
    numbers: numbers
document fleet: What `hkgit fleet verify` says of each repository, and of all of them together.
    schema: integer {"const": 1}
    versions: list of text
    repositories: list of fleet_repository
    total: numbers
    failed: integer -- Repositories that could not be judged.
    rejected: integer -- Repositories that their policy rejects.

document export: What an export did to the tables of a repository.
    repository: text -- Its name in every table.
    url: text or null -- The URL of its remote, without credentials.
    roots: list of text -- The ids of the root commits.
    judged: integer -- Commits that were judged in this run.
    removed: integer -- Commits that are no longer in the history.

document sql: The answer to a query.
    columns: list of text
    rows: list of object -- By column name; a repeated name becomes `NAME_2`.

# The ledger

strict base64: Bytes that are not UTF-8.
    base64: text {"contentEncoding": "base64"}

strict parameters: What the ladder was told.
    threshold: permille
strict spec: The document that the edits were read from.
    digest: sha256

strict ledger_read: A range that was read.
    path: ledger_text
    lines: ledger_lines or null
    range_hash: sha256
    kind: one of hash, receipt, late
strict operation: What an edit says; a key that says nothing is left out.
    op: one of replace_text, replace_range, insert_after, replace_tagged, create_file,
        write_file, delete_file, rename_file, set_mode
    path, new_path?, old_text?, new_text?, start_tag?, stop_tag?, heading?: ledger_text
    new_lines?, anchors?: list of ledger_text
    start_line?, end_line?, offset?, expected_count?: line
    after_line?, line_hint?: count
    is_exclusive?, replace_all?, final_newline?, at_end?, whole_lines?: flag
    expected_hash?: text {"pattern": "^[0-9a-f]{12,64}$"}
    mode?: one of 100644, 100755
strict ledger_edit: One edit: what it said, where it landed, how surely.
    id: line
    dialect, tier: text
    path: ledger_text
    edit: operation
    evidence: evidence_kind
    expected_hash: sha256 or null
    evidence_lines: ledger_lines or null
    lines, base_lines: list of ledger_lines {"minItems": 1}
    relocated: flag
    repairs: list of text
    similarity, confidence: permille
    runner_up: permille or null
strict ledger_hunk: Base lines that become new text.
    lines: ledger_lines
    old_hash, new_hash: sha256
    new_text: ledger_text
    before, after: list of sha256 {"maxItems": 3}
    edits: list of line
strict mark: A file's mode and the SHA-256 of its bytes.
    mode: text {"pattern": "^[0-7]{6}$"}
    sha256: sha256
strict ledger_file: One file before and after; path is null for a new file, new_path for a
        deleted one.
    path, new_path: ledger_text or null
    before, after: mark or null
    final_newline: flag
    hunks: list of ledger_hunk
squashed: How many edits, which wrote over one another, the entry is the net change of.
    edits: line
    agents: list of text
claims: What nobody can recompute: agent, time, the verify outcome, refusals, what was squashed.
    agent?: text
    time?: seconds
    origin?: text -- `recovered` where the entry was made from a transcript.
    squashed?: squashed
strict document ledger: The record of one applied spec: RFC 8785 canonical JSON and one line feed.
        It is named by the SHA-256 of its bytes.
    schema: integer {"const": 1}
    ladder: count -- The matching ladder; raised whenever any result may change.
    parameters: parameters
    base: commit_id or null -- The commit that the edits were written against; a claim.
    spec: spec
    reads: list of ledger_read
    edits: list of ledger_edit {"minItems": 1, "maxItems": 1000}
    files: list of ledger_file
    claims: claims

# The policy of the gate

path_glob = text {"pattern": "^(?!\\.?/)[\\s\\S]*[^/]$"} -- a glob from the root, as `src/*`,
        without `./` or a slash at either end
ref_glob = text {"pattern": "^(refs/|[*?\\[])[\\s\\S]*$"} -- a glob on full names, as `refs/heads/*`
public_key = text {"pattern": "^\\S+ +\\S[^\\n]*$"} -- an SSH public key, the line of a .pub file
tier = one of exact, whitespace, unicode, elided, fuzzy, line-block, range, tag, file
hidden_text = one of bidi, zero-width, nul, lone-cr
open_key = one of since, unprotect, manual, allowed_signers, pusher_variable, roles, attest
accepted_verdict = one of strict, reanchored, merge, revert, prune, empty, manual, ungoverned,
        attested, vouched, mixed, recovered

strict grant: Who may change which paths by hand.
    paths: list of path_glob {"minItems": 1}
    names?, principals?, pushers?: list of text
    keys?: list of public_key
strict path_floors: What every edit of some paths must reach.
    paths: list of path_glob {"minItems": 1}
    accept?: list of evidence_kind
    tiers?: list of tier
    min_confidence?, min_tightness?: share
    recovered?: flag
strict ref_rules: Stricter rules for some refs.
    refs: list of ref_glob {"minItems": 1}
    verdicts?: list of accepted_verdict
    rewrites?: one of judge, refuse
strict policy_roles: Who may do what beside a grant.
    break-glass?, attest?, sign?: list of text
strict policy_attest: Whose attested verdicts count.
    keys?: list of public_key
strict policy_entries: What new entries need.
    signed?: flag
strict document policy: [gate] of .hkgit/config.toml. `hkgit policy check` also checks that its
        parts agree.
    mode?: one of report, warn, enforce -- `enforce` rejects; `warn` and `report` only report
    govern?: one of agents, all -- to which commits the rules apply: `agents` (commits with entries,
        or that name an agent) or `all`
    agents?: list of text -- globs on `Name <email>`, added to the built-in list
    since?: commit_id -- a full commit id: it and what came before are not judged
    accept?: list of evidence_kind -- evidence that is not blind: `hash`, `receipt`, `quote`, `tag`,
        `late`, `none`
    verdicts?: list of accepted_verdict -- verdicts that pass
    tiers?: list of tier -- the only tiers accepted
    min_confidence?: share -- the least confidence of an edit
    min_tightness?: share -- the least share of changed lines in those that an edit names
    paths?: list of path_floors -- `paths`, and `accept`, `tiers`, `min_confidence`, `min_tightness`
        for them, under the old name of a file and the new; with `recovered = true` for entries
        from transcripts alone
    protect?: list of path_glob -- globs on paths that governed commits may change only with a
        grant, added to the built-in ones
    unprotect?: list of path_glob -- globs on paths to leave unprotected
    reject_text?: list of hidden_text -- text that no governed commit may add: `bidi`, `zero-width`,
        `nul`, `lone-cr`
    manual?: list of grant -- a grant: `paths`, and who has it: `names` (in clones only), `keys`,
        `principals`, `pushers`
    allowed_signers?: text -- a file in the repository, in the format of ssh-keygen(1), one
        principal per line
    pusher_variable?: text -- the variable in which the server names the pusher
    roles?: policy_roles -- principals for `break-glass`, `attest`, `sign`
    attest?: policy_attest -- `keys`: SSH public keys whose attested verdicts count
    entries?: policy_entries -- `signed`: every new entry needs a signature by the role `sign`
    assisted_by?: one of allow, require, forbid -- `Assisted-by` trailers: `allow`, `require`,
        `forbid`
    refs?: list of ref_glob -- globs on refs whose pushes are judged
    rewrites?: one of judge, refuse -- force pushes and deletions of these: `judge` or `refuse`
    targets?: list of ref_rules -- `refs`, and `verdicts`, `rewrites` that also hold there
    max_seconds?: integer {"minimum": 1, "maximum": 3600} -- how long one commit may take to judge
    extends?: text -- a policy that this one extends and may only tighten
    open?: list of open_key -- keys marked *open* that an extending policy may set

"""

_PLAIN: dict[str, JsonObject] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "list": {"type": "array"},
    "object": {"type": "object"},
}
ENTRY = r"""(?mx)
    ^(?P<strict>strict[ ])?(?P<document>document[ ])?(?P<name>\w+)(?:\((?P<base>\w+)\))?
    (?::[ ](?P<about>.+)(?P<fields>(?:\n[ ]{4}.+)+)|[ ]=[ ](?P<type>.+))$
"""
_ENTRIES = {
    entry["name"]: entry for entry in re.finditer(ENTRY, re.sub(r"\n {8}", " ", DICTIONARY))
}
FORMATS = [name for name, entry in _ENTRIES.items() if entry["document"]]
"""Every document by its name."""

_TYPE = r"(?P<kind>.+?)(?: (?P<keywords>\{.+\}))?(?: -- (?P<words>.+))?"


def describe_format(name: str) -> JsonObject:
    """Write the schema of a document. Raises KeyError where no document has this name."""
    entry = _ENTRIES[name]
    if entry["type"]:
        return _write_type(entry["type"])
    fields = _list_fields(entry)
    return {
        "description": entry["about"],
        "type": "object",
        "properties": {key.rstrip("?"): _write_type(each) for key, each in fields.items()},
        "required": [key for key in fields if key[-1] != "?"],
    } | ({"additionalProperties": False} if entry["strict"] else {})


def describe_choice(*names: str) -> JsonObject:
    """Write the schema of an object that is one of several documents."""
    return {"type": "object", "anyOf": [describe_format(name) for name in names]}


def _list_fields(entry: re.Match[str]) -> dict[str, str]:
    """Map the fields of an object to their types."""
    fields = _list_fields(_ENTRIES[entry["base"]]) if entry["base"] else {}
    for line in entry["fields"].split("\n")[1:]:
        names, _, said = line.strip().partition(": ")
        fields |= dict.fromkeys(names.split(", "), said)
    return fields


def _write_type(said: str) -> JsonObject:
    """Write a type with its keywords and words."""
    found = re.fullmatch(_TYPE, said)
    assert found is not None, said
    schema = _write_kind(found["kind"])
    schema |= json.loads(found["keywords"] or "{}")
    return schema | ({"description": found["words"]} if found["words"] else {})


def _write_kind(kind: str) -> JsonObject:
    if (other := kind.removesuffix(" or null")) != kind:
        return _add_null(_write_kind(other))
    if " or " in kind:
        return {"anyOf": [*map(_write_kind, kind.split(" or "))]}
    match kind.partition(" of "):
        case "one", _, words:
            values = words.split(", ")
            return {"enum": values} if len(values) > 1 else {"const": words}
        case "list", _, item if item:
            return {"type": "array", "items": _write_kind(item)}
        case "map", _, item:
            return {"type": "object", "additionalProperties": _write_kind(item)}
    return dict(_PLAIN[kind]) if kind in _PLAIN else describe_format(kind)


def _add_null(schema: JsonObject) -> JsonObject:
    """Allow null too: beside the words or the type, where there is one list of them."""
    if "enum" in schema:
        return schema | {"enum": [*schema["enum"], None]}
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


_EXPECTED = {
    "array": "a list",
    "object": "a table",
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
}


def find_faults(
    where: str, value: object, schema: JsonObject, fix: str = ""
) -> Iterator[InvalidInput]:
    """Find where a value of TOML or JSON is not as its schema says."""
    if not _fits(value, schema):
        yield InvalidInput(where, f"expected {_say_expected(schema)}, found {value!r:.60}", fix)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from find_faults(f"{where}[{number}]", each, schema["items"], fix)
    elif isinstance(value, dict):
        known = schema["properties"]
        for key in (each for each in value if each not in known):
            yield InvalidInput(f"{where}: {key}", "unknown key", f"Known keys: {', '.join(known)}.")
        for key in (each for each in schema["required"] if each not in value):
            yield InvalidInput(where, f'missing key "{key}"', f'Add "{key}".')
        for key in (each for each in value if each in known):
            yield from find_faults(f"{where}: {key}", value[key], known[key], fix)


def _fits(value: Json, schema: JsonObject) -> bool:
    """Whether a value itself is as a schema says; 1.0 is a whole number, as in JSON Schema."""
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "array":
            return isinstance(value, list) and len(value) >= schema.get("minItems", 0)
        case "object":
            return isinstance(value, dict)
        case "string":
            pattern = schema.get("pattern", "(?s).*")
            return isinstance(value, str) and re.fullmatch(pattern, value) is not None
        case "boolean":
            return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    is_whole = schema["type"] == "number" or isinstance(value, int) or value.is_integer()
    return is_whole and schema.get("minimum", value) <= value <= schema.get("maximum", value)


def _say_expected(schema: JsonObject) -> str:
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if "pattern" in schema:
        return str(schema["description"]).partition(":")[0]
    bounds = f" from {schema['minimum']}" if "minimum" in schema else ""
    bounds += f" to {schema['maximum']}" if "maximum" in schema else ""
    least = " that is not empty" if schema.get("minItems") else ""
    items = f", each item {_say_expected(schema['items'])}" if "items" in schema else ""
    return f"{_EXPECTED[schema['type']]}{bounds}{least}{items}"
