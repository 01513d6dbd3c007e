"""attacks.py: an honest change of an agent, and the means to falsify it."""

import hashlib
from collections.abc import Callable
from typing import Any

from hkgit.edits import File
from hkgit.evidence.verdict import Verdict
from hkgit.text.document import hash_lines
from tests.support.commits import Change, applied, commit, judge
from tests.support.planning import Operation, protocol, replace_range
from tests.support.repos import Repo

A = b"import sys\n\n\ndef main():\n    name = sys.argv[1]\n    print(name)\n\n\nmain()\n"
B = b"one\ntwo\nthree\n"

Attack = Callable[[Change], None]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def governed_repository(repo: Repo) -> Repo:
    """A repository with some files, and one honest commit of an agent in its history."""
    repo.commit({"a.py": A, "b.txt": B, "run.sh": "#!/bin/sh\n", ".gitattributes": ""}, "Begin")
    commit(repo, applied(repo, protocol(replace_range("b.txt", B, 3, 3, "drei"))))
    return repo


def operation() -> Operation:
    """Replaces lines 5 and 6 of a.py."""
    return replace_range("a.py", A, 5, 6, "    print(sys.argv)")


def honest(repo: Repo) -> Change:
    return applied(repo, protocol(operation()))


def data_of(change: Change, path: str) -> bytes:
    file = change.files[path]
    assert file is not None
    return file.data


def forge(*way: str | int, to: Any) -> Attack:
    """Changes one value of the entry."""

    def attack(change: Change) -> None:
        *steps, last = way
        place = change.entry
        for step in steps:
            place = place[step]
        place[last] = to

    return attack


def file_of(change: Change, path: str) -> Any:
    """What the entry says of the file that has this path afterwards."""
    [file] = [each for each in change.entry["files"] if each["new_path"] == path]
    return file


def write_hunk(change: Change, path: str, text: str) -> None:
    """Let the only hunk of a file write another text than its edit says; all hashes are right."""
    file = file_of(change, path)
    [hunk] = file["hunks"]
    data = data_of(change, path).replace(hunk["new_text"].encode(), text.encode())
    hunk |= {"new_text": text, "new_hash": hash_lines(text.encode().splitlines())}
    file["after"]["sha256"] = sha256(data)
    change.files[path] = File(data)


def check(repo: Repo, change: Change, rule: str, where: str) -> None:
    """Commit a change and see it rejected by one rule, at one place, with a cure."""
    commit(repo, change)
    ruling = judge(repo)
    assert ruling.passes is False
    assert ruling.rule == rule
    assert ruling.judged.verdict == Verdict.FAIL
    assert ruling.findings[0].where == where
    assert ruling.findings[0].fix
