"""Unified diffs: as git writes them, and as models do."""

import random

import pytest

from hkgit import dialects
from hkgit.edits import (
    EXECUTABLE,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    RenameFile,
    SetMode,
    decode_text,
)
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.repos import Repo

SIDES = "--- a/x.py\n+++ b/x.py\n"
CHANGE = Edit("x.py", "a\nb\n", "a\nc\n")
BODY = " a\n-b\n+c\n"


def read(text: str) -> tuple[AnyEdit, ...]:
    return dialects.parse(text, "unified-diff").edits


@cases(
    {
        "without counts": ("@@ -7 +7 @@", 7, ""),
        "wrong counts": ("@@ -7,1 +7,99 @@", 7, ""),
        "not closed": ("@@ -7,2 +7,2", 7, ""),
        "line 0": ("@@ -0,2 +0,2 @@", None, ""),
        "dots": ("@@ ... @@", None, ""),
        "nothing between": ("@@ @@", None, ""),
        "nothing": ("@@", None, ""),
        "a heading alone": ("@@ def f():", None, "def f():"),
        "letters": ("@@ -x,2 +y,2 @@", None, "-x,2 +y,2"),
        "a line beyond all": ("@@ -99999999999,2 +1,2 @@", None, ""),
    },
)
def test_the_head_of_a_hunk_is_a_hint(head: str, hint: int | None, heading: str) -> None:
    edit = Edit("x.py", "a\nb\n", "a\nc\n", line_hint=hint, heading=heading)
    assert read(f"{SIDES}{head}\n{BODY}") == (edit,)


def test_a_line_that_begins_with_a_tab_has_lost_its_blank() -> None:
    assert read(f"{SIDES}@@ @@\n\ta\n-\tb\n+\tc\n") == (Edit("x.py", "\ta\n\tb\n", "\ta\n\tc\n"),)


@cases(
    {
        "no prefixes": "--- x.py\n+++ x.py\n",
        "tab, time": "--- a/x.py\t2024-01-02 03:04:05.6 +0000\n+++ b/x.py\t2024\n",
        "blank, time": "--- a/x.py 2024-01-02 03:04\n+++ b/x.py 2024-01-02 03:05\n",
        "mnemonic prefixes": "--- i/x.py\n+++ w/x.py\n",
        "one prefix": "--- a/x.py\n+++ x.py\n",
        "quoted": '--- "a/x.py"\n+++ "b/\\170.py"\n',
        "git": "diff --git a/x.py b/x.py\nindex 1f..2e 100644\n" + SIDES,
        "git's line alone": "diff --git a/x.py b/x.py\n",
        "diff's own line": "diff -u a/x.py b/x.py\n" + SIDES,
        "svn": "Index: x.py\n===\n" + SIDES,
        "mail": "From 1f\nSubject: x\n---\n x.py | 2 +-\n\n" + SIDES,
        "CRLF headers": "--- a/x.py\r\n+++ b/x.py\r\n",
        "prose and fence": "Here:\n```diff\n" + SIDES,
        "a copy kept before": "--- x.py.orig\n+++ x.py\n",
    },
)
def test_the_file_is_named_by_both_sides(sides: str) -> None:
    assert read(f"{sides}@@ @@\n{BODY}") == (CHANGE,)


@cases(
    {
        "a blank line without its space": (" a\n\n-b\n+c\n", "a\n\nb\n", "a\n\nc\n"),
        "blank lines behind": (" a\n-b\n+c\n\n\n", "a\nb\n", "a\nc\n"),
        "a blank context line behind": (" a\n-b\n+c\n \n", "a\nb\n\n", "a\nc\n\n"),
        "a fence behind": (" a\n-b\n+c\n```\nDone.\n", "a\nb\n", "a\nc\n"),
        "lines that look like sides": ("--- x\n+++ y\n", "-- x\n", "++ y\n"),
        "blank lines changed": ("-\n+\n", "\n", "\n"),
        "only new lines": ("+a\n+b\n", "", "a\nb\n"),
        "CRLF content": ("-a\r\n+b\r\n", "a\r\n", "b\r\n"),
        "tabs and backslashes": ("-\ta\n+\\ b\n", "\ta\n", "\\ b\n"),
    },
)
def test_a_body_is_counted(body: str, old: str, new: str) -> None:
    head = f"@@ -1,{old.count(chr(10))} +1,{new.count(chr(10))} @@"
    assert read(f"{SIDES}{head}\n{body}") == (Edit("x.py", old, new, line_hint=1),)


def test_hunks_below_the_name_of_their_file_need_its_two_sides() -> None:
    with pytest.raises(InvalidInput, match="a hunk without a file\nWrite --- a/PATH"):
        read(f"**x.py**\n```diff\n@@ ... @@\n{BODY}```\n")


def test_a_blank_line_behind_belongs_to_the_hunk_if_its_head_counts_it() -> None:
    [edit] = read(f"{SIDES}@@ -1,3 +1,3 @@\n{BODY}\n\nThat was it.\n")
    assert edit == Edit("x.py", "a\nb\n\n", "a\nc\n\n", line_hint=1)


def test_behind_a_hunk_that_is_full_and_a_blank_line_is_prose() -> None:
    assert read(f"{SIDES}@@ -7,2 +7,2 @@\n{BODY}\nThat was it.\n")


def test_a_hunk_may_begin_right_below_the_sides() -> None:
    assert read(f"{SIDES}{BODY}") == (CHANGE,)


@pytest.mark.parametrize("count", [1, 2])
def test_the_signature_of_a_mail_is_no_removed_line(count: int) -> None:
    [edit] = read(f"{SIDES}@@ -1,{count} +1,{count} @@\n{BODY}-- \n2.39.5\n\n")
    assert edit == Edit("x.py", "a\nb\n", "a\nc\n", line_hint=1)


@cases({"true": "@@ -1,2 +1,2 @@", "too long": "@@ -1,9 +1,9 @@", "none": "@@ @@"})
def test_the_next_file_begins_whatever_the_counts_say(head: str) -> None:
    second = SIDES.replace("x.py", "y.py") + "@@ @@\n" + BODY
    edits = read(f"{SIDES}{head}\n{BODY}{second}")
    assert [edit.path for edit in edits] == ["x.py", "y.py"]


@cases(
    {
        "never there": ("-a\n\\ No newline\n+b\n\\ No newline\n", Edit("x.py", "a\n", "b\n")),
        "in the context": ("-b\n a\n\\ Kein Zeilenumbruch\n", Edit("x.py", "b\na\n", "a\n")),
        "not there in what an empty file gets": ("+a\n\\ No newline\n", Edit("x.py", "", "a")),
        "gone with the last line": (
            " a\n-b\n\\ No newline\n",
            Edit("x.py", "a\nb\n", "a\n", final_newline=True),
        ),
    },
)
def test_the_end_of_the_last_line_is_read(body: str, edit: Edit) -> None:
    assert read(f"{SIDES}@@ @@\n{body}") == (edit,)


GIT = "diff --git a/x.py b/x.py\n"


@cases(
    {
        "new, a blank line without its plus": (
            "--- /dev/null\n+++ b/x.py\n@@ @@\n+a\n\n+b\n",
            [CreateFile("x.py", "a\n\nb\n")],
        ),
        "gone, text unsaid": ("--- a/x.py\n+++ /dev/null\n", [DeleteFile("x.py")]),
        "gone by header": (GIT + "deleted file mode 100644\nindex 1..0\n", [DeleteFile("x.py")]),
        "moved and changed": (
            "diff --git a/x.py b/y.py\nsimilarity index 90%\nrename from x.py\n"
            "rename to y.py\n"
            "index 1..2 100644\n--- a/x.py\n+++ b/y.py\n@@ @@\n" + BODY,
            [RenameFile("x.py", "y.py"), CHANGE],
        ),
        "mode and text": (
            GIT + "old mode 100755\nnew mode 100644\n" + SIDES + "@@ @@\n" + BODY,
            [SetMode("x.py", REGULAR), CHANGE],
        ),
        "new and gone, with the prefixes of diff.mnemonicPrefix": (
            "diff --git c/x.py i/x.py\nnew file mode 100644\n--- /dev/null\n+++ i/x.py\n@@ @@\n+a\n"
            "diff --git c/y.py i/y.py\ndeleted file mode 100644\n--- c/y.py\n+++ /dev/null\n",
            [CreateFile("x.py", "a\n"), DeleteFile("y.py")],
        ),
        "new, without prefixes": (
            "diff --git a/x.py a/x.py\n--- /dev/null\n+++ a/x.py\n@@ @@\n+a\n",
            [CreateFile("a/x.py", "a\n")],
        ),
        "new, beside another name": (
            "diff --git a/dev/null b/abcdefgh\n--- /dev/null\n+++ b/abcdefgh\n@@ @@\n+a\n",
            [CreateFile("abcdefgh", "a\n")],
        ),
        "a quoted name": (
            'diff --git "a/\\303\\251\\t.py" "b/\\303\\251\\t.py"\ndeleted file mode 100644\n',
            [DeleteFile("é\t.py")],
        ),
        "two files": (
            GIT + "deleted file mode 100644\n--- a/y.py\n+++ b/y.py\n@@ @@\n" + BODY,
            [DeleteFile("x.py"), Edit("y.py", "a\nb\n", "a\nc\n")],
        ),
    },
)
def test_headers_say_what_becomes_of_a_file(text: str, edits: list[AnyEdit]) -> None:
    assert read(text) == tuple(edits)


@cases(
    {
        "no file": ("@@ -1 +1 @@\n-a\n+b\n", "line 1: a hunk without a file"),
        "no hunk": (SIDES, "line 1: a file without a change"),
        "a merge": (SIDES + "@@@ -1 -1 +1 @@@\n  a\n", "line 3: the combined diff"),
        "an empty hunk": (SIDES + "@@ @@\n", "line 3: a hunk without lines"),
        "no prefix": (
            SIDES + "@@ @@\n-a\n+b\nc\n",
            "line 6: a line of a hunk without a prefix: 'c'",
        ),
        "no prefix in a full hunk": (
            SIDES + "@@ -1 +1 @@\n-a\n+b\nc\n+d\n",
            "line 6: a line of a hunk without",
        ),
        "behind the end": (SIDES + "@@ @@\n-a\n\\ No newline\n-b\n", "line 3: lines after the end"),
        "two names": ("--- a/x.py\n+++ b/y.py\n@@ @@\n" + BODY, "two sides name different files"),
        "new": ("--- /dev/null\n+++ b/x\n@@ @@\n a\n+b\n", "a new file with context"),
        "gone": ("--- a/x\n+++ /dev/null\n@@ @@\n-a\n+b\n", "a removed file with"),
        "a link": (GIT + "new file mode 120000\n", "line 2: mode 120000"),
        "binary": (GIT + "index 1..2\nGIT binary patch\n", "line 3: a binary patch"),
        "differ": (GIT + "Binary files a/x.py and b/x.py differ\n", "line 2: a binary"),
        "copy": ("diff --git a/x b/y\ncopy from x\ncopy to y\n", "line 2: a copy"),
        "half a move": ("diff --git a/x b/yy\nrename from x\n", "a file without a name"),
        "no name": ("diff --git x\n@@ @@\n" + BODY, "a file without a name"),
        "nothing": ("no diff\n", "empty spec"),
    },
)
def test_what_cannot_be_read_is_refused_at_its_line(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(text)
    assert message in str(refusal.value)


def test_what_gnu_diff_writes_of_a_file_that_is_gone_removes_it(repo: Repo) -> None:
    repo.shell("mkdir old new; echo a >old/gone; echo b >old/kept; : >new/kept")
    repo.shell("TZ=America/New_York diff -ruN old new >out || true")
    assert read(repo.read("out").decode()) == (
        DeleteFile("gone", old_text="a\n"),
        Edit("kept", "b\n", "", line_hint=1),
    )
    repo.shell("echo c >new/kept; touch -d @0 new/kept; diff -uN old/kept new/kept >out || true")
    assert read(repo.read("out").decode()) == (Edit("kept", "b\n", "c\n", line_hint=1),)


UNDATED = "--- a/f\t2024-01-01 00:00:00 +0000\n+++ b/f\t1970-01-01 00:00:00.000000000 +0000\n"


def test_the_time_of_no_file_removes_none_where_more_or_less_is_said() -> None:
    """Trees that are built to be reproducible bear it as well."""
    with pytest.raises(InvalidInput, match="a file without a change"):
        read(UNDATED)
    assert read(f"{UNDATED}@@ -2 +1,0 @@\n-two\n") == (Edit("f", "two\n", "", line_hint=2),)
    moved = "diff --git a/f b/h\nrename from f\nrename to h\n" + UNDATED.replace("b/f", "b/h")
    assert read(moved) == (RenameFile("f", "h"),)
    changed = f"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n{UNDATED}"
    assert read(changed) == (SetMode("f", EXECUTABLE),)


def test_what_git_writes_turns_the_old_files_into_the_new_ones(repo: Repo) -> None:
    chance = random.Random(7)
    names = [f"{'a/' * (i % 3)}ü file {i}.txt" for i in range(60)]
    old = {name: _content(chance) for name in names if chance.random() < 0.9}
    new = {name: _changed(chance, old.get(name, b"")) for name in names if chance.random() < 0.9}
    repo.commit(old)
    repo.commit({**dict.fromkeys(old), **new})
    for options in ((), ("--no-prefix",), ("--src-prefix=c/", "--dst-prefix=i/")):
        diff = repo.git_bytes("diff", *options, "--no-renames", "--text", "HEAD~", "HEAD")
        files = dict(old)
        for edit in reversed(dialects.parse(diff).edits):
            _apply(files, edit)
        assert files == new


WORDS = [b"", b"a", b"-- b", b"++ c", b"\tx", b"}", b"-", b"+", b"\xff", b"d\r", b"@@ -1 +1 @@"]


def _content(chance: random.Random) -> bytes:
    lines = [chance.choice(WORDS) for _ in range(chance.randrange(40))]
    return b"\n".join(lines) + chance.choice([b"", b"\n"])


def _changed(chance: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(lines) + 1)
        lines[place : place + chance.randrange(3)] = chance.choices(WORDS, k=chance.randrange(3))
    return b"\n".join(lines)


def _apply(files: dict[str, bytes], edit: AnyEdit) -> None:
    """Carry out an edit whose hint is true; the hunks of a file come from its end upwards."""
    match edit:
        case CreateFile(path, text):
            files[path] = text.encode("utf-8", "surrogateescape")
        case DeleteFile(path, _, text):
            assert text is None or decode_text(files[path]) == text
            del files[path]
        case Edit(path, old, new, line_hint=hint, final_newline=end):
            is_open = files[path] != b"" and not files[path].endswith(b"\n")
            text = decode_text(files[path]) + "\n" * is_open
            lines = text.split("\n")[:-1]
            first = (hint or 1) - 1
            size = old.count("\n")
            assert lines[first : first + size] == old.split("\n")[:-1]
            lines[first : first + size] = new.split("\n")[:-1]
            ends = not is_open if end is None else end
            text = "\n".join(lines) + "\n" * (ends and bool(lines))
            files[path] = text.encode("utf-8", "surrogateescape")
        case _:
            pytest.fail(f"not expected: {edit}")
