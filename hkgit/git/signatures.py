"""Find who signed a commit or tag with an SSH key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hkgit.git.objects import Commit
from hkgit.git.program import Git

_SSH = b" -----BEGIN SSH SIGNATURE-----\n"
_HEADERS = {40: b"\ngpgsig", 64: b"\ngpgsig-sha256"}
"""Where the signature of a commit stands, by the number of digits of its id."""


def verify_principal(git: Git, commit: Commit, allowed_signers: str) -> str | None:
    """Return the principal that the signature of a commit belongs to, or None.

    `allowed_signers` is text in the format of ssh-keygen(1). An unsigned commit, another kind of
    signature, a key that is not listed or not valid at the commit's time: all are None.
    """
    header, name = commit.raw.partition(b"\n\n")[0] + b"\n", _HEADERS[len(commit.id)]
    # Of several git takes the first for all of them, and asks gpg if that is of its kind.
    if name + _SSH not in header or header.count(name + b" ") != 1:
        return None
    with _make_trust_options(allowed_signers) as trusted:
        log = ("log", "-1", "--no-show-signature", "--format=%G?%n%GS", commit.id, "--")
        trust, _, principal = git(*trusted, *log).text.partition("\n")
    return principal if trust == "G" else None


def verify_tagger(git: Git, tag_id: str, allowed_signers: str) -> str | None:
    """Return the principal that the SSH signature of an annotated tag belongs to, or None.

    The caller has seen that it is an SSH signature: for another kind git would ask other programs.
    """
    with _make_trust_options(allowed_signers) as trusted:
        asked = git(*trusted, "verify-tag", "--raw", tag_id, check=False)
    found = re.search(_GOOD, asked.stderr)
    return found[1] if asked.code == 0 and found is not None else None


_GOOD = r'(?m)^Good "git" signature for (\S+) with '


@contextmanager
def _make_trust_options(allowed_signers: str) -> Iterator[tuple[str, ...]]:
    """Options for git by which these signers alone count."""
    import tempfile  # few commits are signed

    with tempfile.TemporaryDirectory(prefix="hkgit-signers-") as directory:
        listed = Path(directory) / "allowed_signers"
        listed.write_text(allowed_signers)
        # Named here, so that a configuration cannot put another judge in its place.
        yield ("-c", f"gpg.ssh.allowedSignersFile={listed}", "-c", "gpg.ssh.program=ssh-keygen")
