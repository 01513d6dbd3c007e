"""Everything that hkgit prints of a hostile repository: nothing of it drives a terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hkgit.edits import File
from tests.attacks.scene import PERSON, Scene, replace_range
from tests.support.running import Bench

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202egnp\u2066\u200b"
_DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")
NAME = "evil\u202etxt\u2066"


@pytest.fixture(scope="module")
def bench(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A repository in which names of files and people, messages, texts and claims are hostile."""
    place = tmp_path_factory.mktemp("hostile")
    repo = scene.repo
    text = f"{HOSTILE}\ntwo\n".encode()
    first = scene.by_hand(
        {NAME: File(text), "b.txt": File(text)}, f"Ada {HOSTILE[-6:]} <a@b>", message=f"{HOSTILE}\n"
    )
    change = scene.applied(replace_range(NAME, text, 2, 2, f"x{HOSTILE}"), on=first)
    change.entry["claims"] = {
        "agent": "a/1",
        "note": HOSTILE,
        "verify": {"command": HOSTILE, "exit_code": 0},
        "refusals": [
            {
                "id": HOSTILE,
                "path": HOSTILE,
                "status": "stale",
                "decided": {"by": HOSTILE, "decision": HOSTILE},
            }
        ],
    }
    second = scene.commit(replace(change, message=f"Say {HOSTILE}\n\nHkgit-Entry: {HOSTILE}\n"))
    top = scene.by_hand({"a.py": None}, PERSON, second, f"Hkgit-Edit: {HOSTILE}\n")
    repo.git("update-ref", "refs/heads/main", top)
    repo.git("reset", "-q", "--hard")
    repo.write(".hkgit/config.toml", f'[gate]\nprotect = ["{NAME}"]\nagents = ["{NAME}"]\n')
    for name in ("scratch", "temporary"):
        (place / name).mkdir()
    return Bench(repo, place / "scratch", place / "temporary")


COMMANDS = [
    ["log"],
    ["log", "--json"],
    ["show", "HEAD~1"],
    ["show", "HEAD~1", "--json"],
    ["show", "HEAD~2"],
    ["gate", "--range", "HEAD~3..HEAD"],
    ["gate", "--range", "HEAD~3..HEAD", "--explain"],
    ["verify", "HEAD~3..HEAD"],
    ["policy", "check"],
    ["blame", "b.txt"],
    ["blame", NAME],
    ["stats"],
    ["report", "HEAD~3..HEAD"],
    ["qa", "HEAD~3..HEAD"],
    ["read", NAME, "--json"],
    ["gate", "--range", f"HEAD..{NAME}"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words).replace(NAME, "X"))
def test_nothing_printed_drives_a_terminal(bench: Bench, command: list[str]) -> None:
    result = bench.run(*command)
    for said in (result.out, result.err):
        assert not _DANGEROUS.search(said), repr(_DANGEROUS.findall(said))
    assert result.out or result.err
