"""Sign bytes with SSH keys and verify signatures, by ssh-keygen, offline.

Each use has a namespace of its own, so that a signature of a commit or file does not count here,
nor one of an entry for a verdict.
"""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hkgit.errors import GitRefused, InvalidInput
from hkgit.text.hashes import sha256

NAMESPACE = "hkgit-verdict@v1"
"""The namespace of verdicts; entries have another."""

_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_ANYBODY = "attestor"


def sign(key: Path, data: bytes, namespace: str = NAMESPACE) -> bytes:
    """Sign bytes with ssh-keygen, and return the signature without its armour.

    `key` is a private key without a passphrase, or the public half of one that an agent holds.
    Raises InvalidInput when it cannot be used.
    """
    done = _ssh_keygen("sign", "-n", namespace, "-f", str(key), data=data)
    lines = done.stdout.decode().split("\n")
    if done.returncode != 0 or _BEGIN not in lines or _END not in lines:
        reason = (
            done.stderr.decode("utf-8", "replace").strip() or "ssh-keygen did not make a signature"
        )
        raise InvalidInput(str(key), reason, "Name a private SSH key without a passphrase.")
    return base64.b64decode("".join(lines[lines.index(_BEGIN) + 1 : lines.index(_END)]))


def verify(data: bytes, signature: bytes, keys: Sequence[str]) -> bool:
    """Whether one of some public keys signed these bytes."""
    listed = "".join(f"{_ANYBODY} {key}\n" for key in keys)
    return find_verifier(data, signature, listed, [_ANYBODY]) is not None


def find_verifier(
    data: bytes,
    signature: bytes,
    allowed_signers: str,
    principals: Sequence[str],
    namespace: str = NAMESPACE,
) -> str | None:
    """Find the first of some principals whose key, by the allowed signers, signed these bytes.

    A key counts as the allowed signers have it now: not before or after its time, if it has one.
    """
    if not allowed_signers or not principals:
        return None
    with _write_key_files(signature, allowed_signers) as given:
        for each in principals:
            args = ("-n", namespace, "-I", each, *given)
            if not each.startswith("-") and _ssh_keygen("verify", *args, data=data).returncode == 0:
                return each
    return None


def is_valid(data: bytes, signature: bytes, namespace: str = NAMESPACE) -> bool:
    """Whether a signature is valid for these bytes, whoever owns its key."""
    with _write_key_files(signature, "") as (_, _, *given):
        args = ("-n", namespace, *given)
        return _ssh_keygen("check-novalidate", *args, data=data).returncode == 0


def find_holder(signature: bytes, allowed_signers: str) -> str | None:
    """Find the first principal for whom the allowed signers list the key of a signature."""
    with _write_key_files(signature, allowed_signers) as given:
        done = _ssh_keygen("find-principals", *given, data=b"")
    return next(iter(done.stdout.decode("utf-8", "replace").splitlines()), None)


def fingerprint(signature: bytes) -> str:
    """Return the `SHA256:...` of the public key in a signature. Raises InvalidInput.

    The format is that of PROTOCOL.sshsig: a magic word, a version, then the key.
    """
    start = len(b"SSHSIG") + 4
    size = int.from_bytes(signature[start : start + 4], "big")
    key = signature[start + 4 : start + 4 + size]
    if not signature.startswith(b"SSHSIG") or len(key) != size or not key:
        raise InvalidInput("attestation", "its signature is not an SSH signature")
    digest = base64.b64encode(sha256(key).digest()).decode().rstrip("=")
    return f"SHA256:{digest}"


@contextmanager
def _write_key_files(signature: bytes, allowed_signers: str) -> Iterator[tuple[str, ...]]:
    """Options for ssh-keygen, which takes both from files."""
    import tempfile  # few commits are attested

    with tempfile.TemporaryDirectory(prefix="hkgit-attestation-") as directory:
        listed, sig = Path(directory) / "allowed_signers", Path(directory) / "sig"
        listed.write_text(allowed_signers)
        armoured = base64.encodebytes(signature).decode()
        sig.write_text(f"{_BEGIN}\n{armoured}{_END}\n")
        yield ("-f", str(listed), "-s", str(sig))


def _ssh_keygen(what: str, *args: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", what, *args], input=data, capture_output=True, check=False
        )
    except OSError as error:
        fix = "Install OpenSSH 8.2 or newer."
        raise GitRefused("ssh-keygen", f"could not be started: {error.strerror}", fix) from error
