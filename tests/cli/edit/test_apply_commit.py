"""`hkgit apply`: the commit is what `git commit` would make of it, with its evidence."""

from __future__ import annotations

import re

from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import SOURCE, first_line, protocol


def trailers(bench: Bench) -> dict[str, list[str]]:
    """The trailers of HEAD as `git log` reads them."""
    found: dict[str, list[str]] = {}
    for line in bench.repo.git("log", "-1", "--format=%(trailers:unfold)").splitlines():
        if line:
            key, value = line.split(": ", 1)
            found.setdefault(key, []).append(value)
    return found


def test_git_reads_the_trailers(bench: Bench) -> None:
    base, digits = bench.repo.head, bench.hash(SOURCE, 1, 1)[:12]
    options = ("--agent", "ada-agent/1.2", "-m", "Subject\n\nFixes: #1\n")
    assert bench.apply(first_line(bench), *options).code == 0
    [added] = bench.repo.git("diff", "--name-only", "HEAD~1", "--", ".hkgit/ledger").split()
    assert trailers(bench) == {
        "Fixes": ["#1"],
        "Hkgit-Entry": ["sha256:" + re.sub(r"\.hkgit/ledger/|/|\.json", "", added)],
        "Hkgit-Base": [base],
        "Hkgit-Agent": ["ada-agent/1.2"],
        "Hkgit-Evidence": ["edits=1 hash=1 receipt=0 quote=0 tag=0 none=0 files=1"],
        "Hkgit-Tiers": ["range=1"],
        "Hkgit-Edit": [f"{SOURCE}:1-1 {digits} range"],
    }


def test_each_kind_of_edit_has_its_line(bench: Bench) -> None:
    bench.repo.commit({"gone.py": "1\n", "old name.py": "2\n", "caf\udce9.py": "3\n"})
    digits = {name: bench.hash(name, 1, 1) for name in ("gone.py", "old name.py", SOURCE)}
    operations: list[dict[str, object]] = [
        {"op": "insert_after", "path": SOURCE, "after_line": 1, "new_lines": ["x"]},
        {"op": "create_file", "path": "new.py", "new_text": "1\n"},
        {"op": "delete_file", "path": "gone.py"},
        {"op": "rename_file", "path": "old name.py", "new_path": "é.py"},
    ]
    hashes = (digits.get(str(each["path"])) for each in operations)
    read = [{**x, "expected_hash": y} if y else x for x, y in zip(operations, hashes, strict=True)]
    assert bench.apply(protocol(*read)).code == 0
    assert trailers(bench)["Hkgit-Edit"] == [
        f"{SOURCE}:1+ {digits[SOURCE][:12]} range",
        "new.py:new - file",
        f"gone.py:gone {digits['gone.py'][:12]} file",
        rf'old name.py:-> "\303\251.py" {digits["old name.py"][:12]} file',
    ]


def test_at_most_ten_edits_have_a_line(bench: Bench) -> None:
    operations: list[dict[str, object]] = [
        {"op": "create_file", "path": f"new/{n}.py", "new_text": "1\n"} for n in range(12)
    ]
    assert bench.apply(protocol(*operations)).code == 0
    assert len(trailers(bench)["Hkgit-Edit"]) == 10
    assert bench.repo.git("log", "-1", "--format=%s") == "Apply 12 edits to 12 files"


@cases(
    "about, options, message",
    {
        "by default": ({}, (), "Apply 1 edit to 1 file"),
        "as the spec says": ({"summary": "Say it anew"}, (), "Say it anew"),
        "as the command line says": ({"summary": "x"}, ("-m", "Mine"), "Mine"),
        "verbatim": ({}, ("-m", "Subject\n\n# not a comment\n"), "Subject\n\n# not a comment"),
    },
)
def test_the_message_is_the_one_given(
    bench: Bench, about: dict[str, str], options: tuple[str, ...], message: str
) -> None:
    assert bench.apply(first_line(bench, **about), *options).code == 0
    raw = bench.repo.git("cat-file", "commit", "HEAD").split("\n\n", 1)[1]
    assert raw.split("\n\nHkgit-Entry:")[0] == message


@cases(
    "about, options, agent",
    {
        "by default": ({}, (), "unknown"),
        "as the spec says": ({"agent": "ada/1"}, (), "ada/1"),
        "as asked": ({"agent": "ada/1"}, ("--agent", "eve/2"), "eve/2"),
    },
)
def test_the_agent_is_claimed(
    bench: Bench, about: dict[str, str], options: tuple[str, ...], agent: str
) -> None:
    assert bench.apply(first_line(bench, **about), *options).code == 0
    assert bench.entry["claims"]["agent"] == agent
    assert trailers(bench)["Hkgit-Agent"] == [agent]


@cases(
    "options",
    {
        "no message": ("-m", ""),
        "a trailer of ours": ("-m", "Fake\n\nHkgit-Entry: sha256:" + "0" * 64),
        "one in other letters": ("-m", "Fake\n\nhkgit-agent: me"),
        "no agent": ("--agent", ""),
        "an agent on two lines": ("--agent", "two\nlines"),
        "an agent that drives the terminal": ("--agent", "\x1b[2J"),
    },
)
def test_a_message_or_agent_that_cannot_be_is_invalid(
    bench: Bench, options: tuple[str, ...]
) -> None:
    assert bench.apply(first_line(bench), *options, "--dry-run").code == 4
