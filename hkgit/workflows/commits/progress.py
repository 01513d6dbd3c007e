"""progress.py: tell a caller of slow work, sentence by sentence and commit by commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from hkgit.values import dataclass

if TYPE_CHECKING:
    from hkgit.workflows.commits.plan import PlannedCommit

    Watch = Callable[[Sequence[PlannedCommit]], Iterable[PlannedCommit]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How a caller hears of slow work: `say` gets a sentence, `watch` passes the steps on."""

    say: Callable[[str], None]
    watch: Watch = iter


SILENT = Progress(lambda sentence: None)
