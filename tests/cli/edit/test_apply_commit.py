"""`hkgit apply`: the commit is what `git commit` would make of it, with its evidence."""

import re

from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import SOURCE, first_line


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


@cases(
    {
        "by default": ({}, (), "Apply 1 edit to 1 file"),
        "as the spec says": ({"summary": "Say it anew"}, (), "Say it anew"),
        "as the command line says": ({"summary": "x"}, ("-m", "Mine"), "Mine"),
        "verbatim": ({}, ("-m", "Subject\n\n# not a comment\n"), "Subject\n\n# not a comment"),
    },
)
def test_the_message_is_the_one_given(
    about: dict[str, str], options: tuple[str, ...], message: str, bench: Bench
) -> None:
    assert bench.apply(first_line(bench, **about), *options).code == 0
    raw = bench.repo.git("cat-file", "commit", "HEAD").split("\n\n", 1)[1]
    assert raw.split("\n\nHkgit-Entry:")[0] == message


@cases(
    {
        "by default": ({}, (), "unknown"),
        "as the spec says": ({"agent": "ada/1"}, (), "ada/1"),
        "as asked": ({"agent": "ada/1"}, ("--agent", "eve/2"), "eve/2"),
    },
)
def test_the_agent_is_claimed(
    about: dict[str, str], options: tuple[str, ...], agent: str, bench: Bench
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
