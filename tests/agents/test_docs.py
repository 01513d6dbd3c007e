"""docs/agents.md names every agent with the files it gets, and every call with what it takes."""

import json
from pathlib import Path

import pytest

from hkgit.agents import HOOKED, PLAIN
from hkgit.agents.servers.server_calls import CALLS
from hkgit.agents.setup.settings import list_parts
from tests.agents.real.programs import PROGRAMS

STREAMS = Path(__file__).with_name("streams")
PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")


@pytest.mark.parametrize("agent", HOOKED)
def test_the_page_names_the_agent_and_its_files(agent: str) -> None:
    row, *_ = [line for line in PAGE.splitlines() if line.startswith(f"| `{agent}` |")]
    names = [part.path for part in list_parts(agent)]
    assert names
    folders = {name: [f"{each.as_posix()}/" for each in Path(name).parents[:-1]] for name in names}
    assert [name for name in names if not any(each in row for each in (name, *folders[name]))] == []


def test_a_stream_names_the_program_that_sent_it_or_the_page_that_it_follows() -> None:
    """The version is that of the programs which the page's table is about."""
    programs = [f"{each.name}-{each.version}" for each in PROGRAMS]
    streams = sorted(STREAMS.glob("*.jsonl"))
    assert len(streams) > 30
    for place in streams:
        said = json.loads(place.read_text("utf-8").splitlines()[0])
        agent = place.stem.partition("-")[0]
        if said.get("version") in programs:
            assert said["version"].startswith(f"{agent}-"), place
        else:
            assert agent not in {each.name for each in PROGRAMS}, place
            assert f"`{said['documentation']}`" in PAGE, place


def test_the_page_names_agents_without_hooks() -> None:
    assert [agent for agent in PLAIN if f"`{agent}`" not in PAGE] == []


@pytest.mark.parametrize("call", CALLS)
def test_the_page_names_what_a_call_takes(call: str) -> None:
    row, *_ = [line for line in PAGE.splitlines() if line.startswith(f"| `{call}` |")]
    known = set() if call != "apply" else {each.name for each in CALLS["edit"].arguments}
    names = {argument.name for argument in CALLS[call].arguments} - known - {"root", "session"}
    assert [name for name in names if f"`{name}`" not in row] == []
