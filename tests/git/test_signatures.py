"""Whose SSH key signed a commit."""

from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.keys import public, sign_with
from tests.support.objects import open_repository
from tests.support.repos import Repo, write_program


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory, key: Path) -> tuple[Repo, str]:
    """A signed commit, and its signers with the key of it."""
    repo = Repo.init(tmp_path_factory.mktemp("signed") / "repo")
    sign_with(repo, key)
    repo.commit({"a": "1"}, "Signed", "-S")
    return repo, f"ada@example.org {public(key)}\n"


def signer(repo: Repo, commit: str, signers: str) -> str | None:
    return open_repository(repo).verify_signature(commit, signers)


def forge(repo: Repo, old: bytes, new: bytes) -> str:
    """The signed commit with other bytes."""
    forged = repo.git_bytes("cat-file", "commit", "HEAD").replace(old, new, 1)
    return repo.store(forged, "commit")


def test_the_principal_of_a_listed_key_is_known(signed: tuple[Repo, str]) -> None:
    repo, signers = signed
    repo.git("config", "gpg.minTrustLevel", "ultimate")
    assert signer(repo, repo.head, signers) == "ada@example.org"


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
def test_a_key_that_is_not_allowed_gives_no_principal(
    signed: tuple[Repo, str], key: Path, signers: str
) -> None:
    repo, _ = signed
    assert signer(repo, repo.head, signers.format(public(key))) is None


def test_a_signature_does_not_outlive_a_change(signed: tuple[Repo, str]) -> None:
    repo, signers = signed
    assert signer(repo, forge(repo, b"Signed", b"Forged"), signers) is None


@cases("message", {"none": "x", "in it": "x\n\ngpgsig -----BEGIN SSH SIGNATURE-----\n"})
def test_a_commit_without_a_signature_has_no_principal(
    repo: Repo, signed: tuple[Repo, str], message: str
) -> None:
    assert signer(repo, repo.commit({"a": "1"}, message), signed[1]) is None


GOOD = 'Good "git" signature for ada@example.org with X key Y'


def test_the_configuration_cannot_name_the_judge(signed: tuple[Repo, str], tmp_path: Path) -> None:
    repo, _ = signed
    script = f"[ $2 = find-principals ] && exec echo ada@example.org; cat >/dev/null; echo '{GOOD}'"
    repo.git("config", "gpg.ssh.program", str(write_program(tmp_path / "liar", script)))
    repo.git("config", "log.showSignature", "true")
    assert signer(repo, repo.head, "") is None


def test_a_signature_of_another_kind_in_front_of_it_is_none(
    signed: tuple[Repo, str], tmp_path: Path
) -> None:
    """git would ask the first one's program, whose ring of keys is nobody's list of signers."""
    repo, signers = signed
    said = ("[GNUPG:] NEWSIG", "[GNUPG:] GOODSIG 0 ada", "[GNUPG:] TRUST_ULTIMATE 0 pgp", GOOD)
    script = "\n".join(["cat >/dev/null", *(f"echo '{line}'" for line in said)])
    repo.git("config", "gpg.program", str(write_program(tmp_path / "gpg", script)))
    other = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\ngpgsig -----"
    assert signer(repo, forge(repo, b"\ngpgsig -----", other), signers) is None
