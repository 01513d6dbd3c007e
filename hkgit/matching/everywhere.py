"""everywhere.py: all the places that an edit of all of them fits, though none is its old text."""

from __future__ import annotations

from hkgit.edits import Edit
from hkgit.matching.lines import EditLines, FileLines, occurrences
from hkgit.matching.refusals.hints import tell_unlike
from hkgit.matching.search.candidates import AlignedPlace, candidates


def find_alike(
    view: FileLines, wanted: EditLines, edit: Edit, threshold: int
) -> tuple[AlignedPlace, ...]:
    """The candidates of at least that similarity, where the file says the same at all of them.

    None where there is no candidate. Raises NoMatch where the file says different things at them,
    or where lines that change are not as the edit has them.
    """
    found = [each for each in candidates(view, wanted) if each.similarity >= threshold]
    if not found:
        return ()
    if not all(map(_is_placed, found)):
        raise tell_unlike(view, wanted, found, edit)
    text = _text(view, found[0])
    is_alike = all(_text(view, each) == text for each in found)
    if not is_alike or len(occurrences(view.document.data, text, len(found) + 1)) != len(found):
        raise tell_unlike(view, wanted, found, edit)
    return tuple(sorted(found, key=lambda each: each.lines))


def _is_placed(candidate: AlignedPlace) -> bool:
    """Whether the edit can be made at a candidate."""
    return candidate.is_fit and None not in candidate.landings


def _text(view: FileLines, candidate: AlignedPlace) -> bytes:
    first, last = candidate.lines
    return view.document.data[slice(*view.document.span(first + 1, last + 1))]
