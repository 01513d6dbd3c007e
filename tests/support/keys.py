"""keys.py: SSH keys for tests, without a passphrase."""

import subprocess
from pathlib import Path

from tests.support.repos import Repo


def made_key(path: Path) -> Path:
    """A new key; its public half lies beside it."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)]
    subprocess.run(command, check=True)
    return path


def public(key: Path) -> str:
    """The public half, without its comment."""
    return " ".join(key.with_suffix(".pub").read_text().split()[:2])


def sign_with(repo: Repo, key: Path) -> str:
    """Let `git commit -S` sign with a key; return the grant by which it may change every path."""
    repo.git("config", "gpg.format", "ssh")
    repo.git("config", "user.signingKey", str(key))
    return f"[[gate.manual]]\npaths = ['*']\nkeys = ['{public(key)}']\n"
