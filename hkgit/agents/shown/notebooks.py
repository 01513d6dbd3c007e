"""notebooks.py: find the lines of a notebook's file in which the cells stand that were shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hkgit.agents.events import NotebookReading, ToolReading
from hkgit.errors import InvalidInput


def find_cells(read: NotebookReading, directory: Path) -> Iterator[ToolReading]:
    """Find the lines of each cell whose source is one that was shown."""
    # Few files are notebooks.
    from hkgit.agents.setup.jsonc_nodes import JsoncNode, parse_jsonc

    try:
        text = Path(directory, read.path).read_bytes().decode()
        cells: Sequence[JsoncNode] = [item.node for item in parse_jsonc(text).get("cells").items]
    except (OSError, ValueError, InvalidInput, StopIteration):
        return
    for cell in cells:
        if isinstance(cell.value, dict) and _source(cell.value.get("source")) in read.cells:
            first, last = (text.count("\n", 0, at) + 1 for at in (cell.start, cell.end))
            yield ToolReading(read.path, first, last)


def _source(value: object) -> str | None:
    """The source of a cell: a text, or one in lines."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "".join(value)
    return value if isinstance(value, str) else None
