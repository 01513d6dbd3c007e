"""Codex's rollouts: what came of calls, what scripts and commands have shown and changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.programs.codex import read_result
from tests.support.adopting import APP, NEW, adopt, begin, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.transcripts import CodexLog

FILE = "one\ntwo\nthree\n"


@cases(
    "output, is_well, said",
    {
        "a head": (f"Exit code: 0\nWall time: 1 s\nOutput:\n{FILE}", True, FILE),
        "another": (f"Process exited with code 0\nOutput:\n{FILE}", True, FILE),
        "another code": ("Exit code: 1\nOutput:\nno\n", False, "no\n"),
        "in a shell": (f"Wall time: 0\nOutput:\nExit code: 0\nOutput:\n{FILE}", True, FILE),
        "nothing but the output": (FILE, None, FILE),
        "parts": ([{"type": "input_text", "text": FILE}], None, FILE),
        "done": ([{"type": "output_text", "text": "Done!"}], True, "Done!"),
        "words": ("verification failed: no", False, "verification failed: no"),
        "an object": (json.dumps({"output": FILE, "metadata": {"exit_code": 0}}), True, FILE),
        "success": (json.dumps({"success": False, "content": "no"}), False, "no"),
    },
)
def test_the_result_of_a_call(output: object, is_well: bool | None, said: str) -> None:
    assert read_result({"output": output}) == (is_well, said)


GREET, MEND = (f"    print('{word}, ' + name)\n" for word in ("Helo", "Hello"))
PATCH = f"*** Begin Patch\n*** Update File: app.py\n@@\n-{GREET}+{MEND}*** End Patch\n"
DIFF = f"@@ -4,2 +4,2 @@\n def greet(name):\n-{GREET}+{MEND}"
SCRIPT = f"const r = await tools.exec_command(c); await tools.apply_patch(`{PATCH}`); text(r);"


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return begin(tmp_path_factory.mktemp("scripts"), {"app.py": APP}, {"app.py": NEW})


def events(changed: Repo) -> tuple[dict[str, Any], dict[str, Any]]:
    """A reading and a change inside a script."""
    place = f"file://{changed.path}"
    command = ["/bin/zsh", "-lc", "cat app.py"]
    ran = {"command": command, "aggregated_output": APP, "exit_code": 0}
    change = {"type": "update", "unified_diff": DIFF, "move_path": None}
    made = {"changes": {f"{place}/app.py": change}, "stdout": "Success."}
    items = [
        {"type": "CommandExecution", "id": "exec-1", "cwd": place, "status": "completed"} | ran,
        {"type": "FileChange", "id": "exec-2", "status": "completed"} | made,
    ]
    read, written = ({"type": "item_completed", "item": item} for item in items)
    return read, written


def log_scripts(changed: Repo, shown: str, place: Path) -> Path:
    """Two scripts: one reads, the other writes; some versions tell each event twice."""
    log = CodexLog(changed.path)
    for number, (event, said) in enumerate(zip(events(changed), (shown, "done"), strict=True)):
        call = {"call_id": f"call_{number}"}
        log.line(
            "response_item", call | {"type": "custom_tool_call", "name": "exec", "input": SCRIPT}
        )
        log.line("event_msg", event)
        log.line("event_msg", event)
        output = [
            {"type": "input_text", "text": text} for text in ("Script completed\nOutput:\n", said)
        ]
        log.line("response_item", call | {"type": "custom_tool_call_output", "output": output})
    place.write_text("\n".join(log.lines) + "\n")
    return place


@cases(
    "shown, evidence",
    {
        "shown": (APP, "receipt"),
        "shown as JSON": (json.dumps({"output": APP}), "receipt"),
        "not shown": ("done", "quote"),
    },
)
def test_what_a_script_has_changed_is_explained_once(
    changed: Repo, tmp_path: Path, shown: str, evidence: str
) -> None:
    """Only what the script passed on counts as read."""
    place = log_scripts(changed, shown, tmp_path / "rollout.jsonl")
    answer = adopt(changed, place, "--working-tree", "-n")
    assert explained(answer) == [("app.py", [5, 5], evidence)]
    assert answer["changes"][0]["skipped"] == []


def test_a_patch_that_failed_explains_nothing(changed: Repo, tmp_path: Path) -> None:
    place = log_scripts(changed, APP, tmp_path / "rollout.jsonl")
    place.write_text(place.read_text().replace('"status": "completed"', '"status": "failed"'))
    adopt(changed, place, "--working-tree", "-n", code=6)


FIRST = "".join(f"a = {n}\n" for n in range(1, 9))
SECOND = "".join(f"b = {n}\n" for n in range(1, 9))
EDIT = "*** Begin Patch\n*** Update File: b.py\n@@\n-b = 5\n+b = 50\n*** End Patch\n"


@pytest.fixture
def shown(repo: Repo) -> Repo:
    files = {"a.py": FIRST, "b.py": SECOND, "open.py": "a = 1\na = 2"}
    repo.commit({**files, ".gitattributes": "* -text\n"})
    return repo


def _lines(text: str, first: int, last: int) -> str:
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


def _kind(repo: Repo, command: str, output: str) -> str:
    log = CodexLog(repo.path)
    log.shell(command, output)
    log.patch(EDIT)
    repo.write("b.py", SECOND.replace("b = 5", "b = 50").encode())
    [(path, _, kind)] = explained(adopt(repo, log, "-n"))
    assert path == "b.py"
    return str(kind)


@pytest.mark.sampled
@cases(
    "command, output",
    {
        "cat of two": ("cat a.py b.py", FIRST + SECOND),
        "two commands": ("cat a.py && cat b.py", FIRST + SECOND),
        "the other way round": ("cat b.py a.py", SECOND + FIRST),
        "parts of two": (
            "sed -n 2,3p a.py; sed -n 4,6p b.py",
            _lines(FIRST, 2, 3) + _lines(SECOND, 4, 6),
        ),
        "more than all": ("sed -n 1,20p a.py; sed -n 1,20p b.py", FIRST + SECOND),
        "one": ("head -n 2 b.py; sed -n 5p b.py", _lines(SECOND, 1, 2) + "b = 5\n"),
        "another first file": ("cat a.py b.py", FIRST.replace("3", "x") + SECOND),
        "something between": ("cat a.py; date; cat b.py", f"{FIRST}Mon\n{SECOND}"),
        "no end of line between": ("cat open.py b.py", "a = 1\na = 2" + SECOND),
        "a search": ("rg -n b .", "".join(f"b.py:{n}:b = {n}\n" for n in (4, 5))),
        "any program": ("python -c 'print(open(\"b.py\").read())'", SECOND),
    },
)
def test_a_file_that_was_shown_behind_others_counts(shown: Repo, command: str, output: str) -> None:
    assert _kind(shown, command, output) == "receipt"


@pytest.mark.sampled
@cases(
    "command, output",
    {
        "cut before the line": ("cat a.py b.py", FIRST + _lines(SECOND, 1, 4)),
        "the second one alone missing": ("cat a.py b.py", FIRST),
        "one stream of lines": ("sed -n 5p a.py b.py", "a = 5\n"),
        "its own words": (f"cat >c.py <<E\n{SECOND}E\ncat c.py; wc b.py", SECOND),
        "a pipe": ("cat a.py b.py | head -n 12", FIRST + _lines(SECOND, 1, 4)),
    },
)
def test_what_cannot_be_told_apart_is_not_read(shown: Repo, command: str, output: str) -> None:
    assert _kind(shown, command, output) != "receipt"
