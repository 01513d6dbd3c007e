"""loading.py: load the binding of libgit2 without the certificates of the system.

What hkgit fetches and pushes goes by the git program. To read all certificates costs about a start
of Python, and where there are none, as in small containers, the binding could not be loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NO_CERTIFICATES = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": str(Path(__file__).parent)}
"""A file that is none, and a directory that is there, and has none."""


@contextmanager
def _without_certificates() -> Iterator[None]:
    kept = {name: os.environ.get(name) for name in _NO_CERTIFICATES}
    os.environ.update(_NO_CERTIFICATES)
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


with _without_certificates():
    import pygit2 as pygit2

# What is read twice is kept by those who read it; libgit2 would keep all, up to 256 MiB.
pygit2.settings.enable_caching(False)
