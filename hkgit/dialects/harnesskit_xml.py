"""`<edit file="p"><old>…</old><new>…</new></edit>`, as models write it.

Not XML to the letter: texts are taken as they are, with raw `<` and `&`, as long as the tags
leave one reading. A text that holds one of the tags itself needs CDATA.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hkgit.edits import Edit
from hkgit.errors import SEND_AGAIN, InvalidInput
from hkgit.text.strict_json import Node, check_fields, read_expected_hash

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

Token = re.Match[str]


def detects(text: str) -> bool:
    return re.search(_SEEN, text) is not None


def parse_edits(text: str) -> Iterator[Edit]:
    """Yield the edits of a text in order; raise InvalidInput where its tags are ambiguous."""
    tokens = [token for token in re.finditer(_TOKEN, text) if token["tag"]]
    line, counted = 1, 0
    for first in range(0, len(tokens), len(_TAGS)):
        group = tokens[first : first + len(_TAGS)]
        line += text.count("\n", counted, group[0].start())
        counted = group[0].start()
        if "new" in _names(group) and len(group) < len(_TAGS):
            _refuse_short(group, line)
        _check_order(text, group, line)
        fields = _attributes(group[0], f"line {line}")
        name = "path" if "path" in fields and "file" not in fields else "file"
        check_fields(f"line {line}", fields, (name,), ("expected_hash",))
        old_text, new_text = _between(text, group, 1), _between(text, group, 3)
        yield Edit(fields[name].name("a path"), old_text, new_text, read_expected_hash(fields))
    if tokens:
        _check_end(text, tokens[0].start(), tokens[-1].end())


def _names(group: list[Token]) -> list[str]:
    return [token["tag"] for token in group]


def _refuse_short(group: list[Token], line: int) -> None:
    """Raise InvalidInput for an edit that the end of the text cuts off inside its new text."""
    names = _names(group)
    if names == list(_TAGS[: len(names)]):
        ends = "".join(f"<{name}>" for name in _TAGS[len(names) :])
        what = f"the edit ends too early: {ends} is missing"
        raise InvalidInput(f"line {line}", what, SEND_AGAIN)


def _check_end(text: str, start: int, end: int) -> None:
    """Raise InvalidInput where a further edit is begun, or the list of edits is not closed."""
    where = f"line {text.count(chr(10)) + 1}"
    if re.compile(_BEGUN).search(text, end) is not None:
        raise InvalidInput(where, "the text ends in the tag of an edit", SEND_AGAIN)
    if "<edits>" in text[:start] and "</edits>" not in text[end:]:
        raise InvalidInput(where, "the text ends too early: </edits> is missing", SEND_AGAIN)


def _check_order(text: str, group: list[Token], first_line: int) -> None:
    """Each tag in its place, and nothing but whitespace around the texts."""
    fix = "Write <edit file=…><old>…</old><new>…</new></edit>; put texts with these tags in CDATA."
    for index, tag in enumerate(_TAGS):
        token = group[min(index, len(group) - 1)]
        what = ""
        if index >= len(group) or token["tag"] != tag:
            what = f"expected <{tag}>, found {'no more' if index >= len(group) else token[0][:40]}"
        elif index in (1, 3, 5) and text[group[index - 1].end() : token.start()].strip():
            what = f"text before <{tag}>"
        if what:
            line = first_line + text.count("\n", group[0].start(), token.start())
            raise InvalidInput(f"line {line}", what, fix)


def _attributes(token: Token, where: str) -> dict[str, Node]:
    # Every text is looked at, and few are XML.
    from html import unescape

    rest = token["attributes"]
    if len(rest) > MAX_ATTRIBUTES or re.sub(_ATTRIBUTE, "", rest):
        raise InvalidInput(where, f"attributes that cannot be read: {rest.strip()[:40]!r}")
    found = [(key, one or two) for key, one, two in re.findall(_ATTRIBUTE, rest)]
    if len(dict(found)) < len(found):
        raise InvalidInput(where, "an attribute that is given twice", "Keep one.")
    return {key: Node(f"{where}, {key}", unescape(value)) for key, value in found}


def _between(text: str, group: list[Token], index: int) -> str:
    """The text from one tag to the next, without CDATA and one line end at each end."""
    inner = text[group[index].end() : group[index + 1].start()]
    if inner.strip().startswith("<![CDATA[") and inner.strip().endswith("]]>"):
        inner = inner.strip()
    inner = re.sub(_CDATA, lambda found: found[1], inner)
    return re.sub(_OUTER_END, "", inner)
