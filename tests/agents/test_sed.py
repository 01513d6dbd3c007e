"""What is made of `sed -i` by its words is what `sed` makes of it, or nothing."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from hkgit.agents.shell.explaining import make_by_words
from hkgit.edits import File

TEXT = b"one = 1\n  two = (2 + 2)\n\nthree [3]{3}\nfour a|b a.c\\d\nfive/5 $5 ^5 *5\nabc abc abc"


def _split(words: str) -> list[str]:
    return words.split() if words.startswith("-e") else words.split(" ", words[:1] == "-")


@pytest.mark.parametrize(
    "words",
    [
        "s/1/10/",
        "s/abc/x&y/g",
        "s/abc/x/2",
        "s/ABC/x/Ig",
        "s|five/5|six/6|",
        r"s/five\/5/six\/6/",
        "2d",
        "2,4d",
        "5,2d",
        "3,$s/a/b/",
        "$d",
        "$s/$/!/",
        "/two/d",
        "/two/s/2/3/g",
        "s/^/# /",
        "s/one\\|two/x/",
        r"s/\(t[a-z]*\) = /\1: /",
        "s/(2 + 2)/4/",
        "s/a.c/x/g",
        r"s/a\.c/x/",
        "s/[^a-z]//g",
        "s/[]3[]/x/",
        r"s/x*/-/g",
        r"s/\bb\b/B/",
        r"s/ \+/ /g",
        r"s/1/1\n2/",
        r"s/1/\\1/",
        "s/ = /=/; s/1/2/\n3d",
        "s/a/b/;",
        "-E s/(o|t)(ne|wo)/\\2\\1/",
        "-E s/a{1}b+c?/x/",
        r"-E s/\(2 \+ 2\)/4/",
        "-r s/^ +//",
        "-E s/(a+)+$/x/",
        "1,$d",
        "-e s/1/2/ -e s/2/3/",
        "s/\\d/x/",
        "s/[[:space:]]/x/",
        "s/a/\\U&/",
        "1!d",
        "1i\\ new",
        "y/abc/xyz/",
        "s/a/b/w out",
        "s/a/b",
        "s/(/x/g",
        "s/*5/x/",
        "s/a/b/0",
        "s",
        "",
    ],
)
def test_words_make_what_sed_makes_or_nothing(words: str, tmp_path: Path) -> None:
    options = _split(words)
    done = subprocess.run(
        ["sed", *options], input=TEXT, cwd=tmp_path, capture_output=True, check=False
    )
    made = make_by_words(f"sed -i {shlex.join(options)} x.py", "x.py", File(TEXT))
    assert made is None or (done.returncode == 0 and made.data == done.stdout)


@pytest.mark.parametrize("words", ["s/1/10/", "2,4d", "-E s/(o|t)(ne|wo)/\\2\\1/", "s/ \\+/ /g"])
def test_the_common_ones_are_understood(words: str) -> None:
    made = make_by_words(f"sed -i {shlex.join(_split(words))} x.py", "x.py", File(TEXT))
    assert made is not None
    assert made.data != TEXT


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/1/2/ y.py",
        "sed -n s/1/2/p x.py",
        "sed s/1/2/ x.py",
        "sed -i.bak s/1/2/ x.py",
        "sed -i 's/1/2/ x.py",
        "cat >x.py",
        "cat >x.py <<EOF\n$HOME\nEOF",
        "cat >x.py <<EOF\nno end",
        "./tool x.py",
        "",
    ],
)
def test_of_other_words_nothing_is_made(command: str) -> None:
    assert make_by_words(command, "x.py", File(TEXT)) is None
