"""Pack a source distribution again with one date and no owner: setuptools takes those of today."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path


def repack(path: Path, date: int) -> None:
    """Write a `.tar.gz` anew; the same files give the same bytes."""
    packed = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=packed, mode="w") as new:
        for member in sorted(old.getmembers(), key=lambda each: each.name):
            member.mtime, member.uid, member.gid = date, 0, 0
            member.uname = member.gname = ""
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=date))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        repack(Path(name), int(os.environ["SOURCE_DATE_EPOCH"]))
