"""Gemini CLI tells its hooks the main agent alone; transcripts tell of sub-agents at work."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.agents.streaming import GREETING, Talk, session, statuses
from tests.support.cases import cases
from tests.support.repos import Repo

CONVERSATION = "5e9f52ba-1062-453c-8944-3269f56c3de1"
OLD, NEW = '    print("Helo, " + name)', '    print("Hello, " + name)'


class Chat:
    """A conversation of Gemini CLI: the transcripts of the main agent and of its sub-agents."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.repo, self.main = repo, folder / "session-1.jsonl"
        self._own, self._time = folder / CONVERSATION, 1_000_000
        self._own.mkdir()
        told = {"agent": "gemini", "transcript_path": str(self.main)}
        self._talk = Talk(repo.path, CONVERSATION, **told)
        self.answer()

    def answer(self, agent: str = "") -> None:
        """The model answers an agent, which writes that down."""
        place = self._own / f"{agent}.jsonl" if agent else self.main
        self._time += 1
        with place.open("a") as file:
            file.write(json.dumps({"id": f"m{self._time}", "type": "gemini"}) + "\n")
        os.utime(place, (self._time, self._time))

    def read(self) -> None:
        said = {"llmContent": GREETING.decode()}
        self._talk.tell("after", "read_file", said, file_path="greet.py")

    def edit(self, *, by: str = "") -> int:
        """Edit what was read, with the next answer; return how many edits are blind."""
        self.answer(by)
        words = {"file_path": "greet.py", "old_string": OLD, "new_string": NEW}
        end = self._talk.begin("replace", **words)
        self.repo.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
        end({"llmContent": "Successfully modified file"})
        states = statuses(self.repo)
        assert sum(each.uncommitted for each in states) == 1
        return sum(each.blind for each in states)


@pytest.fixture
def chat(greeting: Repo, tmp_path: Path) -> Chat:
    return Chat(greeting, tmp_path)


@cases(
    "reader, editor, blind",
    {
        "the main agent, both": ([""], "", 0),
        "a sub-agent, both": (["a1"], "a1", 0),
        "the main agent reads, a sub-agent edits": ([""], "a1", 1),
        "a sub-agent reads, the main agent edits": (["a1"], "", 1),
        "one of two sub-agents at once": (["a1", "b2"], "b2", 1),
    },
)
def test_what_one_agent_was_shown_counts_for_its_own_edits(
    reader: Sequence[str], editor: str, blind: int, chat: Chat
) -> None:
    for agent in reader:
        chat.answer(agent)
    chat.read()
    assert chat.edit(by=editor) == blind


def test_a_conversation_named_like_a_path_leads_nowhere(greeting: Repo, tmp_path: Path) -> None:
    transcript = tmp_path / "chats/session-1.jsonl"
    transcript.parent.mkdir()
    transcript.write_text("{}\n")
    (tmp_path / "other.jsonl").write_text("{}\n")
    os.utime(transcript, (1, 1))
    talk = Talk(greeting.path, "../", agent="gemini", transcript_path=str(transcript))
    talk.tell("after", "read_file", GREETING.decode(), file_path="greet.py")
    assert session(greeting).session == "gemini-unnamed"
