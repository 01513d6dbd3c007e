"""What somebody saves while hkgit writes the same file is never lost."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hkgit import apply_edits, range_hash
from hkgit.applying import files
from hkgit.applying.files import clear_away, take_place
from hkgit.cli.main import main
from hkgit.edits import Edit, File
from hkgit.errors import GitRefused, Stale
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.sessions import TextSession
from tests.support.specs import CREATE, protocol

Save = Callable[[Path], None]
OLD, NEW = "one\ntwo\n", "ONE\ntwo\n"
SPEC = {"edits": [{"file": f"f{n}", "old_text": "one\n", "new_text": "ONE\n"} for n in range(3)]}


def by_rename(place: Path) -> None:
    """Save as sed -i and most editors do."""
    (place.parent / "new").write_text("saved\n")
    (place.parent / "new").replace(place)


def in_place(place: Path) -> None:
    """Save as a shell's redirection does."""
    place.write_text("saved\n")


SAVES = {"by rename": by_rename, "in place": in_place}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo.init(tmp_path / "repo")
    made.commit({f"f{n}": OLD for n in range(3)}, "Begin")
    monkeypatch.chdir(made.path)
    return made


def save_while_writing(
    monkeypatch: pytest.MonkeyPatch, save: Save, *, name: str = "f2", before: str = "f2"
) -> None:
    """Let somebody save a file at the moment before `before` is written."""

    def saving(place: Path, *args: Any) -> Any:
        if place.name == before:
            save(place.with_name(name))
        return take_place(place, *args)

    monkeypatch.setattr(files, "take_place", saving)


def texts(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.iterdir() if path.is_file()}


UNTOUCHED = {"f0": OLD, "f1": OLD, "f2": "saved\n"}


def edit(repo: Repo) -> Callable[[], object]:
    desk = TextSession.open(repo.path, "task")
    return lambda: desk.edit(json.dumps(SPEC))


def undo(repo: Repo) -> Callable[[], object]:
    edit(repo)()
    return TextSession.open(repo.path, "task").undo


def apply_by_library(repo: Repo) -> Callable[[], object]:
    edits = [Edit(f"f{n}", "one\n", "ONE\n") for n in range(3)]
    return lambda: apply_edits(edits, repo.path)


@pytest.mark.parametrize("begin", [edit, undo, apply_by_library])
@cases("save", SAVES)
def test_a_file_saved_while_edit_writes_is_not_lost(
    repo: Repo,
    save: Save,
    begin: Callable[[Repo], Callable[[], object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write = begin(repo)
    before = texts(repo.path)
    save_while_writing(monkeypatch, save)
    with pytest.raises(Stale, match="f2: was changed while it was being edited"):
        write()
    assert texts(repo.path) == before | {"f2": "saved\n"}


@cases("save", SAVES)
def test_a_file_saved_while_apply_brings_the_checkout_along_is_not_lost(
    repo: Repo, save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = repo.head
    save_while_writing(monkeypatch, save)
    done = CliRunner().invoke(main, ["apply", "-"], input=json.dumps(SPEC), standalone_mode=False)
    assert done.return_value == GitRefused.exit_code
    assert "local changes in the way: f2" in done.output
    assert texts(repo.path) == UNTOUCHED
    assert repo.head == tip
    assert repo.git("status", "--porcelain") == " M f2"


MADE = CREATE | {"path": "n"}
DELETE = {"op": "delete_file", "path": "f2", "expected_hash": range_hash(OLD)}


@cases("operation", {"made": MADE, "removed": DELETE})
@cases("save", SAVES)
@pytest.mark.parametrize("command", ["edit", "apply"])
def test_a_file_saved_where_one_is_made_or_removed_is_not_lost(
    repo: Repo,
    command: str,
    save: Save,
    operation: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, name = texts(repo.path), str(operation["path"])
    save_while_writing(monkeypatch, save, name=name, before=name)
    spec = protocol(operation)
    done = CliRunner().invoke(main, [command, "-"], input=spec, standalone_mode=False)
    assert done.return_value or done.exception, "it says that it was done"
    assert texts(repo.path) == before | {name: "saved\n"}


def test_what_is_saved_on_top_of_a_new_file_stays_when_the_others_are_put_back(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def both(place: Path) -> None:
        by_rename(place)
        (place.parent / "f0").write_text("on top\n")

    save_while_writing(monkeypatch, both)
    write = edit(repo)
    with pytest.raises(Stale):
        write()
    assert texts(repo.path) == UNTOUCHED | {"f0": "on top\n"}


def test_a_save_that_a_killed_call_took_away_is_kept(tmp_path: Path) -> None:
    left = tmp_path / ".hkgit-0123456789abcdef"
    left.write_text("saved\n")
    [kept] = clear_away(tmp_path, lambda: [b"one\n"])
    assert kept.read_text() == "saved\n"
    assert not kept.name.startswith(".")


def test_without_a_way_to_exchange_names_files_are_replaced_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hkgit.applying.files._swap", lambda: None)
    (tmp_path / "f").write_text("old")
    files.write_files(tmp_path, {"f": File(b"new"), "g": File(b"g")})
    assert texts(tmp_path) == {"f": "new", "g": "g"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can")
@pytest.mark.parametrize("command", ["edit", "apply"])
def test_an_edit_by_root_leaves_owner_group_and_attributes(repo: Repo, command: str) -> None:
    place = repo.path / "f0"
    os.chown(place, 1234, 4321)
    place.chmod(0o600)
    os.setxattr(place, "user.note", b"mine")
    assert CliRunner().invoke(main, [command, "-"], input=json.dumps(SPEC)).exit_code == 0
    found = place.stat()
    assert found.st_uid == 1234
    assert found.st_gid == 4321
    assert found.st_mode & 0o777 == 0o600
    assert os.getxattr(place, "user.note") == b"mine"
    assert place.read_text() == NEW


def test_undo_of_a_new_file_leaves_no_directory(repo: Repo) -> None:
    desk = TextSession.open(repo.path, "task")
    desk.edit(protocol({**CREATE, "path": "g/h/i.txt"}))
    desk.undo()
    assert not (repo.path / "g").exists()
