"""Ten thousand commits: the whole way from a repository to a page that a browser can hold."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repos import Repo
from tests.support.running import run

COMMITS = 10_000
AGENT = "Claude <noreply@anthropic.com>"
PERSON = "Ada <ada@example.org>"


def _stream() -> Iterator[str]:
    """A history for `git fast-import`: every third commit is an agent's, without evidence."""
    for number in range(COMMITS + 1):
        who = AGENT if number % 3 == 1 else PERSON
        lines = "".join(f"line {each} of {number}\n" for each in range(4))
        yield f"commit refs/heads/main\ncommitter {who} {1_700_000_000 + number * 600} +0000\n"
        yield f"data <<END\nCommit {number}\nEND\n"
        yield f"M 100644 inline src/{number % 50}.py\ndata <<END\n{lines}END\n\n"


@pytest.fixture(scope="module")
def long_history(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("long") / "repo")
    given = "".join(_stream()).encode()
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo.path, input=given, check=True)
    return repo


@pytest.mark.slow
def test_ten_thousand_commits_are_a_page_of_less_than_ten_megabytes(
    long_history: Repo, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    span = f"HEAD~{COMMITS}..HEAD"
    result = run("report", span, "--html", page, cwd=long_history.path)
    text = page.read_text("utf-8")
    assert result.code == 0, result.err
    assert len(text.encode()) < 10_000_000
    assert text.count('<article class="commit') == COMMITS
    opened = text.count('<summary class="row">')
    assert 100 < opened < COMMITS / 3, "the weakest, agents' without evidence, have their hunks"
