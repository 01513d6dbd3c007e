"""history.py: a repository whose every commit is one replayable edit, made quickly."""

from __future__ import annotations

import random
from pathlib import Path

import pygit2

from hkgit.applying.outcome import files_after
from hkgit.applying.planner import Options, PlannedSpec, plan
from hkgit.dialects import parse
from hkgit.edits import File, Overlay
from hkgit.evidence.claims import complete_entry, make_entry
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, entry_id, entry_path
from hkgit.evidence.trailers import append_trailers, render_trailers
from hkgit.git.repository import Repository
from hkgit.matching.place import THRESHOLD
from hkgit.text.document import range_hash
from hkgit.values import replace

FILES, LINES = 200, 60
WHO = pygit2.Signature("hkgit-agent", "agent@example.org", 1_700_000_000, 0)


def make_history(root: Path, count: int, *, seed: int = 1, has_entries: bool = True) -> str:
    """A bare repository of `count` commits upon a first one; the id of the first."""
    opened = pygit2.init_repository(str(root), bare=True)
    repository = Repository.discover(root)
    draw = random.Random(seed)
    files = {_name(number): _text(number) for number in range(FILES)}
    tree = repository.write_tree(None, {path: File(text) for path, text in files.items()})
    tip = first = str(opened.create_commit(None, WHO, WHO, "Begin\n", tree, []))
    for number in range(count):
        path = _name(draw.randrange(FILES))
        line = draw.randrange(1, LINES + 1)
        tree, message, files[path] = _edited(
            repository, tree, path, files[path], line, f"    value = {number}", tip, has_entries
        )
        tip = str(opened.create_commit(None, WHO, WHO, message, tree, [tip]))
    opened.references.create("refs/heads/main", tip, force=True)
    return first


def _edited(
    repository: Repository,
    tree: str,
    path: str,
    text: bytes,
    line: int,
    new: str,
    tip: str,
    has_entries: bool,
) -> tuple[str, str, bytes]:
    import json

    operation = {
        "op": "replace_range",
        "path": path,
        "start_line": line,
        "end_line": line,
        "expected_hash": range_hash(text, line, line),
        "new_lines": [new],
    }
    spec = parse(json.dumps({"version": "1", "operations": [operation]}), "protocol")
    before = Overlay(repository.snapshot(tree), {path: File(text)})
    made = plan(spec, before, Options())
    files = files_after(made)
    after = files[path]
    assert after is not None
    message = "Edit\n"
    if has_entries:
        planned = PlannedSpec(spec=replace(spec, digest="d" * 64), plan=made, reads=())
        entry = make_entry(planned, THRESHOLD)
        entry = complete_entry(entry, tip, {"agent": "benchmark/1", "time": 0})
        data = entry.to_bytes()
        name = entry_id(data)
        files |= {entry_path(name): File(data), ATTRIBUTES_PATH: File(ATTRIBUTES)}
        message = append_trailers("Edit", render_trailers(entry, name)).decode()
    return repository.write_tree(tree, files), message, after.data


def _name(number: int) -> str:
    return f"src/d{number // 20:02d}/m{number:03d}.py"


def _text(number: int) -> bytes:
    return b"".join(b"    line_%d_%d = %d\n" % (number, line, line) for line in range(LINES))
