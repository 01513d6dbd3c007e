"""The columns of the tables, with units and meanings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

VERSION = 1
"""The version of the schema: higher where a column goes or means something else."""

TEXT, WORDS, COUNT, SHARE = "VARCHAR", "VARCHAR[]", "BIGINT", "DOUBLE"
FLAG, MOMENT = "BOOLEAN", "TIMESTAMP"
REPOSITORY = "repository"
"""The column by which the tables are partitioned; it stands in the path of each file."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column: its type as DuckDB names it, what it means, in which unit; `may_lack` a value."""

    name: str
    type: str
    words: str
    unit: str = ""
    may_lack: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """One table; a row is named by its `key`."""

    name: str
    words: str
    key: tuple[str, ...]
    columns: tuple[TableColumn, ...]

    @property
    def stored(self) -> tuple[TableColumn, ...]:
        """The columns that stand in the files: all but that of the partition."""
        return tuple(each for each in self.columns if each.name != REPOSITORY)


_REPOSITORY = TableColumn(REPOSITORY, TEXT, "name of the repository, the same in every table")
_COMMIT = TableColumn("commit", TEXT, "id of the commit", "hex")
_ENTRY = TableColumn("entry", TEXT, "id of the ledger entry that records it", "SHA-256, hex")
_PATH = TableColumn("path", TEXT, "path of the file from the root of the repository")
_FIRST = TableColumn("first_line", COUNT, "first line, counted from 1", "lines", may_lack=True)
_LAST = TableColumn("last_line", COUNT, "last line, included", "lines", may_lack=True)


def _count(name: str, words: str, unit: str, *, may_lack: bool = False) -> TableColumn:
    return TableColumn(name, COUNT, words, unit, may_lack=may_lack)


def _share(name: str, words: str) -> TableColumn:
    return TableColumn(name, SHARE, words, "0 to 1, steps of 0.001", may_lack=True)


def _hash(name: str, words: str) -> TableColumn:
    return TableColumn(name, TEXT, words, "SHA-256, hex", may_lack=True)


_REPOSITORIES = EvidenceTable(
    "repositories",
    "One row for each repository: its last export, and the result.",
    (REPOSITORY,),
    (
        _REPOSITORY,
        TableColumn("url", TEXT, "URL of its remote, without credentials", may_lack=True),
        TableColumn("roots", WORDS, "ids of the root commits", "hex"),
        TableColumn("revision", TEXT, "what was asked for: a revision or a range"),
        TableColumn("tip", TEXT, "id of the newest commit that was exported", "hex", may_lack=True),
        TableColumn("policy", TEXT, "digest of the policy that judged", may_lack=True),
        TableColumn("policy_source", TEXT, "where that policy is", may_lack=True),
        TableColumn("exported", MOMENT, "when the export was made", "UTC"),
        TableColumn("status", TEXT, "`ok`, or in one word why nothing is new"),
        TableColumn("error", TEXT, "what went wrong, in a sentence", may_lack=True),
    ),
)

_COMMITS = EvidenceTable(
    "commits",
    "One row for each commit: what replay derives, and what the policy says.",
    (REPOSITORY, "commit"),
    (
        _REPOSITORY,
        _COMMIT,
        TableColumn("time", MOMENT, "when it was authored", "UTC"),
        TableColumn("day", TEXT, "the day, in the author's time zone"),
        TableColumn("author", TEXT, "name and email of the author"),
        TableColumn("committer", TEXT, "name and email of the committer"),
        TableColumn("subject", TEXT, "first line of the message"),
        _count("parents", "how many parents it has", "commits"),
        TableColumn("agent", TEXT, "its first agent, without version", may_lack=True),
        TableColumn("agents", WORDS, "all its agents, by the names they gave"),
        TableColumn(
            "made_by", TEXT, "`agent`, `agent, no evidence`, `by hand`, `git`, or `unknown`"
        ),
        TableColumn("replay", TEXT, "verdict of replay; `none` where nothing can be replayed"),
        TableColumn("standing", TEXT, "what can be derived, in one word each"),
        TableColumn("policy_passes", FLAG, "whether it passes the policy"),
        TableColumn("rule", TEXT, "the rule that decided"),
        TableColumn("reverts", TEXT, "the commit that it reverts", "hex", may_lack=True),
        TableColumn(
            "blind",
            FLAG,
            "whether it is an agent's with evidence of a quote or less, or has changes that"
            " no entry explains",
        ),
        TableColumn("weakest_evidence", TEXT, "evidence of its weakest edit", may_lack=True),
        _share("lowest_confidence", "its lowest confidence"),
        _count("entries", "ledger entries that it adds", "entries"),
        _count("edits", "edits in them", "edits"),
        _count("blind_edits", "edits whose evidence the policy does not accept", "edits"),
        _count("conflicts", "conflicts that its entries report", "conflicts"),
        _count("files", "files that it changes", "files"),
        _count("findings", "findings of the gate", "findings"),
        TableColumn("policy", TEXT, "digest of the policy that judged it"),
        TableColumn("judged_by", TEXT, "versions of hkgit, ladder and git that judged it"),
        TableColumn("lasting", FLAG, "whether refs or later fetches cannot change the row"),
        TableColumn("digest", TEXT, "hash of the commit's rows in all tables", "SHA-256, hex"),
    ),
)

_EDITS = EvidenceTable(
    "edits",
    "One row for each edit that an entry records: where it landed, and on which evidence.",
    (REPOSITORY, "commit", "entry", "edit"),
    (
        _REPOSITORY,
        _COMMIT,
        _ENTRY,
        _count("edit", "number of the edit in its entry", "from 1"),
        TableColumn("agent", TEXT, "who made it, by its own claim, without version"),
        TableColumn("agent_version", TEXT, "the version that it claims", may_lack=True),
        _PATH,
        TableColumn("dialect", TEXT, "dialect of the edit"),
        TableColumn("evidence", TEXT, "`hash`, `receipt`, `tag`, `quote` or `none`"),
        TableColumn("blind", FLAG, "whether the policy does not accept that evidence"),
        _hash("expected_hash", "hash of the lines that were read"),
        _FIRST,
        _LAST,
        _count("places", "how many places it changes", "places"),
        TableColumn("tier", TEXT, "tier that found the place"),
        TableColumn("repairs", WORDS, "what was repaired in its text before matching"),
        TableColumn("relocated", FLAG, "whether it landed elsewhere than it was read"),
        _share("similarity", "similarity of the old text and the place"),
        _share("confidence", "how likely place and result are what was meant"),
        _share("runner_up", "similarity of the next best place"),
    ),
)

_FILES = EvidenceTable(
    "files",
    "One row for each file that a commit changes. Merges and the ledger have none.",
    (REPOSITORY, "commit", "path"),
    (
        _REPOSITORY,
        _COMMIT,
        _PATH,
        TableColumn("old_path", TEXT, "old path, if an entry moved it", may_lack=True),
        TableColumn("change", TEXT, "`added`, `changed`, `deleted` or `moved`"),
        TableColumn("made_by", TEXT, "as in `commits`"),
        TableColumn(
            "evidence", TEXT, "weakest evidence in it; agents' commits only", may_lack=True
        ),
        _count("hunks", "hunks in it; agents' commits only", "hunks", may_lack=True),
        _count("lines_removed", "lines removed; agents' commits only", "lines", may_lack=True),
        _count("lines_added", "lines added; agents' commits only", "lines", may_lack=True),
        _count(
            "lines_unseen",
            "places and removed lines that no reading covers; agents' commits only",
            "lines",
            may_lack=True,
        ),
        TableColumn("blob_before", TEXT, "blob id before", "hex", may_lack=True),
        TableColumn("blob_after", TEXT, "blob id after", "hex", may_lack=True),
        TableColumn("mode", TEXT, "its mode after, or before if it was deleted", "octal"),
    ),
)

_FINDINGS = EvidenceTable(
    "findings",
    "One row for each thing that the gate found wrong with a commit.",
    (REPOSITORY, "commit", "finding"),
    (
        _REPOSITORY,
        _COMMIT,
        _count("finding", "number of the finding", "from 0"),
        TableColumn("rule", TEXT, "the rule that is broken"),
        TableColumn("blocks", FLAG, "whether the commit does not pass"),
        TableColumn("place", TEXT, "where: a path, path and lines, or the commit"),
        TableColumn("path", TEXT, "the path, where there is one", may_lack=True),
        _FIRST,
        _LAST,
        TableColumn("what", TEXT, "what is wrong, in a sentence"),
        TableColumn("fix", TEXT, "what to do next"),
    ),
)

_REFUSALS = EvidenceTable(
    "refusals",
    "One row for each edit that was refused: as claimed by the landed entry, or as noted in"
    " the clone.",
    (REPOSITORY, "refusal", "commit"),
    (
        _REPOSITORY,
        TableColumn("refusal", TEXT, "id of the refusal"),
        TableColumn("commit", TEXT, "commit whose entry claims it", "hex", may_lack=True),
        TableColumn("landed", TEXT, "commit in which it landed in the end", "hex", may_lack=True),
        TableColumn("source", TEXT, "`ledger`: claimed by an entry; `clone`: noted locally"),
        TableColumn("time", MOMENT, "when it was refused", "UTC", may_lack=True),
        TableColumn("agent", TEXT, "agent, without version"),
        TableColumn("call", TEXT, "`apply` or `edit`", may_lack=True),
        TableColumn("path", TEXT, "path of the file; empty for a spec that could not be read"),
        TableColumn("status", TEXT, "why, as the exit codes name it"),
        TableColumn("reason", TEXT, "why, in a sentence", may_lack=True),
        _count("tries", "the number of the agent's attempt at this file", "from 1"),
    ),
)

_READS = EvidenceTable(
    "reads",
    "One row for each reading that an entry records.",
    (REPOSITORY, "commit", "entry", "read"),
    (
        _REPOSITORY,
        _COMMIT,
        _ENTRY,
        _count("read", "number of the reading in its entry", "from 0"),
        _PATH,
        _FIRST,
        _LAST,
        TableColumn("range_hash", TEXT, "hash of the lines that were read", "SHA-256, hex"),
        TableColumn("kind", TEXT, "the evidence that it gives: `hash` or `receipt`"),
        _count("hunks_covered", "net hunks of the file that it covers completely", "hunks"),
    ),
)

TABLES: Mapping[str, EvidenceTable] = {
    each.name: each
    for each in (_REPOSITORIES, _COMMITS, _EDITS, _FILES, _FINDINGS, _REFUSALS, _READS)
}
"""The tables by name; `repositories` alone has rows that belong to no commit or refusal."""

OF_COMMITS = tuple(name for name in TABLES if name != "repositories")
"""The tables whose rows come from commits."""


_TYPES = {COUNT: "integer", FLAG: "boolean", MOMENT: "string", SHARE: "number", TEXT: "string"}


def describe_tables() -> Iterator[str]:
    """Describe each table and column in lines of Markdown."""
    for table in TABLES.values():
        yield from (f"## {table.name}", "", table.words, "")
        yield f"Key: {', '.join(f'`{name}`' for name in table.key)}."
        yield from ("", "| column | type | unit | null | meaning |", "|---|---|---|---|---|")
        for each in table.columns:
            lacks = "yes" if each.may_lack else ""
            yield f"| `{each.name}` | {each.type} | {each.unit} | {lacks} | {each.words} |"
        yield ""


def tables_schema() -> JsonObject:
    """Build a JSON Schema of rows as JSON has them, such as `hkgit sql --json` prints."""
    listed = {name: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for name in TABLES}
    return {
        "description": f"Rows of the tables of `hkgit export`, version {VERSION}, by table.",
        "type": "object",
        "properties": listed,
        "$defs": {name: _row_schema(table) for name, table in TABLES.items()},
    }


def _row_schema(table: EvidenceTable) -> JsonObject:
    return {
        "description": table.words,
        "type": "object",
        "properties": {each.name: _column_schema(each) for each in table.columns},
        "required": [each.name for each in table.columns],
    }


def _column_schema(column: TableColumn) -> JsonObject:
    kind = "array" if column.type == WORDS else _TYPES[column.type]
    schema: JsonObject = {"description": column.words}
    schema["type"] = [kind, "null"] if column.may_lack else kind
    schema |= {"items": {"type": "string"}} if kind == "array" else {}
    schema |= {"minimum": 0, "maximum": 1} if column.type == SHARE else {}
    return schema | ({"unit": column.unit} if column.unit else {})
