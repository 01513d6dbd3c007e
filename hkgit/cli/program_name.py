"""Whether the short name `hk` is hkgit's here: other programs are called so too."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path


def find_other_hk() -> str | None:
    """Find the program that `hk` starts, where it is another one than that beside this hkgit."""
    found = shutil.which("hk")
    if found is None:
        return None
    own = Path(sysconfig.get_path("scripts"), "hk")
    if own.exists() and Path(found).resolve() == own.resolve():
        return None
    return None if b"hkgit.cli" in _begin(Path(found)) else found


def _begin(program: Path) -> bytes:
    try:
        with program.open("rb") as stream:
            return stream.read(4096)
    except OSError:
        return b""
