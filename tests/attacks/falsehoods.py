"""falsehoods.py: honest changes made false, each with the rule that finds it, and where."""

import copy

from hkgit.edits import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.text.document import range_hash
from tests.support.attacks import A, Attack, B, data_of, forge, sha256, write_hunk
from tests.support.commits import Change

EDIT = ("edits", 0)
FILE = ("files", 0)
HUNK = (*FILE, "hunks", 0)


def decoy_text(change: Change) -> None:
    """The text of the edit says one thing, everything else another."""
    change.edit["edit"]["new_lines"] = ["    print('harmless')"]


def decoy_bytes(change: Change) -> None:
    """Hunk and file say another thing than the text of the edit, hashes and all."""
    write_hunk(change, "a.py", "    eval(sys.argv[1])\n")


def uncovered_hunk(change: Change) -> None:
    """A hunk with right hashes at lines that no edit names."""
    hunk = copy.deepcopy(change.file["hunks"][0])
    hunk |= {
        "lines": [9, 9],
        "old_hash": range_hash(A, 9, 9),
        "new_text": "exit()\n",
        "new_hash": sha256(b"exit()\n"),
        "after": [],
        "before": [sha256(line + b"\n") for line in A.split(b"\n")[5:8]],
    }
    change.file["hunks"].append(hunk)
    data = data_of(change, "a.py").replace(b"\nmain()\n", b"\nexit()\n")
    change.file["after"]["sha256"] = sha256(data)
    change.files["a.py"] = File(data)


def widened_lines(change: Change) -> None:
    """The same, and the edit is said to have touched those lines too."""
    uncovered_hunk(change)
    change.edit["base_lines"] = [[5, 9]]
    change.edit["expected_hash"] = range_hash(A, 5, 9)


def of_mode(mode: int) -> Attack:
    """The entry gives its file another mode, and so does the commit."""

    def attack(change: Change) -> None:
        change.file["after"]["mode"] = f"{mode:o}"
        change.files["a.py"] = File(data_of(change, "a.py"), mode)

    return attack


def file_twice(change: Change) -> None:
    decoy = copy.deepcopy(change.file)
    decoy["hunks"][0]["edits"] = []
    change.entry["files"].insert(0, decoy)


def unchanged_file(change: Change) -> None:
    mark = {"mode": "100644", "sha256": sha256(B.replace(b"three", b"drei"))}
    change.entry["files"].append(
        {
            "path": "b.txt",
            "new_path": "b.txt",
            "before": mark,
            "after": mark,
            "final_newline": True,
            "hunks": [],
        }
    )


def other_path(change: Change) -> None:
    change.file["path"] = change.file["new_path"] = "b.txt"


def into(path: str) -> Attack:
    """The entry makes a file where none may be made."""

    def attack(change: Change) -> None:
        data, empty = b"x\n", sha256(b"")
        change.entry["files"].append(
            {
                "path": None,
                "new_path": path,
                "before": None,
                "final_newline": True,
                "after": {"mode": "100644", "sha256": sha256(data)},
                "hunks": [
                    {
                        "lines": [1, 0],
                        "old_hash": empty,
                        "new_hash": sha256(data),
                        "before": [],
                        "after": [],
                        "new_text": "x\n",
                        "edits": [1],
                    }
                ],
            }
        )
        if not path.startswith(".git/"):  # git itself refuses to put that into an index
            change.files[path] = File(data)

    return attack


def unneeded_read(change: Change) -> None:
    change.entry["reads"] = [
        {"path": "a.py", "lines": [1, 1], "range_hash": range_hash(A, 1, 1), "kind": "receipt"}
    ]


Row = tuple[Attack, str, str]
"""A falsehood, the rule that finds it, and where."""


def found_by(rule: str, where: str, attacks: dict[str, Attack]) -> dict[str, Row]:
    return {name: (attack, rule, where) for name, attack in attacks.items()}


FORGED = {
    **found_by(
        "hash",
        "a.py:5-6",
        {
            "an expected hash that does not hold": forge(*EDIT, "expected_hash", to="0" * 64),
            "one of other lines": forge(*EDIT, "evidence_lines", to=[5, 5]),
            "one of lines that are not there": forge(*EDIT, "evidence_lines", to=[5, 99]),
            "a hash that is not told": forge(*EDIT, "expected_hash", to=None),
            "an old hash": forge(*HUNK, "old_hash", to="0" * 64),
            "a new hash": forge(*HUNK, "new_hash", to="0" * 64),
            "no context": forge(*HUNK, "before", to=[]),
            "a new text": forge(*HUNK, "new_text", to="x\n"),
        },
    ),
    **found_by(
        "forged",
        "a.py:5-6",
        {
            "another kind of evidence": forge(*EDIT, "evidence", to="receipt"),
            "another tier": forge(*EDIT, "tier", to="exact"),
            "a similarity": forge(*EDIT, "similarity", to=999),
            "a confidence": forge(*EDIT, "confidence", to=999),
            "a runner-up": forge(*EDIT, "runner_up", to=500),
            "a repair": forge(*EDIT, "repairs", to=["escapes"]),
            "lines": forge(*EDIT, "lines", to=[[4, 6]]),
            "a relocation": forge(*EDIT, "relocated", to=True),
        },
    ),
    **found_by(
        "coverage",
        "a.py:5-6",
        {
            "an edit elsewhere": forge(*EDIT, "path", to="b.txt"),
            "a hunk of no edit": forge(*HUNK, "edits", to=[]),
            "of an unknown edit": forge(*HUNK, "edits", to=[2]),
        },
    ),
    "a hunk that no edit accounts for": (uncovered_hunk, "coverage", "a.py:9-9"),
    "a file that no edit makes": (into("extra"), "coverage", "extra:1-0"),
    "an edit said to account for more": (widened_lines, "forged", "a.py:5-9"),
    "a read that nobody leans on": (unneeded_read, "forged", "a.py"),
    "a text that says another thing": (decoy_text, "decoy", "a.py:5-6"),
    "hunks that say another thing": (decoy_bytes, "decoy", "a.py:5-6"),
    "a dialect that cannot say it": (forge(*EDIT, "dialect", to="hashline"), "decoy", "a.py"),
    "an unknown dialect": (forge(*EDIT, "dialect", to="nonsense"), "decoy", "ledger entry"),
    "an executable bit": (of_mode(EXECUTABLE), "decoy", "a.py"),
    "a mode that is no file's": (of_mode(SYMLINK), "mode", "a.py"),
    "lines that are not there": (forge(*HUNK, "lines", to=[5, 99]), "hunk", "a.py"),
    "no hunks": (forge(*FILE, "hunks", to=[]), "after", "a.py"),
    "a final newline": (forge(*FILE, "final_newline", to=False), "after", "a.py"),
    "what the file became": (forge(*FILE, "after", "sha256", to="0" * 64), "after", "a.py"),
    "what the file was": (forge(*FILE, "before", "sha256", to="0" * 64), "before", "a.py"),
    "the mode it had": (forge(*FILE, "before", "mode", to="100755"), "before", "a.py"),
    "another path": (other_path, "before", "b.txt"),
    "a file that is there already": (into("b.txt"), "before", "b.txt"),
    "a file that it does not change": (unchanged_file, "surplus", "b.txt"),
    "no files": (forge("files", to=[]), "surplus", "ledger entry"),
    "a file twice": (file_twice, "path", "a.py"),
    "a file in .git": (into(".git/hooks/pre-commit"), "path", ".git/hooks/pre-commit"),
    "a file in .hkgit": (into(".hkgit/config.toml"), "path", ".hkgit/config.toml"),
    "a file that is a device somewhere": (into("nul"), "path", "nul"),
}


# Bytes and modes that no entry accounts for


def rewritten(old: bytes, new: bytes, mode: int = REGULAR) -> Attack:
    """Commits a.py with other bytes than its entry makes, or another mode."""

    def attack(change: Change) -> None:
        change.files["a.py"] = File(data_of(change, "a.py").replace(old, new, 1), mode)

    return attack


def put(path: str, file: File | None) -> Attack:
    """Smuggles in a file, or takes one away."""

    def attack(change: Change) -> None:
        change.files[path] = file

    return attack


smuggled_byte = rewritten(b"main()\n", b"main()\n ")

PUT: dict[str, tuple[str, File | None]] = {
    "an untouched file": ("b.txt", File(B)),
    "a new file": ("new", File(b"x")),
    "a file less": ("b.txt", None),
    "the touched file itself gone": ("a.py", None),
    "the mode of an untouched file": ("run.sh", File(b"#!/bin/sh\n", EXECUTABLE)),
    "a link": ("link", File(b"/etc/passwd", SYMLINK)),
    "a file made a link": ("b.txt", File(b"a.py", SYMLINK)),
    "a submodule": ("module", File(b"", SUBMODULE)),
    "attributes": (".gitattributes", File(b"* -diff\n")),
    "a policy": (".hkgit/config.toml", File(b"[gate]\nmode = 'warn'\n")),
    "the ledger's attributes": (".hkgit/.gitattributes", File(b"* -diff\n")),
    "the ledger's attributes gone": (".hkgit/.gitattributes", None),
    "a ledger in another case": (".HKGIT/ledger/x", File(b"x")),
}

SMUGGLED = {
    "a byte in a touched file": (rewritten(b"main()\n", b"main() \n"), "bytes", "a.py:8"),
    "a byte in a touched line": (rewritten(b"argv)", b"argv) "), "bytes", "a.py:5"),
    "a line at the end": (rewritten(b"main()\n", b"main()\n\n"), "bytes", "a.py:9"),
    "the final newline": (rewritten(b"\nmain()\n", b"\nmain()"), "bytes", "a.py:8"),
    "a line end": (rewritten(b"sys\n", b"sys\r\n"), "bytes", "a.py:1"),
    "a byte order mark": (rewritten(b"import", b"\xef\xbb\xbfimport"), "bytes", "a.py:1"),
    "the mode of a touched file": (rewritten(b"", b"", EXECUTABLE), "mode", "a.py"),
    "the touched file made a link": (put("a.py", File(b"b.txt", SYMLINK)), "mode", "a.py"),
    "what the entry says is left out": (lambda change: change.files.pop("a.py"), "bytes", "a.py"),
    **{name: (put(path, file), "bytes", path) for name, (path, file) in PUT.items()},
}
