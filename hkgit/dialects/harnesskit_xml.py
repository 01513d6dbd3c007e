"""`<edit file="p"><old>…</old><new>…</new></edit>`, as models write it.

Not XML to the letter: texts are taken as they are, with raw `<` and `&`, as long as the tags
leave one reading. A text that holds one of the tags itself needs CDATA.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.edits import Edit
from hkgit.errors import SEND_AGAIN, InvalidInput
from hkgit.text.strict_json import Node, check_fields, has_opening, name_line, read_expected_hash

MAX_ATTRIBUTES = 5000

BLOCK = r"(?m)^[ \t]*<edit\s(?s:.*?)(?:</edit>|\Z)"

_SEEN = r"(?m)^[ \t]*(?:<edits>\s*)?<edit\s[^<>]*="
# An open CDATA section runs to the end, else each would be tried as a beginning.
_TOKEN = (
    r"<!\[CDATA\[(?s:.*?)(?:\]\]>|\Z)"
    r"|<(?P<tag>/?(?:old|new)|/edit|edit(?=\s))(?P<attributes>(?<=edit)\s[^<>]*|\s*)>"
)
_CDATA = r"<!\[CDATA\[((?s:.*?))\]\]>"
_ATTRIBUTE = r"\s*(\w+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')\s*"
_OUTER_END = r"\A\r?\n|\r?\n\Z"
_BEGUN = r"(?m)^[ \t]*<(?:e|ed|edi|edit|edit\s[^<>]*)\s*\Z"
_TAGS = ("edit", "old", "/old", "new", "/new", "/edit")

_OTHER = r"<(?!!--|\?xml\s|edits\s*>)[^\s<>][^<>]*>"
_EDIT = '<edit file="PATH">'
_SHAPE = f"Write {_EDIT}<old>…</old><new>…</new></edit>; put texts with these tags in CDATA."
_HINT = r"<(?:edit|old|new)"


def detects(text: str) -> bool:
    return re.search(_SEEN, text) is not None


def is_meant(text: str) -> bool:
    """Whether a text without JSON has tags that are like those of an edit."""
    return re.search(_HINT, text) is not None and not has_opening(text)


def parse_edits(text: str) -> Iterator[Edit]:
    """Yield the edits of a text in order; raise InvalidInput where its tags are ambiguous."""
    tokens = [token for token in re.finditer(_TOKEN, text) if token["tag"]]
    for first in range(0, max(len(tokens), 1), len(_TAGS)):
        group = tokens[first : first + len(_TAGS)]
        _check_order(text, group, tokens[first - 1].end() if first else 0)
        where = name_line(text, group[0].start())
        fields = _parse_attributes(group[0]["attributes"], where)
        name = "path" if "path" in fields and "file" not in fields else "file"
        check_fields(where, fields, (name,), ("expected_hash",))
        old_text, new_text = (
            _strip(text[group[index].end() : group[index + 1].start()]) for index in (1, 3)
        )
        yield Edit(fields[name].name("a path"), old_text, new_text, read_expected_hash(fields))
    if tokens:
        _check_end(text, tokens[0].start(), tokens[-1].end())


def _check_order(text: str, group: list[re.Match[str]], start: int) -> None:
    """Raise InvalidInput for a tag out of its place, or for text around the two texts."""
    for index, tag in enumerate(_TAGS):
        token = group[index] if index < len(group) else None
        end = len(text) if token is None else token.start()
        is_right = token is not None and token["tag"] == tag
        if token is not None and is_right and not (index % 2 and text[start:end].strip()):
            start = token.end()
            continue
        if token is None and index >= len(_TAGS) - 2:  # cut off inside its new text
            what = f"the edit ends too early: {_write_tags(_TAGS[index:])} is missing"
            raise InvalidInput(name_line(text, group[0].start()), what, SEND_AGAIN)
        other = None if tag in ("/old", "/new") else re.compile(_OTHER).search(text, start, end)
        found = other or (None if is_right else token)
        what = f"expected {_write_tags([tag])}, found {found[0][:40] if found else 'no more'}"
        if is_right and other is None:
            what = f"text before <{tag}>"
        where = found.start() if found else start
        raise InvalidInput(name_line(text, where), what, _SHAPE)


def _write_tags(tags: Sequence[str]) -> str:
    return "".join(_EDIT if tag == "edit" else f"<{tag}>" for tag in tags)


def _check_end(text: str, start: int, end: int) -> None:
    """Raise InvalidInput where a further edit is begun, or the list of edits is not closed."""
    what = ""
    if re.compile(_BEGUN).search(text, end) is not None:
        what = "the text ends in the tag of an edit"
    elif "<edits>" in text[:start] and "</edits>" not in text[end:]:
        what = "the text ends too early: </edits> is missing"
    if what:
        raise InvalidInput(name_line(text, len(text)), what, SEND_AGAIN)


def _parse_attributes(written: str, where: str) -> dict[str, Node]:
    # Every text is looked at, and few are XML.
    from html import unescape

    if len(written) > MAX_ATTRIBUTES or re.sub(_ATTRIBUTE, "", written):
        raise InvalidInput(
            where, f"attributes that cannot be read: {written.strip()[:40]!r}", _SHAPE
        )
    found = [(key, one or two) for key, one, two in re.findall(_ATTRIBUTE, written)]
    if len(dict(found)) < len(found):
        raise InvalidInput(where, "an attribute that is given twice", "Keep one.")
    return {key: Node(f"{where}, {key}", unescape(value)) for key, value in found}


def _strip(inner: str) -> str:
    """Strip from the text between two tags its CDATA and one line end at each end."""
    if inner.strip().startswith("<![CDATA[") and inner.strip().endswith("]]>"):
        inner = inner.strip()
    return re.sub(_OUTER_END, "", re.sub(_CDATA, lambda found: found[1], inner))
