"""spec_options.py: the options by which `apply` and `edit` are given specs."""

from __future__ import annotations

from hkgit.applying.planner import Options
from hkgit.cli.forms.form import JSON, Option, Positional
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class SpecValues(TypedDict):
        """`SpecOptions` as a command is given them, among its own."""

        specs: tuple[str, ...]
        edit_file: str | None
        use_stdin: bool
        file: str | None
        old: str | None
        new: str | None
        format: str
        empty_search: str
        threshold: float
        expect: tuple[str, ...]
        relocate: bool
        check_syntax: bool | None
        allow_blind: bool
        dry_run: bool
        as_json: bool


@dataclass(frozen=True, slots=True)
class SpecOptions:
    """Where the specs of a command come from, and how they are placed."""

    specs: tuple[str, ...]
    edit_file: str | None
    use_stdin: bool
    file: str | None
    old: str | None
    new: str | None
    format: str
    empty_search: str
    threshold: float
    expect: tuple[str, ...]
    relocate: bool
    check_syntax: bool | None
    allow_blind: bool
    dry_run: bool
    as_json: bool

    def to_options(self, *, allow_blind: bool) -> Options:
        """Convert to the options of the planner. Raises InvalidInput."""
        return Options.of(
            self.threshold,
            relocate=self.relocate,
            check_syntax=self.check_syntax,
            allow_blind=allow_blind,
        )


SPECS = Positional("specs", "[SPEC]...", is_many=True)
SPEC_OPTIONS = (
    Option("edit_file", ("--edit",), "Read a spec from FILE.", "FILE"),
    Option("use_stdin", ("--stdin",), "Read a spec from stdin.", is_flag=True),
    Option("file", ("--file",), "The file of a single edit.", "PATH"),
    Option("old", ("--old",), "The text that the edit replaces.", "TEXT"),
    Option("new", ("--new",), "The text that it puts there.", "TEXT"),
    Option("format", ("--format",), "The dialect of the specs.", "DIALECT", default="auto"),
    Option(
        "empty_search",
        ("--empty-search",),
        "What an empty SEARCH means: a new file, or the end of one that is there.",
        choices=("create", "append"),
        default="create",
    ),
    Option(
        "threshold",
        ("--threshold",),
        "How alike a fuzzy match must be; it decides the place, and lets no edit overwrite lines"
        " that it misquotes. With 1 the old text must stand in the file byte for byte.",
        between=(0, 1),
        default=0.8,
    ),
    Option(
        "expect",
        ("--expect",),
        "The hash of what was read; may be repeated.",
        "PATH[:N | :START-END]=HASH",
        is_many=True,
    ),
    Option("relocate", ("--relocate",), "Follow ranges that have moved.", is_flag=True),
    Option(
        "check_syntax",
        ("--check-syntax/--no-check-syntax",),
        "Refuse every edit that leaves a file which no longer parses, or none.  "
        "[default: those that are not exact]",
    ),
    Option(
        "allow_blind",
        ("--allow-blind",),
        "Take edits that nothing ties to what was read, and record that.",
        is_flag=True,
    ),
    Option("dry_run", ("--dry-run",), "Show what would change, change nothing.", is_flag=True),
    JSON,
)
