"""Sessions of goose as older versions kept them: a file of lines, and another edit tool.

The shapes are those of goose's own interface (`ui/desktop`) and of tests of programs that read
such sessions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hkgit import dialects
from hkgit.agents.transcripts.fields import Line
from hkgit.agents.transcripts.logged.databases.goose_sessions import calls, detects
from hkgit.agents.transcripts.logged.records import EditCall, LoggedCall, ReadCall
from hkgit.edits import Edit, InsertAfter, WriteFile
from tests.support.adopting import APP, NEW, adopt, commit, verdict
from tests.support.repos import Repo
from tests.support.running import run

SHOWN = "### $ROOT/app.py\n```python\n{lines}\n```\n"
NUMBERED = SHOWN.format(lines="\n".join(f"{n}: {t}" for n, t in enumerate(APP.splitlines(), 1)))
DONE = "The file $ROOT/app.py has been edited."
OLD, FRESH = "    print('Helo, ' + name)", "    print('Hello, ' + name)"
DIFF = f"--- a/app.py\n+++ b/app.py\n@@ -4,2 +4,2 @@\n def greet(name):\n-{OLD}\n+{FRESH}\n"

Record = dict[str, Any]


def ask(id: str, **arguments: object) -> Record:
    value = {"name": "developer__text_editor", "arguments": arguments | {"path": "$ROOT/app.py"}}
    call = {"type": "toolRequest", "id": id, "toolCall": {"status": "success", "value": value}}
    return {"id": None, "role": "assistant", "created": 1742484893, "content": [call]}


def answer(id: str, text: str, status: str = "success") -> Record:
    parts = [{"type": "text", "text": text, "annotations": {"audience": ["assistant"]}}]
    told = {"error": text} if status == "error" else {"value": parts}
    content = [{"type": "toolResponse", "id": id, "toolResult": {"status": status} | told}]
    return {"id": None, "role": "user", "created": 1742484894, "content": content}


def session(*messages: Record) -> list[Record]:
    about = {"working_dir": "$ROOT", "description": "Mend it", "message_count": len(messages)}
    return [about, *messages]


def read(*messages: Record) -> list[LoggedCall]:
    lines = [Line(f"20250320_1.jsonl:{n}", each) for n, each in enumerate(session(*messages), 1)]
    assert detects(lines[0].record)
    return [*calls(lines)]


VIEW = (ask("v", command="view"), answer("v", NUMBERED))
REPLACED = (ask("e", command="str_replace", old_str=OLD, new_str=FRESH), answer("e", DONE))


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(REPLACED, id="words"),
        pytest.param((ask("e", command="str_replace", diff=DIFF), answer("e", DONE)), id="a diff"),
        pytest.param((ask("e", command="write", file_text=NEW), answer("e", DONE)), id="a file"),
    ],
)
def test_a_session_explains_a_change_so_that_its_commit_passes(
    repo: Repo, tmp_path: Path, edit: tuple[Record, ...]
) -> None:
    repo.commit({"app.py": APP}, "Begin")
    assert run("init", "-q", cwd=repo.path).code == 0
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Guard")
    repo.write("app.py", NEW)
    repo.git("add", "-A")
    log = tmp_path / "share/goose/sessions/20250320_1.jsonl"
    log.parent.mkdir(parents=True)
    lines = "".join(f"{json.dumps(each)}\n" for each in session(*VIEW, *edit))
    log.write_text(lines.replace("$ROOT", str(repo.path)))
    found = run("adopt", "-n", cwd=repo.path, env={"XDG_DATA_HOME": str(tmp_path / "share")})
    assert "app.py:5" in found.out, found.err
    assert [each["evidence"] for each in adopt(repo, log)["changes"][0]["explained"]] == ["receipt"]
    assert verdict(commit(repo)) == (0, "strict")


def test_what_was_viewed_has_its_numbers() -> None:
    [found] = read(*VIEW)
    assert found.did == ReadCall("$ROOT/app.py", 1, tuple(APP.splitlines()))
    assert (found.conversation, found.directory) == ("20250320_1", "$ROOT")


def test_each_command_is_its_edit() -> None:
    said: dict[str, Record] = {
        "Edit": {"command": "str_replace", "old_str": OLD, "new_str": FRESH},
        "InsertAfter": {"command": "insert", "insert_line": 1, "new_str": "import os\n"},
        "WriteFile": {"command": "write", "file_text": NEW},
    }
    kinds = {"Edit": Edit, "InsertAfter": InsertAfter, "WriteFile": WriteFile}
    for name, arguments in said.items():
        [found] = read(ask("e", **arguments), answer("e", DONE))
        assert isinstance(found.did, EditCall)
        [edit] = dialects.parse(found.did.text or "", found.did.dialect).edits
        assert isinstance(edit, kinds[name])


def test_what_was_taken_back_is_not_told_in_words() -> None:
    [found] = read(ask("u", command="undo_edit"), answer("u", "Undid the last edit"))
    assert isinstance(found.did, EditCall)
    assert found.did.text is None


def test_an_edit_that_failed_is_none() -> None:
    assert read(REPLACED[0], answer("e", "old_str was not found", "error")) == []
