"""Tasks of Cline, Roo Code and Kilo Code in an editor, as they keep them.

The shapes are those of Cline's own tests (`ContextManager.test.ts`), of a task of April 2026 that
lies in a public repository, and of the answers in Roo Code's `responses.ts`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.transcripts.logged.cline_tasks import calls, read_task
from hkgit.agents.transcripts.logged.records import EditCall, LoggedCall, ReadCall, ShellCall
from tests.support.adopting import APP, NEW, adopt, commit, verdict
from tests.support.repos import Repo
from tests.support.running import run

DETAILS = "<environment_details>\n# Current Mode\nACT MODE\n</environment_details>"
SAVED = "The content was successfully saved to app.py.\n\n"
FINAL = "Here is the full, updated content of the file that was saved:\n\n"
DIFF = """\
------- SEARCH
    print('Helo, ' + name)
=======
    print('Hello, ' + name)
+++++++ REPLACE"""
REPLACE = f"""\
Mend it.

<replace_in_file>
<path>app.py</path>
<diff>
{DIFF}
</diff>
</replace_in_file>"""
READ = "<read_file>\n<path>app.py</path>\n</read_file>"

Message = dict[str, Any]


def asked(root: str) -> Message:
    place = f"# Current Working Directory ({root}) Files\napp.py\n"
    details = DETAILS.replace("# Current Mode", f"{place}\n# Current Mode")
    return {"role": "user", "content": texts("<task>\nMend it.\n</task>", details)}


def texts(*said: str) -> list[Message]:
    return [{"type": "text", "text": each} for each in said]


def answered(said: str, *parts: Message) -> Message:
    return {"role": "assistant", "content": [*texts(said), *parts]}


def told(*said: str) -> Message:
    return {"role": "user", "content": texts(*said, DETAILS), "ts": 1777073160794}


def final(text: str) -> str:
    return (
        f'{SAVED}{FINAL}<final_file_content path="app.py">\n{text}\n</final_file_content>\n\nNext.'
    )


TASK = (
    answered(READ),
    told(f"[read_file for 'app.py'] Result:\n{APP}"),
    answered(REPLACE),
    told(f"[replace_in_file for 'app.py'] Result:\n{final(NEW)}"),
)


def write_task(home: Path, *messages: Message, extension: str = "saoudrizwan.claude-dev") -> Path:
    place = home / ".config/Code/User/globalStorage" / extension / "tasks/1777073160794"
    place.mkdir(parents=True)
    log = place / "api_conversation_history.json"
    log.write_text(json.dumps(messages))
    return log


def home(place: Path) -> dict[str, str]:
    return {"HOME": str(place), "XDG_CONFIG_HOME": str(place / ".config")}


def read(tmp_path: Path, *messages: Message) -> list[LoggedCall]:
    return [*calls(read_task(write_task(tmp_path, *messages)))]


@pytest.fixture
def mended(repo: Repo) -> Repo:
    """A guarded repository whose file the task of these tests has mended, and nobody recorded."""
    repo.commit({"app.py": APP}, "Begin")
    assert run("init", "-q", cwd=repo.path).code == 0
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Guard")
    repo.write("app.py", NEW)
    return repo


def test_a_task_explains_a_change_so_that_its_commit_passes(mended: Repo, tmp_path: Path) -> None:
    log = write_task(tmp_path, asked(str(mended.path)), *TASK)
    mended.git("add", "-A")
    answer = adopt(mended, log, "--staged")
    assert [each["evidence"] for each in answer["changes"][0]["explained"]] == ["receipt"]
    assert verdict(commit(mended)) == (0, "strict")


@pytest.mark.parametrize(
    ("agent", "extension"),
    [
        ("cline", "saoudrizwan.claude-dev"),
        ("roo", "rooveterinaryinc.roo-cline"),
        ("kilo", "kilocode.kilo-code"),
    ],
)
def test_the_tasks_of_an_editor_are_found(
    mended: Repo, tmp_path: Path, agent: str, extension: str
) -> None:
    write_task(tmp_path, asked(str(mended.path)), *TASK, extension=extension)
    found = run("adopt", "-n", "--from", agent, cwd=mended.path, env=home(tmp_path))
    assert found.code == 0, found.out + found.err
    assert "app.py:5" in found.out


def test_a_task_of_another_directory_is_not_found(mended: Repo, tmp_path: Path) -> None:
    write_task(tmp_path, asked("/somewhere/else"), *TASK)
    found = run("adopt", "-n", "--from", "cline", cwd=mended.path, env=home(tmp_path))
    assert found.code != 0


def test_calls_may_be_parts_of_their_own(tmp_path: Path) -> None:
    sent = {"path": "app.py", "diff": DIFF, "task_progress": "- [x] Mend it"}
    call = {"type": "tool_use", "id": "tooluse_1", "name": "replace_in_file", "input": sent}
    answer = "[replace_in_file for 'app.py'] Result:\n" + final(NEW)
    part = {"type": "tool_result", "tool_use_id": "tooluse_1", "content": texts(final(NEW))}
    for result in (told(answer), {"role": "user", "content": [part]}):
        [found] = read(tmp_path / str(len(result)), answered("", call), result)
        assert found.id == "tooluse_1"
        assert isinstance(found.did, EditCall)
        assert found.did.after == {"app.py": NEW}


def test_a_result_may_stand_in_a_part_below_its_heading(tmp_path: Path) -> None:
    [found] = read(tmp_path, answered(READ), told("[read_file for 'app.py'] Result:", APP))
    assert found.did == ReadCall("app.py", 1, tuple(APP.split("\n")))


def test_files_between_tags_are_read_with_their_numbers(tmp_path: Path) -> None:
    shown = '<file><path>app.py</path>\n<content lines="4-5">\n4 | a\n5 |  b\n</content>\n</file>'
    [found] = read(tmp_path, answered(READ), told(f"[read_file for 'app.py'] Result:\n{shown}"))
    assert found.did == ReadCall("app.py", 4, ("a", " b", ""))


@pytest.mark.parametrize(
    "said",
    [
        "The user denied this operation.",
        "The tool execution failed with the following error:\n<error>\nno match\n</error>",
    ],
)
def test_an_edit_that_was_not_made_is_none(tmp_path: Path, said: str) -> None:
    result = told(f"[replace_in_file for 'app.py'] Result:\n{said}")
    assert read(tmp_path, answered(REPLACE), result) == []


def test_an_edit_that_the_editor_has_formatted_is_not_as_the_model_wrote_it(tmp_path: Path) -> None:
    touched = "the user's editor applied the following auto-formatting to your content:\n\n"
    result = told(f"[replace_in_file for 'app.py'] Result:\n{SAVED}{touched}{final(NEW)}")
    [found] = read(tmp_path, answered(REPLACE), result)
    assert isinstance(found.did, EditCall)
    assert found.did.is_final is False


def test_a_written_file_holds_what_looks_like_tags(tmp_path: Path) -> None:
    content = "<content>\n<path>x</path>\n</content>"
    call = (
        f"<write_to_file>\n<path>a.xml</path>\n<content>\n{content}\n</content>\n</write_to_file>"
    )
    result = told(
        "[write_to_file for 'a.xml'] Result:\nThe content was successfully saved to a.xml."
    )
    [found] = read(tmp_path, answered(call), result)
    assert isinstance(found.did, EditCall)
    assert json.loads(found.did.text or "") == {"file_path": "a.xml", "content": content}


def test_a_command_is_one_with_its_output(tmp_path: Path) -> None:
    call = "<execute_command>\n<command>cat app.py</command>\n</execute_command>"
    result = told(f"[execute_command for 'cat app.py'] Result:\nCommand executed.\nOutput:\n{APP}")
    [found] = read(tmp_path, answered(call), result)
    assert found.did == ShellCall("cat app.py", APP)


def test_a_task_that_is_cut_short_is_told(mended: Repo, tmp_path: Path) -> None:
    log = write_task(tmp_path, asked(str(mended.path)), *TASK)
    log.write_text(log.read_text()[:-40])
    refused = run("adopt", "-n", "--from", log, cwd=mended.path)
    assert (refused.code, "Traceback" in refused.err) == (6, False)
