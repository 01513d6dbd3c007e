"""registry.py: every tier by name, from the strictest reading of an edit to the most forgiving."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import ClassVar, cast

from hkgit.matching.lines import EditLines, FileLines
from hkgit.matching.places import Place

Tier = Callable[[FileLines, EditLines], tuple[Place, ...]]


class _Ladder(Mapping[str, Tier]):
    """Every tier by name; its module is loaded when it is asked for."""

    _modules: ClassVar = {
        "exact": "exact",
        "whitespace": "whitespace",
        "unicode": "unicode",
        "elided": "elided",
        "fuzzy": "fuzzy",
        "line-block": "fuzzy",
    }

    def __getitem__(self, name: str) -> Tier:
        module = import_module(f"hkgit.matching.tiers.{self._modules[name]}")
        return cast(Tier, getattr(module, name.replace("-", "_")))

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


LADDER = _Ladder()
"""From the strictest reading of an edit to the most forgiving."""

LOOSE = ("fuzzy", "line-block")
