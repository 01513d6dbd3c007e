"""packages.py: whose releases the corpus is made of, and which half each package belongs to.

A package belongs to one half only, so that nothing tuned on `tune` has seen a line of `report`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Package:
    """Releases of one package, oldest first; neighbours are compared."""

    name: str
    registry: str
    versions: tuple[str, ...]
    half: str


def _table(half: str, rows: dict[str, tuple[str, ...]]) -> tuple[Package, ...]:
    """Rows written as `registry:name`."""
    keys = {key: key.split(":", 1) for key in rows}
    return tuple(Package(keys[k][1], keys[k][0], rows[k], half) for k in rows)


PACKAGES = (
    *_table(
        "tune",
        {
            "pypi:requests": ("2.28.2", "2.31.0", "2.32.3"),
            "pypi:click": ("8.0.4", "8.1.7"),
            "pypi:jinja2": ("3.0.3", "3.1.4"),
            "pypi:httpx": ("0.23.3", "0.27.2"),
            "pypi:mkdocs": ("1.4.3", "1.6.1"),
            "pypi:django-debug-toolbar": ("3.8.1", "4.4.6"),
            "pypi:psutil": ("5.9.4", "6.1.0"),
            "npm:immer": ("9.0.21", "10.1.1"),
            "npm:preact": ("10.11.3", "10.24.3"),
            "npm:bootstrap": ("5.2.3", "5.3.3"),
        },
    ),
    *_table(
        "report",
        {
            "pypi:flask": ("2.2.5", "3.0.3"),
            "pypi:rich": ("12.6.0", "13.9.4"),
            "pypi:attrs": ("22.2.0", "24.2.0"),
            "pypi:werkzeug": ("2.2.3", "3.0.6"),
            "pypi:markdown": ("3.4.4", "3.7"),
            "pypi:pelican": ("4.8.0", "4.9.1"),
            "pypi:starlette": ("0.27.0", "0.41.3"),
            "pypi:ujson": ("5.4.0", "5.10.0"),
            "npm:rxjs": ("7.5.7", "7.8.1"),
            "npm:redux": ("4.2.1", "5.0.1"),
            "npm:fastify": ("4.10.2", "4.28.1"),
        },
    ),
)


def packages_of(half: str) -> tuple[Package, ...]:
    """The packages of one half, `tune` or `report`."""
    return tuple(package for package in PACKAGES if package.half == half)
