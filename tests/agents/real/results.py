"""The results that were seen with the real programs: kept in a file, shown as a table.

`python -m tests.agents.real.results` writes the table into RESULTS.md.
"""

import json
from pathlib import Path

from tests.agents.real.programs import PROGRAMS
from tests.agents.real.scenarios import SCENARIOS

PATH = Path(__file__).with_name("results.json")
PAGE = Path(__file__).with_name("RESULTS.md")
HEADING = "# What was seen to work"
RECORD = "HKGIT_AGENTS_RECORD"
"""Set to 1, results are written to the file instead of compared with it."""
AS_WANTED = "as wanted"

Results = dict[str, dict[str, str]]
"""For each agent, as `name version`: what came of each commit of each scenario."""


def load() -> Results:
    results: Results = json.loads(PATH.read_text()) if PATH.exists() else {}
    return results


def save(results: Results) -> None:
    PATH.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n")


def build_table(results: Results) -> str:
    """The table of the page, in Markdown."""
    titles = {f"{each.name} {each.version}": f"{each.title} {each.version}" for each in PROGRAMS}
    names = [name for name in titles if name in results]
    head = "| | " + " | ".join(titles[name] for name in names) + " |"
    lines = [head, "|---" * (len(names) + 1) + "|"]
    for row in [commit.name for scenario in SCENARIOS for commit in scenario.commits]:
        cells = (_show(results[name].get(row)) for name in names)
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_page() -> None:
    """Put the table of what was recorded instead of the page's."""
    lines = PAGE.read_text().splitlines()
    first = lines.index(HEADING)
    begin = next(number for number in range(first, len(lines)) if lines[number].startswith("| "))
    end = next(number for number in range(begin, len(lines)) if not lines[number].startswith("|"))
    lines[begin:end] = build_table(load()).splitlines()
    PAGE.write_text("\n".join(lines) + "\n")


def _show(seen: str | None) -> str:
    return "not tried" if seen is None else "yes" if seen == AS_WANTED else seen


if __name__ == "__main__":
    write_page()
