"""Whose SSH key signed a commit."""

from __future__ import annotations

from pathlib import Path

from tests.support.cases import cases
from tests.support.keys import public
from tests.support.objects import open_repository
from tests.support.repos import Repo


def signed_commit(repo: Repo, key: Path) -> str:
    repo.git("config", "gpg.format", "ssh")
    repo.git("config", "user.signingKey", str(key))
    return repo.commit({"a": "1"}, "Signed", "-S")


def test_the_principal_of_a_listed_key_is_known(repo: Repo, key: Path) -> None:
    commit = signed_commit(repo, key)
    repo.git("config", "gpg.minTrustLevel", "ultimate")
    signers = f"ada@example.org {public(key)}\n"
    verified = open_repository(repo).verify_signature(commit, signers)
    assert verified == "ada@example.org"


@cases(
    "signers",
    {
        "nobody is listed": "",
        "listed for other things": 'ada namespaces="file" {}\n',
        "no longer valid then": 'ada valid-before="20200101" {}\n',
        "not yet valid then": 'ada valid-after="20300101" {}\n',
        "not a list": "nonsense\n",
    },
)
def test_a_key_that_is_not_allowed_gives_no_principal(repo: Repo, key: Path, signers: str) -> None:
    commit = signed_commit(repo, key)
    opened = open_repository(repo)
    assert opened.verify_signature(commit, signers.format(public(key))) is None


def test_an_unsigned_commit_has_no_principal(repo: Repo, key: Path) -> None:
    signers = f"ada {public(key)}\n"
    assert open_repository(repo).verify_signature(repo.commit(), signers) is None


def test_a_signature_does_not_outlive_a_change(repo: Repo, key: Path) -> None:
    signed = repo.git_bytes("cat-file", "commit", signed_commit(repo, key))
    forged = signed.replace(b"Signed", b"Forged")
    commit = repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=forged)
    signers = f"ada {public(key)}\n"
    assert open_repository(repo).verify_signature(commit, signers) is None


def test_a_signature_shown_in_the_message_is_none(repo: Repo, key: Path) -> None:
    commit = repo.commit({"a": "1"}, "x\n\ngpgsig -----BEGIN SSH SIGNATURE-----\n")
    signers = f"ada {public(key)}\n"
    assert open_repository(repo).verify_signature(commit, signers) is None


def test_the_configuration_cannot_name_the_judge(repo: Repo, key: Path, tmp_path: Path) -> None:
    commit = signed_commit(repo, key)
    liar = tmp_path / "liar"
    good = 'Good "git" signature for mallory with X key Y'
    liar.write_text(f"#!/bin/sh\necho mallory\necho '{good}'\n")
    liar.chmod(0o755)
    repo.git("config", "gpg.ssh.program", str(liar))
    repo.git("config", "log.showSignature", "true")
    assert open_repository(repo).verify_signature(commit, "") is None


def test_a_signature_of_another_kind_in_front_of_it_is_none(
    repo: Repo, key: Path, tmp_path: Path
) -> None:
    """git would ask the first one's program, whose ring of keys is nobody's list of signers."""
    trusting = tmp_path / "gpg"
    said = "[GNUPG:] GOODSIG 0 ada\\n[GNUPG:] TRUST_ULTIMATE 0 pgp\\n"
    trusting.write_text(f"#!/bin/sh\nprintf '[GNUPG:] NEWSIG\\n{said}'\n")
    trusting.chmod(0o755)
    repo.git("config", "gpg.program", str(trusting))
    signed = repo.git_bytes("cat-file", "commit", signed_commit(repo, key))
    other = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\ngpgsig -----"
    forged = signed.replace(b"\ngpgsig -----", other, 1).replace(b"Signed", b"Forged")
    commit = repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=forged)
    signers = f"ada {public(key)}\n"
    assert open_repository(repo).verify_signature(commit, signers) is None
