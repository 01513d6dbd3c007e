"""Hooks of agents that another version of hkgit wrote give way; what somebody changed stays."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from hkgit.agents import HOOKED, MODES, parts_of
from hkgit.agents.setup.installer import find_outdated, install, remove
from hkgit.agents.setup.settings import FilePart
from hkgit.text.hashes import add_stamp, is_stamped
from hkgit.workflows.setup import Action

OLD = (
    "// Written by `hkgit init --agent pi`; `--remove` deletes it.\n",
    "// an extension of an earlier version\n",
)


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A checkout with a file that an earlier version wrote."""
    (tmp_path / ".git").mkdir()
    extension = tmp_path / ".pi/extensions/hkgit.js"
    extension.parent.mkdir(parents=True)
    extension.write_text(add_stamp("".join(OLD), "//"))
    return extension


def test_a_file_of_an_earlier_version_gives_way(earlier: Path) -> None:
    root = earlier.parents[2]
    [told] = find_outdated(root)
    assert (told.path, told.advice) == (
        ".pi/extensions/hkgit.js",
        "was written by another version of hkgit: hkgit init --agent pi",
    )
    assert [step.action for step in install(root, "pi", "record")] == [Action.WROTE]
    assert [*find_outdated(root)] == []


def test_a_file_of_an_earlier_version_is_taken_away(earlier: Path) -> None:
    remove(earlier.parents[2], "pi")
    assert not earlier.exists()


def test_a_file_of_an_earlier_version_that_somebody_changed_stays(earlier: Path) -> None:
    earlier.write_text(f"{earlier.read_text()}// mine\n")
    root = earlier.parents[2]
    [told] = find_outdated(root)
    assert "move it away, then hkgit init --agent pi" in told.advice
    [step] = install(root, "pi", "record")
    assert step.action == Action.BLOCKED
    assert "is not as hkgit wrote it" in step.note
    assert earlier.read_text().endswith("// mine\n")


def test_a_written_file_says_its_own_hash() -> None:
    parts = [part for agent, mode in product(HOOKED, MODES) for part in parts_of(agent, mode)]
    files = [part for part in parts if isinstance(part, FilePart)]
    assert files
    for part in files:
        assert is_stamped(part.text), part.path
        assert not is_stamped(part.text.replace("hkgit", "hkgit ", 2)), part.path
        assert not is_stamped(f"{part.text} "), part.path


@pytest.mark.parametrize("agent", HOOKED)
@pytest.mark.parametrize("mode", MODES)
def test_what_was_just_written_is_not_outdated(agent: str, mode: str, tmp_path: Path) -> None:
    install(tmp_path, agent, mode)
    assert [*find_outdated(tmp_path)] == []


def test_hooks_in_settings_are_outdated_where_their_command_is_another(tmp_path: Path) -> None:
    install(tmp_path, "claude", "steer")
    settings = tmp_path / ".claude/settings.json"
    settings.write_text(settings.read_text().replace(" --steer || true", " --steer"))
    [told] = find_outdated(tmp_path)
    assert (
        told.advice
        == "was written by another version of hkgit: hkgit init --agent claude --mode steer"
    )
    install(tmp_path, "claude", "steer")
    assert [*find_outdated(tmp_path)] == []
