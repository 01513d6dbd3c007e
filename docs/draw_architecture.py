"""Draw docs/architecture.svg from the table of the page: `python docs/draw_architecture.py`."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
WIDTH, ROW, GAP = 760, 46, 8


def read_layers(page: str) -> list[tuple[str, list[str]]]:
    """Return the name of each layer with its rooms, from the foundation up."""
    cells = [line.split("|") for line in page.split("\n") if line.startswith("| ")][1:]
    return [(row[1].strip(), re.findall(r"`([\w./]+)`", row[2])) for row in cells]


def draw(layers: list[tuple[str, list[str]]]) -> str:
    """Return the picture: one row a layer, the foundation at the bottom."""
    height = len(layers) * (ROW + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' font-family="sans-serif" font-size="14">',
        "<title>The rooms of hkgit: each stands above all that it imports</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (layer, rooms) in enumerate(layers):
        top = height - (number + 1) * (ROW + GAP)
        parts.append(f'<text x="12" y="{top + 28}" fill="#57606a">{escape(layer)}</text>')
        parts += draw_rooms(rooms, top)
    return "\n".join([*parts, "</svg>", ""])


def draw_rooms(rooms: list[str], top: int) -> list[str]:
    """Return the boxes of one layer, side by side."""
    left, space = 110, WIDTH - 110 - GAP
    width = (space - GAP * (len(rooms) - 1)) // len(rooms)
    parts = []
    for number, room in enumerate(rooms):
        x = left + number * (width + GAP)
        parts.append(
            f'<rect x="{x}" y="{top}" width="{width}" height="{ROW}" rx="6"'
            ' fill="#ddf4ff" stroke="#0969da"/>'
            f'<text x="{x + width // 2}" y="{top + 28}" text-anchor="middle" fill="#0a3069">'
            f"{escape(room)}</text>"
        )
    return parts


if __name__ == "__main__":
    layers = read_layers((DOCS / "architecture.md").read_text("utf-8"))
    (DOCS / "architecture.svg").write_text(draw(layers), "utf-8")
