"""Engines answer with the file, or refuse; what they raise is a refusal."""

import base64
import json
import time
from pathlib import Path

import pytest

from benchmarks.engines.adapters import NotInstalledError, commands, worker
from benchmarks.engines.adapters.local import exact_unique, hkgit
from benchmarks.engines.adapters.notation import unified, v4a
from benchmarks.engines.adapters.peers import REQUIREMENTS
from benchmarks.engines.adapters.table import ENGINES

BEFORE = b"top\none\ntwo\nthree\nend\n"
OLD, NEW = "one\ntwo\nthree\n", "one\nTWO\nthree\n"
AFTER = b"top\none\nTWO\nthree\nend\n"

STARTS = {
    "exact-unique": exact_unique,
    "hkgit": hkgit,
    "git-apply": commands.git_apply,
    "gnu-patch": commands.gnu_patch,
}


@pytest.mark.parametrize("name", STARTS)
def test_an_engine_makes_a_faultless_edit_and_refuses_what_is_not_there(name: str) -> None:
    with STARTS[name](Path()) as engine:
        assert engine(BEFORE, OLD, NEW).after == AFTER
        assert engine(BEFORE, "un\ndeux\ntrois\n", "un\nDEUX\ntrois\n").after is None


def test_a_diff_keeps_as_much_context_as_asked_and_a_patch_all() -> None:
    before, after = "a\nb\nc\n", "a\nB\nc\n"
    assert unified(before, after, 0).splitlines()[2:] == ["@@ -2 +2 @@", "-b", "+B"]
    assert v4a(before, after) == "@@\n a\n-b\n+B\n c\n"


def asked(before: bytes, old: str, new: str) -> str:
    return json.dumps({"before": base64.b64encode(before).decode(), "old": old, "new": new})


def test_a_worker_answers_with_the_file_and_what_a_peer_raises_is_its_refusal() -> None:
    reply = worker.answer(lambda before, old, new: AFTER, asked(BEFORE, OLD, NEW))
    assert base64.b64decode(str(reply["after"])) == AFTER

    def raises(before: bytes, old: str, new: str) -> bytes:
        raise KeyError(old)

    reply = worker.answer(raises, asked(BEFORE, "gone", NEW))
    assert reply["after"] is None
    assert reply["reason"] == "KeyError: 'gone'"


def test_a_peer_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleeps(before: bytes, old: str, new: str) -> bytes:
        time.sleep(5)
        return before

    monkeypatch.setattr(worker, "LIMIT_SECONDS", 0.05)
    with worker.alarmed():
        reply = worker.answer(sleeps, asked(BEFORE, OLD, NEW))
    assert reply["after"] is None
    assert reply["reason"] == "took more than 0.05 s"


def test_every_peer_that_installs_has_a_worker_and_an_entry() -> None:
    assert set(REQUIREMENTS) == set(worker.WORKERS)
    assert set(REQUIREMENTS) <= set(ENGINES)


def test_a_program_that_is_not_there_is_named_and_not_faked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstalledError, match="there is no patch"), commands.gnu_patch(tmp_path):
        pass
