"""context.py: how commits reached the gate, which their own bytes do not say."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.values import dataclass, field


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """What is known of the place and the push where commits are judged.

    `on_client` is somebody's own clone: there plain names may use manual grants, and a pass is
    provisional. `pusher` is whom a server has authenticated; `ref` what the commits are for, where
    that is known; `incoming` the refs that a push brings and that do not stand yet, with the ids of
    what they name: tags of break-glass, signatures of entries. With `explain` each ruling says how
    tight its evidence is. `shell` is the agent in whose shell the commit is being made.
    """

    on_client: bool = False
    pusher: str | None = None
    ref: str | None = None
    incoming: Mapping[str, str] = field(default_factory=dict)
    explain: bool = False
    shell: str | None = None


UNKNOWN = JudgeContext()
"""Nothing is known of how the commits came."""
