"""keys.py: SSH keys for tests, without a passphrase."""

from __future__ import annotations

import subprocess
from pathlib import Path


def made_key(path: Path) -> Path:
    """A new key; its public half lies beside it."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)]
    subprocess.run(command, check=True)
    return path


def public(key: Path) -> str:
    """The public half, without its comment."""
    return " ".join(key.with_suffix(".pub").read_text().split()[:2])
