"""A signed verdict is a SLSA verification summary: in-toto's types, securesystemslib's DSSE."""

import base64
import json
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hkgit.gate.attestations.keys import NAMESPACE
from tests.support.keys import public
from tests.support.repos import Repo
from tests.support.running import run

RESOURCE = "git+https://example.org/team/app"


def attest(judged: Repo, key: Path, folder: Path, *args: str) -> dict[str, Any]:
    """The envelope of `topic`, as it stands in a file."""
    place = folder / "summary.json"
    done = run("attest", "main..topic", "--key", key, "--output", place, *args, cwd=judged.path)
    assert done.code == 0, done.err
    envelope: dict[str, Any] = json.loads(place.read_text())
    return envelope


@pytest.fixture
def written(judged: Repo, key: Path, tmp_path: Path) -> dict[str, Any]:
    return attest(judged, key, tmp_path, "--resource", RESOURCE, "--target", "refs/heads/main")


def payload_of(envelope: dict[str, Any]) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))
    return payload


def test_it_says_of_the_head_what_hkgit_has_seen(written: dict[str, Any], judged: Repo) -> None:
    statement = payload_of(written)
    assert statement["predicateType"] == "https://slsa.dev/verification_summary/v1"
    [subject] = statement["subject"]
    head = judged.resolve("topic")
    assert subject["digest"] == {"gitCommit": head, "gitTree": judged.tree("topic")}
    assert subject["annotations"]["source_refs"] == ["refs/heads/main"]
    predicate = statement["predicate"]
    assert predicate["resourceUri"] == RESOURCE
    assert predicate["verificationResult"] == "PASSED"
    assert predicate["verifiedLevels"][0] == "SLSA_SOURCE_LEVEL_1"
    derive = subject["annotations"]["hkgit"]["derive"]
    assert derive == f"hkgit gate --range {judged.resolve('main')}..{head}"
    assert run(*derive.split()[1:], cwd=judged.path).code == 0


def test_securesystemslib_reads_it_and_finds_the_signature_good(
    written: dict[str, Any], key: Path, tmp_path: Path
) -> None:
    dsse = import_module("securesystemslib.dsse")
    signer = import_module("securesystemslib.signer")

    class SshKey(signer.Key):  # type: ignore[misc, name-defined]
        """What a verifier adds to securesystemslib, which has no SSH signatures of its own."""

        @classmethod
        def from_dict(cls, keyid: str, key_dict: dict[str, Any]) -> Any:
            raise NotImplementedError

        def to_dict(self) -> dict[str, Any]:
            raise NotImplementedError

        def verify_signature(self, signature: Any, data: bytes) -> None:
            (tmp_path / "allowed").write_text(f"us {public(key)}\n")
            armoured = base64.encodebytes(bytes.fromhex(signature.signature)).decode()
            begin, end = (f"-----{word} SSH SIGNATURE-----\n" for word in ("BEGIN", "END"))
            (tmp_path / "sig").write_text(f"{begin}{armoured}{end}")
            files = ("-f", str(tmp_path / "allowed"), "-s", str(tmp_path / "sig"))
            asked = ["ssh-keygen", "-Y", "verify", "-n", NAMESPACE, "-I", "us", *files]
            if subprocess.run(asked, input=data, capture_output=True).returncode != 0:
                error = import_module("securesystemslib.exceptions")
                raise error.UnverifiedSignatureError("ssh-keygen says no")

    name = written["signatures"][0]["keyid"]
    envelope = dsse.Envelope.from_dict(written)
    ours = SshKey(name, "ssh", "sshsig", {"public": public(key)})
    assert list(envelope.verify([ours], 1)) == [name]
    envelope.payload += b" "
    with pytest.raises(import_module("securesystemslib.exceptions").VerificationError):
        envelope.verify([ours], 1)


def test_its_statement_and_predicate_are_those_of_in_toto(written: dict[str, Any]) -> None:
    pytest.importorskip("in_toto_attestation")
    parse = import_module("google.protobuf.json_format").ParseDict
    statement = import_module("in_toto_attestation.v1.statement_pb2").Statement()
    summary = import_module("in_toto_attestation.predicates.vsa.v1.vsa_pb2").VerificationSummary()
    said = payload_of(written)
    parse(said, statement)
    # These types are of SLSA 1.0, and have one level where the specification has a list of them.
    del said["predicate"]["verifier"]["version"], said["predicate"]["verifiedLevels"]
    parse(said["predicate"], summary)
    assert summary.verification_result == "PASSED"


def test_without_a_remote_it_names_the_commit_that_the_work_began_with(
    judged: Repo, key: Path, tmp_path: Path
) -> None:
    predicate = payload_of(attest(judged, key, tmp_path))["predicate"]
    assert predicate["resourceUri"] == f"swh:1:rev:{judged.resolve('main')}"
