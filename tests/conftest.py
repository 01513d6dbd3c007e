"""conftest.py: tests see neither the developer's git nor the developer's repository."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.keys import made_key
from tests.support.memory import choose_directory, clear
from tests.support.properties import is_thorough, sample
from tests.support.repos import Repo, make_templates, sealed_environment

if TYPE_CHECKING:
    from tests.support.orchard import Orchard

_IN_MEMORY = choose_directory(os.environ)
if _IN_MEMORY is not None:
    os.environ["TMPDIR"] = tempfile.tempdir = _IN_MEMORY

# libgit2 looks for HOME once, when it is loaded; so the seal comes before any test module.
_HOME = Path(tempfile.mkdtemp(prefix="hkgit-home-"))
_SEALED = sealed_environment(os.environ, _HOME)
os.environ.clear()
os.environ.update(_SEALED)
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
make_templates()
atexit.register(gc.unfreeze)  # at the end of the process all goes, as extensions expect
pytest_plugins = ["tests.support.held", "tests.support.agreement"]

# The same examples every time, however slow the machine: what turns red is what was changed.
settings.register_profile(
    "sealed", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("sealed")


def _stay_deaf(number: int, frame: object) -> None:
    """What an ignored signal does here."""


# In the background and under nohup they come ignored, and children would inherit that. A handler
# they do not: they start as at a terminal, and this process goes on as it was told to.
for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _stay_deaf)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the thousands of tests out of every search for cycles; none of them goes."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
    return collected


@pytest.hookimpl(trylast=True)  # of what is left when words and marks have selected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out two of three cases where a test is marked so, unless all are asked for."""
    kept, left = sample(items)
    if left and not is_thorough():
        config.hook.pytest_deselected(items=left)
        items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Leave directories in memory only where a test has failed in them."""
    done = yield
    if session.config.getoption("basetemp") is None and session.testsfailed == 0:
        clear(vars(session.config)["_tmp_path_factory"].getbasetemp())
    return done


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start commands of tests with the mark `process` as a shell does; all are equally loud."""
    from hkgit.cli.output import CONSOLE
    from tests.support.forks import use_forks  # it remembers the sealed environment

    CONSOLE.reset()  # whatever a command in this process was told before
    use_forks(item.get_closest_marker("process") is None)


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SSH key to sign with."""
    return made_key(tmp_path_factory.mktemp("keys") / "key")


@pytest.fixture(scope="session")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Orchard:
    """A history of some weeks; nobody changes it."""
    from tests.support.orchard import plant  # few tests look at it

    return plant(tmp_path_factory.mktemp("orchard") / "orchard")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository on the unborn branch `main`."""
    return Repo.init(tmp_path / "repo")


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """Makes further repositories: `make_repo("name", bare=True)`."""
    return lambda name, **options: Repo.init(tmp_path / name, **options)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits are dated now, as the journal of a session is."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, f"@{int(time.time())} +0000")
