"""What the pages show in a console is what hkgit prints."""

from pathlib import Path

import pytest

from tests.docs.console import BLOCK, ROOT, drop_ids, run_page
from tests.support.repos import CONFIG

_PATHS = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]

PAGES = [
    name
    for name in ("README.md", *(f"docs/{path}" for path in sorted(_PATHS)))
    if BLOCK.search((ROOT / name).read_text("utf-8"))
]


@pytest.mark.sampled
@pytest.mark.parametrize("branch", ["main", "master"])
@pytest.mark.parametrize("name", PAGES)
def test_every_console_block_prints_what_the_page_says(
    name: str, branch: str, tmp_path: Path
) -> None:
    """`python -m tests.docs.console README.md` writes the outputs anew."""
    page = (ROOT / name).read_text("utf-8")
    config = tmp_path / "config"
    config.write_text(CONFIG.replace("defaultBranch = main", f"defaultBranch = {branch}"))
    assert drop_ids(run_page(page, GIT_CONFIG_GLOBAL=str(config))) == drop_ids(page)


def test_the_readme_is_read_in_one_sitting() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    assert len(page.splitlines()) <= 150
    assert len(page.partition("\n## How well edits land\n")[0].split()) <= 700
