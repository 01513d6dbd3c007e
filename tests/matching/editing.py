"""editing.py: one edit made in one text, for the tests of matching."""

from hkgit.edits import Edit
from hkgit.matching.ladder import locate
from hkgit.matching.place import Located
from hkgit.matching.transfer import transfer
from hkgit.text.document import Document, Splice, terminate, unterminate


def edit_of(old: str, new: str = "") -> Edit:
    """An edit of a file whose name does not matter."""
    return Edit("f.py", old, new)


def edit_within(quoted: str, old: str, new: str) -> Edit:
    """An edit that quotes some lines and changes a part of them."""
    assert old in quoted
    return edit_of(quoted, quoted.replace(old, new))


def placed(text: str | bytes, edit: Edit, threshold: int = 800) -> Located:
    """Where an edit lands."""
    return locate(document_of(text), edit, threshold)


def edited(text: str | bytes, edit: Edit, threshold: int = 800) -> bytes:
    """The text with the edit made."""
    before = Document(text.encode() if isinstance(text, str) else text)
    document = terminate(before)
    after = spliced(document.data, transfer(locate(document, edit, threshold)))
    return after if before.is_terminated else unterminate(after)


def document_of(text: str | bytes) -> Document:
    """A text as matching wants it: with an end on its last line."""
    return terminate(Document(text.encode() if isinstance(text, str) else text))


def spliced(data: bytes, splices: tuple[Splice, ...]) -> bytes:
    """The bytes with all splices made; none may overlap another."""
    parts = []
    position = 0
    for splice in sorted(splices, key=lambda each: (each.start, each.end)):
        assert splice.start >= position, "splices overlap"
        parts += [data[position : splice.start], splice.new]
        position = splice.end
    return b"".join([*parts, data[position:]])
