"""The formats of attestations: DSSE envelopes of in-toto statements, signed by SSH keys."""

import json
import subprocess
from pathlib import Path

import pytest

from hkgit.errors import InvalidInput
from hkgit.gate.attestations.keys import NAMESPACE, find_verifier, fingerprint, sign, verify
from hkgit.gate.attestations.statement import (
    PAYLOAD_TYPE,
    Envelope,
    Signature,
    Statement,
    encode_pae,
    read_envelope,
    read_statement,
)
from tests.support.cases import cases
from tests.support.entries import written
from tests.support.keys import made_key, public

SAYS = Statement(
    "a" * 40,
    "b" * 40,
    "c" * 40,
    "d" * 40,
    "refs/heads/main",
    "sha256:0",
    ("strict",),
    1,
    {"strict": 2},
    "2.39",
    "0.1",
    "git+https://example.org/app",
    "2026-01-02T03:04:05Z",
)


def test_the_signed_bytes_are_those_of_dsse() -> None:
    """The example of the specification's protocol.md, with its byte counts."""
    assert encode_pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_an_envelope_is_read_as_it_was_written() -> None:
    envelope = Envelope(PAYLOAD_TYPE, b"\x00payload", (Signature("k", b"\xff"),))
    assert read_envelope(envelope.to_bytes()) == envelope


@cases(
    "data",
    {
        "no JSON": b"nonsense",
        "no UTF-8": b"\xff",
        "nothing": b"{}",
        "too long": b" " * 2**17,
        "no base64": b'{"payload":"?","payloadType":"x","signatures":[]}',
        "no ASCII": b'{"payload":"\xc3\xa9","payloadType":"x","signatures":[]}',
    },
)
def test_anything_else_is_no_envelope(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_envelope(data)


def test_a_statement_is_read_as_it_was_written() -> None:
    assert read_statement(SAYS.to_bytes()) == SAYS


def test_a_statement_is_an_in_toto_statement() -> None:
    said = json.loads(SAYS.to_bytes())
    assert said["_type"] == "https://in-toto.io/Statement/v1"
    [subject] = said["subject"]
    assert subject["digest"] == {"gitCommit": "c" * 40, "gitTree": "d" * 40}


def _said(**other: object) -> dict[str, object]:
    predicate: dict[str, object] = json.loads(SAYS.to_bytes())["predicate"]
    return predicate | other


@cases(
    "key, value",
    {
        "another kind": ("predicateType", "urn:other"),
        "another version": ("_type", "https://in-toto.io/Statement/v0.1"),
        "no subject": ("subject", []),
        "an unknown key": ("more", 1),
        "nothing said": ("predicate", {}),
        "of what failed": ("predicate", _said(verificationResult="FAILED")),
        "by another": ("predicate", _said(verifier={"id": "urn:x", "version": {}})),
    },
)
def test_another_statement_is_not_taken_for_one(key: str, value: object) -> None:
    with pytest.raises(InvalidInput):
        read_statement(written(json.loads(SAYS.to_bytes()) | {key: value}))


def test_a_signature_is_of_its_bytes_its_key_and_its_namespace_alone(
    key: Path, tmp_path: Path
) -> None:
    signature = sign(key, b"data")
    assert NAMESPACE.encode() in signature
    assert verify(b"data", signature, [public(key)])
    assert not verify(b"other", signature, [public(key)])
    assert not verify(b"data", signature, [public(made_key(tmp_path / "other"))])
    assert not verify(b"data", sign(key, b"data", "git"), [public(key)])


def test_a_signer_is_a_principal_of_the_allowed_signers(key: Path) -> None:
    listed = f'ci@example.org namespaces="{NAMESPACE}" {public(key)}\n'
    signature = sign(key, b"data")
    assert find_verifier(b"data", signature, listed, ["x@example.org", "ci@example.org"]) == (
        "ci@example.org"
    )
    assert find_verifier(b"data", signature, listed, ["x@example.org"]) is None


def test_a_fingerprint_is_that_of_ssh_keygen(key: Path) -> None:
    listed = subprocess.run(["ssh-keygen", "-lf", str(key)], capture_output=True, check=True)
    assert fingerprint(sign(key, b"data")) == listed.stdout.split()[1].decode()


@pytest.mark.parametrize("signature", [b"", b"SSHSIG", b"SSHSIG\0\0\0\1\0\0\xff\xff"])
def test_what_is_no_signature_has_no_fingerprint(signature: bytes) -> None:
    with pytest.raises(InvalidInput):
        fingerprint(signature)


def test_a_key_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Name a private SSH key"):
        sign(tmp_path / "none", b"data")
