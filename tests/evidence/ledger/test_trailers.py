"""Trailers: what a message says of its entry, and how strictly it is read (contract, section 8)."""

from dataclasses import replace

import pytest

from hkgit.edits import EXECUTABLE, AnyEdit, CreateFile, InsertAfter, RenameFile, SetMode, WriteFile
from hkgit.evidence.entry import Entry, entry_id
from hkgit.evidence.trailers import append_trailers, read_trailers, render_trailers
from hkgit.matching.place import format_decimal
from tests.support.cases import cases
from tests.support.entries import entry_of, entry_of_protocol
from tests.support.planning import (
    Files,
    delete_range,
    hash_of,
    insert_after,
    replace_range,
    spec_of,
)

FIVE = b"1\n2\n3\n4\n5\n"
ID = "0123456789abcdef" * 4


def test_a_whole_message() -> None:
    entry = entry_of_protocol(
        {"src/app.py": FIVE, "b": FIVE},
        replace_range("src/app.py", FIVE, 2, 3, "x"),
        insert_after("src/app.py", FIVE, 4, "y"),
        {"op": "delete_file", "path": "b"},
        {"op": "create_file", "path": "new.py", "new_text": "z\n"},
    )
    message = append_trailers("Apply 4 edits to 3 files", render_trailers(entry, ID))
    assert message.decode() == (
        "Apply 4 edits to 3 files\n"
        "\n"
        f"Hkgit-Entry: sha256:{ID}\n"
        f"Hkgit-Base: {'b' * 40}\n"
        "Hkgit-Agent: tester/1\n"
        "Hkgit-Evidence: edits=4 hash=3 receipt=0 quote=0 tag=0 none=1 files=3\n"
        "Hkgit-Tiers: range=2 file=2\n"
        f"Hkgit-Edit: src/app.py:2-3 {hash_of(FIVE, 2, 3)[:12]} range\n"
        f"Hkgit-Edit: src/app.py:4+ {hash_of(FIVE, 4, 4)[:12]} range\n"
        "Hkgit-Edit: b:gone - file\n"
        "Hkgit-Edit: new.py:new - file\n"
    )


def edit_lines(entry: Entry) -> list[str]:
    lines = render_trailers(entry, ID)
    return [line.removeprefix("Hkgit-Edit: ") for line in lines if line.startswith("Hkgit-Edit: ")]


@cases(
    "files, edit, line",
    {
        "a mode": ({"f": FIVE}, SetMode("f", EXECUTABLE), "f:1-5 - file"),
        "filled": ({"f": b""}, WriteFile("f", "x"), "f:0+ - file"),
        "a blank in a path": ({}, CreateFile("a b", "x"), "a b:new - file"),
        "moved, as git quotes it": (
            {"ö": FIVE},
            RenameFile("ö", "é"),
            r'"\303\266":-> "\303\251" - file',
        ),
        "inserted at the top": ({"f": FIVE}, InsertAfter("f", 0, ("x",)), "f:0+ - range"),
    },
)
def test_an_edit_on_one_line(files: Files, edit: AnyEdit, line: str) -> None:
    assert edit_lines(entry_of(spec_of([edit], sequential=True), files)) == [line]


def test_ten_edits_are_named_and_all_are_counted() -> None:
    data = b"".join(b"%d\n" % n for n in range(12))
    entry = entry_of_protocol({"f": data}, *(delete_range("f", data, n, n) for n in range(1, 13)))
    evidence = "Hkgit-Evidence: edits=12 hash=12 receipt=0 quote=0 tag=0 none=0 files=1"
    assert len(edit_lines(entry)) == 10
    assert evidence in render_trailers(entry, ID)
    assert not any("Hkgit-Base" in line for line in render_trailers(replace(entry, base=None), ID))


def test_decimals_are_rounded_down() -> None:
    assert [*map(format_decimal, (1000, 999, 939, 9))] == ["1.00", "0.99", "0.93", "0.00"]


def test_the_confidence_of_a_message_is_its_lowest() -> None:
    entry = entry_of_protocol({"f": FIVE}, *(delete_range("f", FIVE, n, n) for n in (1, 2)))
    unsure = replace(entry, edits=(replace(entry.edits[0], confidence=657), entry.edits[1]))
    assert "Hkgit-Confidence: 0.65" in render_trailers(unsure, ID)


LINES = ("Hkgit-Entry: sha256:" + ID, "Hkgit-Agent: x")


@cases(
    "text, message",
    {
        "a subject": ("Say", "Say\n\n{}\n"),
        "line ends too many": ("Say\n\n", "Say\n\n{}\n"),
        "a body": ("Say\n\nMore: of it\nat length", "Say\n\nMore: of it\nat length\n\n{}\n"),
        "trailers join trailers": (
            "Say\n\nBody\n\nSigned-off-by: A <a@b.c>",
            "Say\n\nBody\n\nSigned-off-by: A <a@b.c>\n{}\n",
        ),
        "a subject is no trailer": ("Fix: all", "Fix: all\n\n{}\n"),
        "verbatim": ("# Say\n\n  kept  as it is", "# Say\n\n  kept  as it is\n\n{}\n"),
        "bytes that are not UTF-8": ("é \udcff", "é \udcff\n\n{}\n"),
    },
)
def test_trailers_are_the_last_of_a_message(text: str, message: str) -> None:
    expected = message.replace("{}", "\n".join(LINES))
    assert append_trailers(text, LINES) == expected.encode("utf-8", "surrogateescape")


FOOT = f"Hkgit-Entry: sha256:{ID}\nHkgit-Confidence: 1.00\n"
OTHER = ID.replace("0", "f")


@cases(
    "message, entries",
    {
        "a subject and trailers": (f"Say\n\n{FOOT}", [ID]),
        "empty lines around": (f"Say\n\nBody\n\n\n{FOOT}\n\n", [ID]),
        "CRLF": (f"Say\n\n{FOOT}".replace("\n", "\r\n"), [ID]),
        "cherry-picked": (f"Say\n\n{FOOT}(cherry picked from commit {'c' * 40})\n", [ID]),
        "among other trailers, folded ones too": (
            f"Say\n\nSigned-off-by: A <a@b.c>\n{FOOT}Acked-by: B\n  <b@b.c>\n",
            [ID],
        ),
        "two entries": (f"Say\n\n{FOOT}Hkgit-Entry: sha256:{OTHER}\n", [ID, OTHER]),
        "behind a divider": (f"Say\n\nbody\n---\nmore\n\n{FOOT}", [ID]),
        "above what a merge lists": (f"Merge it\n\n{FOOT}\n# Conflicts:\n#\ta.py\n", [ID]),
        "none": ("Say\n\nNothing of the kind\n", []),
        "no message": ("", []),
        "indented by a squash": (f"Say\n\n    Hkgit-Entry: sha256:{ID}\n", []),
        "in a sentence": ("Say \ufffd\n\nNothing about Hkgit-Entry: here\n", []),
    },
)
def test_the_last_paragraph_names_the_entries(message: str, entries: list[str]) -> None:
    found = read_trailers(message.encode())
    assert list(found.entries) == entries
    assert found.faults == ()


VOUCHED = "Hkgit-Vouched-by: Ada Tester <ada@example.org>"


@cases(
    "message, vouchers",
    {
        "alone": (f"Say\n\n{VOUCHED}\n", ["Ada Tester <ada@example.org>"]),
        "beside an entry": (f"Say\n\n{FOOT}{VOUCHED}\n", ["Ada Tester <ada@example.org>"]),
        "two people, beside an agent": (
            f"Say\n\nCo-authored-by: A <a@b.c>\n{VOUCHED}\nHkgit-Vouched-by: B <b@b.c>\n",
            ["Ada Tester <ada@example.org>", "B <b@b.c>"],
        ),
        "as the subject": (f"{VOUCHED}\n", []),
        "in the body": (f"Say\n\n{VOUCHED}\n\nMore\n", []),
        "with prose": (f"Say\n\n{VOUCHED}\nand some prose\n", []),
        "folded": (f"Say\n\n{VOUCHED}\n <b@b.c>\n", []),
        "without an address": ("Say\n\nHkgit-Vouched-by: Ada\n", []),
        "with two addresses": (f"Say\n\n{VOUCHED} <b@b.c>\n", []),
        "another case": (f"Say\n\n{VOUCHED.lower()}\n", []),
        "a control character": ("Say\n\nHkgit-Vouched-by: A\u202eda <a@b.c>\n", []),
    },
)
def test_a_message_names_who_vouches_for_it(message: str, vouchers: list[str]) -> None:
    found = read_trailers(message.encode())
    assert list(found.vouchers) == vouchers
    assert bool(found.faults) is not bool(vouchers)


@cases(
    "message, fault, entries",
    {
        "in the body": (
            f"Say\n\n{FOOT}\nSigned-off-by: A\n",
            "above the last paragraph do not count",
            [],
        ),
        "as the subject": (f"{FOOT}", "above the last paragraph do not count", []),
        "twice": (f"Say\n\n{FOOT}Hkgit-Entry: sha256:{ID}\n", "is named 2 times", [ID]),
        "with prose": (f"Say\n\n{FOOT}and some prose\n", "mixes Hkgit- trailers with other", [ID]),
        "right below a divider": (f"Say\n\n---\n{FOOT}", "mixes Hkgit- trailers with other", [ID]),
        "with a comment": (f"Say\n\n{FOOT}# Hkgit-Entry: sha256:{OTHER}\n", "mixes", [ID]),
        "folded": (f"Say\n\n{FOOT} folded\n", "continues on the next line", [ID]),
        "a short name": ("Say\n\nHkgit-Entry: sha256:" + "0" * 63 + "\n", "names no entry", []),
        "without its kind": (f"Say\n\nHkgit-Entry: {ID}\n", "names no entry", []),
        "in capitals": (f"Say\n\nHkgit-Entry: sha256:{ID.upper()}\n", "names no entry", []),
        "another case": (f"Say\n\nhkgit-entry: sha256:{ID}\n", "not a trailer of hkgit", []),
        "a blank before the colon": (
            f"Say\n\nHkgit-Entry : sha256:{ID}\n",
            "not a trailer of hkgit",
            [],
        ),
        "an unknown key": (f"Say\n\n{FOOT}Hkgit-Approved: yes\n", "not a trailer of hkgit", [ID]),
        "a control character": (
            f"Say\n\n{FOOT}Hkgit-Agent: a\u202eb\n",
            "not a trailer of hkgit",
            [ID],
        ),
        "without an entry": ("Say\n\nHkgit-Confidence: 1.00\n", "without an Hkgit-Entry", []),
    },
)
def test_what_only_looks_like_evidence_is_a_fault(
    message: str, fault: str, entries: list[str]
) -> None:
    found = read_trailers(message.encode())
    assert list(found.entries) == entries
    assert fault in " ".join(found.faults)


@pytest.mark.parametrize("message", ["\n" * 100_000, "a\n \n" * 50_000, "Hkgit-" * 50_000])
def test_no_message_takes_long(message: str) -> None:
    assert read_trailers(message.encode()).entries == ()


def test_what_is_written_is_what_is_read() -> None:
    entry = entry_of_protocol({"f": FIVE}, delete_range("f", FIVE, 1, 1))
    lines = render_trailers(entry, entry_id(entry.to_bytes()))
    assert read_trailers(append_trailers("Say", lines)).lines == lines
