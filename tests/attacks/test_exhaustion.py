"""What is sent to exhaust a server: very many refs, files of very many lines."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hkgit.applying.evidence import KINDS
from hkgit.audit.reports.findings import mend
from hkgit.edits import File
from hkgit.gate.policy.defaults import TEXT
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.characters import find_added
from hkgit.git.objects import LARGEST_OBJECT
from hkgit.text.document import MOST_LINES, Document
from tests.attacks.landing import Landing
from tests.attacks.scene import AGENT, PERSON, Scene
from tests.support.commands import AGENT as COMMANDS_AGENT
from tests.support.commands import hkgit, start
from tests.support.commits import commit_tree
from tests.support.repos import Repo
from tests.support.serving import Served, begin

MANY = 1500
TAGS = [f"refs/tags/t{number:05}" for number in range(MANY)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return begin(tmp_path_factory.mktemp("many"))


def receive(server: Repo, new: str, trace: Path, budget: str) -> tuple[int, str]:
    """What the hook answers on a push of very many tags; git says in `trace` what was run."""
    told = "".join(f"{'0' * 40} {new} {tag}\n" for tag in TAGS)
    args = ("hkgit", "gate", "--quiet", "--pre-receive", "--budget", budget)
    done = start(*args, cwd=server.path, stdin=told, env={"GIT_TRACE": str(trace)})
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("budget", "code"), [("60", 0), ("0", 6)], ids=["taken", "refused"])
def test_very_many_refs_start_no_process_each(
    served: Served, tmp_path: Path, budget: str, code: int
) -> None:
    trace = tmp_path / "trace"
    answered, said = receive(served.server, served.clone.head, trace, budget)
    assert answered == code, said
    assert trace.read_text().count("built-in: git") < 10
    assert said.count("FAIL refs/tags/") == (20 if code else 0)
    assert (f"and {MANY - 20} more refused, so no ref is updated" in said) == bool(code)


def test_a_file_of_too_many_lines_is_edited_by_no_entry(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = scene.commit(scene.honest())
    assert scene.passes(honest)
    monkeypatch.setattr("hkgit.text.document.MOST_LINES", 5)
    assert scene.rules(honest) == {"budget"}


LONG = b"\n" * (MOST_LINES + 1)


def test_a_revert_in_a_file_of_very_many_lines_makes_none_of_them(tmp_path: Path) -> None:
    """Lists of its lines would take gigabytes; the answer to the push is short all the same."""
    landing = Landing.at(tmp_path, "agents")
    clone = landing.clone

    def commit(data: bytes, message: str, **env: str) -> str:
        clone.write("long", data)
        clone.git("add", "long")
        clone.git("commit", "-q", "--no-verify", "-m", message, env=env)
        return clone.head

    clone.git("checkout", "-q", "--detach", "main")
    commit(LONG, "Begin")
    taken = commit(b"x\n" + LONG, "Say x")
    landing.land(commit(b"x\n" + LONG + b"end\n", "Say end"))
    back = commit(LONG + b"end\n", f"Revert\n\nThis reverts commit {taken}.", **COMMANDS_AGENT)
    assert "unverifiable" in landing.refuse(f"{back}:main")
    report = hkgit(clone, "gate", "--range", f"{back}~1..{back}", "--format", "sarif", code=6)
    assert "unverifiable" in report


@pytest.mark.parametrize("new", [b"y\n", b"\xe2\x80\xae\n"], ids=["plain", "hidden"])
def test_what_is_said_of_a_long_file_makes_no_list_of_its_lines(
    scene: Scene, policy: Policy, monkeypatch: pytest.MonkeyPatch, new: bytes
) -> None:
    old = scene.by_hand({"long": File(b"x\n" * 9)}, PERSON)
    made = scene.by_hand({"long": File(new + b"x\n" * 9)}, on=old)
    assert scene.rule(made, policy) == "blind"
    monkeypatch.setattr("hkgit.text.document.MOST_LINES", 5)
    monkeypatch.setattr("hkgit.text.document.Document.lines", property(_refuse))
    monkeypatch.setattr("hkgit.text.document.Document.raw_lines", property(_refuse))
    ruling = scene.ruling(made, replace(policy, accept=KINDS))
    assert ruling.rule == "blind"
    assert mend(ruling) == f"hkgit redo {made[:12]}"


def _refuse(document: Document) -> None:
    raise AssertionError(f"{document.line_count} lines were listed")


def test_a_file_of_very_many_hidden_characters_is_not_counted_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hkgit.gate.rules.characters.MOST", 10)
    joined = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\n".encode() * 20
    assert [*find_added([], File(joined), TEXT)] == []
    hidden = joined + "x\u202ey\n".encode() * 20
    assert [*find_added([], File(hidden), TEXT)] == [("bidi", 21, "\u202e")]


@pytest.mark.parametrize("kind", ["blob", "commit", "tree"])
def test_an_object_that_is_too_large_is_not_read(
    scene: Scene, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packs make gigabytes of next to nothing."""
    made = scene.commit(scene.honest())
    monkeypatch.setitem(LARGEST_OBJECT, kind, 30)
    answer = scene.answer("refs/heads/x", made, Policy())
    rulings = answer.report.rulings
    words = [str(answer.refusal), *(each.what for ruling in rulings for each in ruling.findings)]
    assert not answer.passes
    assert any(f"a {kind} of more than 30 bytes is not read" in each for each in words)


@pytest.mark.skipif(sys.platform != "linux", reason="only there the limit is sure to hold")
def test_a_merge_that_takes_too_much_memory_is_mended_by_a_rebase(
    scene: Scene, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = scene.commit(scene.honest())
    topic = scene.commit(scene.applied({"op": "create_file", "path": "new", "new_text": "x\n"}))
    tree = scene.repo.git("merge-tree", "--write-tree", main, topic)
    merge = commit_tree(scene.repo, tree, [main, topic], b"Merge\n", AGENT)
    assert scene.ruling(merge, policy).passes
    monkeypatch.setattr("hkgit.git.clean_merge.MEMORY", 2**20)
    ruling = scene.ruling(merge, policy)
    assert (ruling.passes, ruling.rule) == (False, "unverifiable")
    assert "takes git more than 1 MiB" in ruling.findings[0].what
    assert mend(ruling).startswith("git status  # Change the file on one side only: rebase")
    rebased = scene.applied({"op": "create_file", "path": "new", "new_text": "x\n"}, on=main)
    assert scene.ruling(scene.commit(rebased), policy).passes


MESSAGES = {
    "a name of very many words": "Co-authored-by: " + "a " * 30_000,
    "very many addresses": "Co-authored-by: a" + "<>" * 30_000,
    "a long list of conflicts": "Conflicts:\n" + "\tf\n" * 60_000,
    "very many trailers": "".join(f"hkgit-x: {number}\n" for number in range(30_000)) + "# c",
}


@pytest.mark.parametrize("foot", MESSAGES.values(), ids=MESSAGES)
def test_no_message_keeps_a_reader_busy(tmp_path: Path, foot: str) -> None:
    """A push is judged within its time, and `log` answers."""
    landing = Landing.at(tmp_path, "agents")
    tree = landing.clone.resolve("main^{tree}")
    words = ("commit-tree", tree, "-p", "main", "-F", "-")
    made = landing.clone.git(*words, stdin=f"Say\n\n{foot}\n".encode())
    landing.take(f"{made}:main")
    began = time.monotonic()
    landing.clone.git("checkout", "-q", made)
    hkgit(landing.clone, "log", "-n", "1")
    assert time.monotonic() - began < 10
