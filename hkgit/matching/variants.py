"""variants.py: an edit as it reads once its slips are repaired, and which reading is meant."""

from __future__ import annotations

from hkgit.edits import Edit
from hkgit.errors import InvalidInput
from hkgit.matching.decide import Search
from hkgit.matching.lines import EditLines


def list_variants(edit: Edit) -> list[tuple[EditLines, tuple[str, ...]]]:
    """List versions of the edit with one repair each, where there is something to repair."""
    from hkgit.matching.repairs import READINGS

    literal = EditLines.of(edit)
    found: dict[EditLines, tuple[str, ...]] = {}
    for repairs in READINGS:
        wanted = EditLines.of(edit, repairs)
        if wanted != literal and wanted.old:
            found.setdefault(wanted, repairs)
    return list(found.items())


def choose_variant(search: Search, wanted: EditLines) -> tuple[EditLines, tuple[str, ...]]:
    """Choose the reading, repaired or not, of which most stands at one place of the file."""
    readings = [(wanted, ()), *list_variants(search.edit)]
    return max(readings, key=lambda reading: _agreement(search, reading[0]))


def _agreement(search: Search, wanted: EditLines) -> tuple[int, int]:
    from hkgit.matching.search.candidates import find_candidates

    found = find_candidates(search.view, wanted)
    return (found[0].agreement, found[0].similarity) if found else (0, 0)


def check_backslashes(search: Search, wanted: EditLines) -> None:
    """Raise InvalidInput where the edit would write backslashes twice for once.

    That is so where the old text has the file's backslashes doubled, and the new one not all.
    """
    from hkgit.matching.repairs import halve_backslashes

    old = halve_backslashes(wanted.old)
    if old == wanted.old or not any(b"\\\\" in wanted.new_lines[i] for i in wanted.added):
        return
    if _agreement(search, EditLines(old, wanted.new)) > _agreement(search, wanted):
        raise InvalidInput(
            search.edit.path,
            "the old text has two backslashes where the file has one, the new text both",
            "Write every backslash as it stands in the file.",
        )
