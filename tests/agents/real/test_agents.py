"""The real programs, with a scripted model: what the gate says of what they have done.

Run with `HKGIT_AGENTS=FOLDER pytest -m agents -n 0 tests/agents/real`; `install.py` beside this
file fills the folder. `results.json` has what was seen the last time, failures included: a result
that is now different, worse or better, fails until it is recorded (`HKGIT_AGENTS_RECORD=1`).
"""

import os
from pathlib import Path

import pytest

from tests.agents.real import results
from tests.agents.real.playing import play
from tests.agents.real.programs import PROGRAMS, Program
from tests.agents.real.sandbox import find_obstacle
from tests.agents.real.scenarios import ACP, Scenario, find_scenarios


@pytest.mark.agents
@pytest.mark.parametrize(
    ("program", "scenario"),
    [
        pytest.param(program, scenario, id=f"{program.name}-{scenario.name}")
        for program in PROGRAMS
        for scenario in find_scenarios(program)
    ],
)
def test_an_agents_work_is_judged_as_recorded(
    program: Program, scenario: Scenario, tmp_path: Path
) -> None:
    obstacle = find_obstacle(program, scenario.mode == ACP)
    if obstacle is not None:
        pytest.skip(obstacle)
    seen = play(program, scenario, tmp_path / "run")
    known, name = results.load(), f"{program.name} {program.version}"
    if os.environ.get(results.RECORD) == "1":
        results.save(known | {name: known.get(name, {}) | seen})
        return
    assert seen == {row: known.get(name, {}).get(row) for row in seen}
