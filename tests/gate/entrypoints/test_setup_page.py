"""docs/gate-setup.md: what it tells an operator to write is run as it stands there."""

import re
import sysconfig

import pytest

from tests.support.commands import ROOT
from tests.support.serving import Served

PAGE = (ROOT / "docs/gate-setup.md").read_text()


@pytest.fixture
def isolated(served: Served) -> Served:
    """A server whose hook is the recipe of the page."""
    [recipe] = [block for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) if "env -i" in block]
    hook = served.server.path / "hooks/pre-receive"
    hook.write_text(recipe.replace("/opt/hkgit/bin", sysconfig.get_path("scripts")))
    return served


def test_the_isolated_hook_takes_what_is_accounted_for_alone(isolated: Served) -> None:
    assert "is an agent" in isolated.refuse("blind:main")
    isolated.take("good:main")


@pytest.mark.parametrize("path", re.findall(r"\]\((?!https:)([^)#]+)\)", PAGE))
def test_every_file_that_the_page_links_is_there(path: str) -> None:
    assert (ROOT / "docs" / path).is_file()
