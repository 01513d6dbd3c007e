"""Bytes and modes that no entry accounts for: rejected at their place, with a cure."""

from __future__ import annotations

import pytest

from hkgit.edits import EXECUTABLE, SUBMODULE, SYMLINK, File
from hkgit.evidence.verdict import Verdict
from tests.support.attacks import Attack, B, check, data_of, honest, operation
from tests.support.cases import cases
from tests.support.commits import Change, applied, commit, judge
from tests.support.planning import protocol
from tests.support.repos import Repo


def with_a_blank(data: bytes, line: int) -> bytes:
    """The file with a byte more in one line."""
    lines = data.split(b"\n")
    lines[line - 1] += b" "
    return b"\n".join(lines)


def byte_in_touched_file(change: Change) -> None:
    change.files["a.py"] = File(with_a_blank(data_of(change, "a.py"), 8))


def byte_in_touched_line(change: Change) -> None:
    change.files["a.py"] = File(with_a_blank(data_of(change, "a.py"), 5))


def byte_at_the_end(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py") + b"\n")


def final_newline(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py").rstrip(b"\n"))


def line_end(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py").replace(b"sys\n", b"sys\r\n", 1))


def byte_order_mark(change: Change) -> None:
    change.files["a.py"] = File(b"\xef\xbb\xbf" + data_of(change, "a.py"))


def put(path: str, file: File | None) -> Attack:
    """Smuggles in a file, or takes one away."""

    def attack(change: Change) -> None:
        change.files[path] = file

    return attack


def leave_out(change: Change) -> None:
    del change.files["a.py"]


def mode_of_touched_file(change: Change) -> None:
    change.files["a.py"] = File(data_of(change, "a.py"), EXECUTABLE)


SMUGGLED = {
    "a byte in a touched file": (byte_in_touched_file, "bytes", "a.py:8"),
    "a byte in a touched line": (byte_in_touched_line, "bytes", "a.py:5"),
    "a line at the end": (byte_at_the_end, "bytes", "a.py:9"),
    "the final newline": (final_newline, "bytes", "a.py:8"),
    "a line end": (line_end, "bytes", "a.py:1"),
    "a byte order mark": (byte_order_mark, "bytes", "a.py:1"),
    "an untouched file": (put("b.txt", File(B)), "bytes", "b.txt"),
    "a new file": (put("new", File(b"x")), "bytes", "new"),
    "a file less": (put("b.txt", None), "bytes", "b.txt"),
    "the touched file itself gone": (put("a.py", None), "bytes", "a.py"),
    "the mode of a touched file": (mode_of_touched_file, "mode", "a.py"),
    "the mode of an untouched file": (
        put("run.sh", File(b"#!/bin/sh\n", EXECUTABLE)),
        "bytes",
        "run.sh",
    ),
    "a link": (put("link", File(b"/etc/passwd", SYMLINK)), "bytes", "link"),
    "a file made a link": (put("b.txt", File(b"a.py", SYMLINK)), "bytes", "b.txt"),
    "the touched file made a link": (put("a.py", File(b"b.txt", SYMLINK)), "mode", "a.py"),
    "a submodule": (put("module", File(b"", SUBMODULE)), "bytes", "module"),
    "attributes": (put(".gitattributes", File(b"* -diff\n")), "bytes", ".gitattributes"),
    "a policy": (
        put(".hkgit/config.toml", File(b"[gate]\nmode = 'warn'\n")),
        "bytes",
        ".hkgit/config.toml",
    ),
    "the ledger's attributes": (
        put(".hkgit/.gitattributes", File(b"* -diff\n")),
        "bytes",
        ".hkgit/.gitattributes",
    ),
    "the ledger's attributes gone": (
        put(".hkgit/.gitattributes", None),
        "bytes",
        ".hkgit/.gitattributes",
    ),
    "a ledger in another case": (put(".HKGIT/ledger/x", File(b"x")), "bytes", ".HKGIT/ledger/x"),
    "what the entry says is left out": (leave_out, "bytes", "a.py"),
}


@pytest.mark.sampled
@cases("attack, rule, where", SMUGGLED)
def test_what_no_entry_accounts_for_is_rejected(
    governed: Repo, attack: Attack, rule: str, where: str
) -> None:
    change = honest(governed)
    attack(change)
    check(governed, change, rule, where)


def test_the_honest_change_passes(governed: Repo) -> None:
    commit(governed, honest(governed))
    ruling = judge(governed)
    assert ruling.passes is True
    assert ruling.judged.verdict == Verdict.STRICT


def test_a_blind_edit_is_rejected(governed: Repo) -> None:
    blind = operation()
    del blind["expected_hash"]
    change = applied(governed, protocol(blind))
    check(governed, change, "blind", "a.py:5-6")


def test_the_cure_of_a_blind_edit_is_its_hash(governed: Repo) -> None:
    blind = operation()
    del blind["expected_hash"]
    commit(governed, applied(governed, protocol(blind)))
    assert "`hkgit read a.py:5-6` prints the one to pass with --expect" in (
        judge(governed).findings[0].fix
    )


def test_a_blind_commit_is_rejected(governed: Repo) -> None:
    change = Change({"a.py": File(b"x\n"), "b.txt": None})
    check(governed, change, "blind", "a.py, b.txt")
