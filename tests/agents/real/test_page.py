"""The page says of each agent what was seen with the real program, and nothing else."""

from tests.agents.real import results


def test_the_page_has_the_results_that_were_recorded() -> None:
    assert results.build_table(results.load()) in results.PAGE.read_text()


def test_failures_stand_in_the_table_in_their_own_words() -> None:
    table = results.build_table({"claude 2.1.330": {"read, edit": "refused: blind"}})
    assert table.splitlines()[0] == "| | Claude Code 2.1.330 |"
    assert "| read, edit | refused: blind |" in table
    assert "| MCP | not tried |" in table
