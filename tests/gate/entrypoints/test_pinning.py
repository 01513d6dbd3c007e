"""`hkgit verify --trust FILE`: an answer that rests on what an auditor wrote down before."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hkgit.errors import InvalidInput, Rejected
from hkgit.gate.entrypoints.pinning import describe_pins, read_trust, resolve_pins
from hkgit.gate.policy import Policy, read_policy
from hkgit.gate.policy.digest import hash_policy
from hkgit.git.repository import Repository
from hkgit.matching.places import LADDER_VERSION
from tests.support.commands import start
from tests.support.repos import Repo
from tests.support.serving import Served, commit


@pytest.fixture
def clone(served: Served) -> Repo:
    return served.clone


def _verify(clone: Repo, trust: str, *args: str, code: int = 0) -> Any:
    """The answer on main..good under these pins."""
    file = clone.path.parent / "trust.toml"
    file.write_text(trust)
    done = start("hkgit", "verify", "main..good", "--trust", str(file), *args, cwd=clone.path)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def _trust(clone: Repo, trust: str) -> dict[str, str]:
    """What the answer rests on."""
    file = clone.path.parent / "trust.toml"
    file.write_text(trust)
    repository = Repository.discover(clone.path)
    return describe_pins(
        resolve_pins(repository, read_trust(file), clone.git("rev-parse", "main")), repository
    )


def _digest(clone: Repo, rev: str) -> str:
    return hash_policy(read_policy(Repository.discover(clone.path).snapshot(rev)))


def test_without_pins_the_answer_says_that_nothing_was_pinned(clone: Repo) -> None:
    told = _trust(clone, "")
    assert [name for name, words in told.items() if "NOT pinned" in words] == [
        "policy",
        "signers",
        "attest_keys",
        "ladders",
    ]


def test_the_digest_that_an_answer_shows_can_be_pinned(clone: Repo) -> None:
    shown = _trust(clone, "")["policy"].partition(", ")[2].partition(": NOT")[0]

    told = _trust(clone, f'policy_digest = "{shown}"')

    assert told["policy"].endswith(f"{shown}: pinned by its digest")


def test_another_policy_than_the_pinned_one_is_rejected(clone: Repo) -> None:
    with pytest.raises(Rejected, match="is pinned"):
        _trust(clone, f'policy_digest = "{_digest(clone, "relaxed")}"')


def test_the_policy_is_read_from_the_pinned_commit(clone: Repo) -> None:
    clone.git("checkout", "-q", "-b", "tight", "main")
    pin = commit(clone, {".hkgit/config.toml": "[gate]\ngovern = 'all'\n"}, {})

    told = _trust(clone, f'policy_commit = "{pin}"\npolicy_digest = "{_digest(clone, pin)}"')

    assert pin[:12] in told["policy"]
    assert told["policy"].endswith("pinned by its commit and digest")


def test_an_entry_of_a_ladder_that_is_not_pinned_does_not_count(clone: Repo) -> None:
    _verify(clone, f"ladders = [{LADDER_VERSION}]")
    _verify(clone, f"ladders = [{LADDER_VERSION + 1}]", code=6)


def test_signers_stand_in_a_file_beside_the_pins(clone: Repo, tmp_path: Path) -> None:
    (clone.path.parent / "signers").write_text("# ours\nada@example.org ssh-ed25519 AAAA\n")
    told = _trust(clone, 'allowed_signers = "signers"')
    assert told["signers"] == "1 allowed signers: pinned"


def test_pins_within_the_repository_that_is_judged_are_pointed_out(clone: Repo) -> None:
    clone.write("trust.toml", "")
    done = start("hkgit", "verify", "main..good", "--trust", "trust.toml", cwd=clone.path)
    assert "trust file: trust.toml, WITHIN the repository that it judges" in done.stdout


def test_the_pins_are_part_of_the_one_document(clone: Repo) -> None:
    document = json.loads(_verify(clone, "", "--json"))
    assert set(document["trust"]) == {"policy", "signers", "attest_keys", "ladders", "file"}
    plain = start("hkgit", "verify", "main..good", "--json", cwd=clone.path)
    assert document["commits"] != []
    assert [each | {"policy": None} for each in document["commits"]] == [
        each | {"policy": None} for each in json.loads(plain.stdout)["commits"]
    ]


def test_other_formats_stay_one_document_and_the_pins_go_to_standard_error(clone: Repo) -> None:
    assert json.loads(_verify(clone, "", "--format", "sarif"))["version"] == "2.1.0"


@pytest.mark.parametrize(
    "trust",
    [
        pytest.param('policy_commit = "main"', id="a name for a commit"),
        pytest.param("polcy_digest = 'x'", id="an unknown key"),
        pytest.param("ladders = 'all'", id="a wrong type"),
        pytest.param("[", id="no TOML"),
        pytest.param('allowed_signers = "nowhere"', id="a file that is not there"),
        pytest.param(f'policy_commit = "{"d" * 40}"', id="a commit that is not here"),
    ],
)
def test_pins_that_mean_nothing_are_invalid(clone: Repo, trust: str) -> None:
    with pytest.raises(InvalidInput):
        _trust(clone, trust)


def test_pins_and_a_policy_do_not_go_together(clone: Repo) -> None:
    _verify(clone, "", "--policy", "main:.hkgit/config.toml", code=64)


# The digest


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        pytest.param("a = 1\nb = 2", "b = 2 # two\n\na = 1", True, id="order and comments"),
        pytest.param("a = 1", "a = 2", False, id="a value"),
        pytest.param("a = 2020-01-01", "a = 2020-01-01", True, id="a date"),
    ],
)
def test_a_digest_is_of_the_value_of_a_policy(first: str, second: str, is_same: bool) -> None:
    digests = [hash_policy(Policy(table=tomllib.loads(text))) for text in (first, second)]
    assert (digests[0] == digests[1]) is is_same
