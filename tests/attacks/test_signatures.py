"""Attacks on signed entries: the right entry under the wrong signature, in every way."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hkgit.evidence.entry import Entry, entry_id, read_entry
from hkgit.evidence.replay import candidate_of
from hkgit.gate.attestations.keys import sign
from hkgit.gate.attestations.statement import Envelope, Signature, encode_pae, store_envelope
from hkgit.gate.attestations.trust import (
    ENTRY_PAYLOAD_TYPE,
    NAMESPACE,
    entry_refs,
    make_payload,
    sign_entry,
)
from hkgit.gate.commit_range import drop_floors
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import Policy
from tests.attacks.scene import PERSON, Scene, protocol
from tests.support.cases import cases
from tests.support.commands import AGENT as BY_AGENT
from tests.support.commands import hkgit
from tests.support.commits import applied, commit
from tests.support.entries import written
from tests.support.gating import begun, good, opened
from tests.support.keys import public
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import begin
from tests.support.serving import commit as commit_files

ADA, BOB = "ada@example.org", "bob@example.org"
POLICY = f"""\
[gate]
allowed_signers = "signers"
roles = {{sign = ["{ADA}"]}}
entries = {{signed = true}}
"""


Keys = dict[str, Path]


def signers(keys: Keys, options: str = "") -> str:
    return f"{ADA} {options} {public(keys['ada'])}\n{BOB} {public(keys['bob'])}\n"


def asking(listed: str) -> dict[str, Any]:
    """What a policy says that wants entries signed."""
    return {"entries_signed": True, "roles": {"sign": (ADA,)}, "signers": listed}


def made(scene: Scene, agent: str) -> tuple[str, str, Entry]:
    """An honest commit, and its entry: one of its own for each agent."""
    change = scene.honest()
    change.entry["claims"] = {"agent": agent}
    data = written(change.entry)
    return scene.commit(change), entry_id(data), read_entry(data)


Forge = Callable[[Keys, str, Entry], Envelope]
"""Makes an envelope for an entry that should not count."""


def signed_by(
    key: Path,
    name: str,
    entry: Entry,
    *,
    kind: str = ENTRY_PAYLOAD_TYPE,
    namespace: str = NAMESPACE,
    encode: Callable[[str, bytes], bytes] = encode_pae,
) -> Envelope:
    """An envelope for an entry that is signed as none of hkgit's."""
    payload = make_payload(name, entry)
    return Envelope(kind, payload, (Signature("", sign(key, encode(kind, payload), namespace)),))


FORGERIES: dict[str, Forge] = {
    "by nobody": lambda keys, name, entry: replace(
        sign_entry(name, entry, keys["ada"]), signatures=()
    ),
    "by a stranger": lambda keys, name, entry: sign_entry(name, entry, keys["mallory"]),
    "without the role": lambda keys, name, entry: sign_entry(name, entry, keys["bob"]),
    "of another entry": lambda keys, _, entry: sign_entry("0" * 64, entry, keys["ada"]),
    "moved to the entry": lambda keys, name, entry: replace(
        sign_entry("0" * 64, entry, keys["ada"]), payload=make_payload(name, entry)
    ),
    "for a verdict": lambda keys, name, entry: signed_by(
        keys["ada"], name, entry, namespace="hkgit-verdict@v1"
    ),
    "for a commit": lambda keys, name, entry: signed_by(keys["ada"], name, entry, namespace="git"),
    "of the payload alone": lambda keys, name, entry: signed_by(
        keys["ada"], name, entry, encode=lambda kind, payload: payload
    ),
    "of another type": lambda keys, name, entry: signed_by(
        keys["ada"], name, entry, kind="text/plain"
    ),
    "around another payload": lambda keys, name, entry: replace(
        sign_entry(name, entry, keys["ada"]), payload=b"{}\n"
    ),
    "rubbish": lambda keys, name, entry: replace(
        sign_entry(name, entry, keys["ada"]), signatures=(Signature("", b"\xff\0"),)
    ),
}


@pytest.mark.parametrize("forge", FORGERIES)
def test_only_a_signature_by_who_may_sign_this_very_entry_counts(
    scene: Scene, keys: Keys, forge: str
) -> None:
    attack, name, entry = made(scene, forge)
    store_envelope(opened(scene.repo), entry_refs(name), FORGERIES[forge](keys, name, entry))
    assert scene.rules(attack, **asking(signers(keys))) == {"signature"}


def test_an_entry_that_nobody_signed_is_rejected_whoever_brings_it(
    scene: Scene, keys: Keys
) -> None:
    attack, name, _ = made(scene, "unsigned")
    ruling = scene.ruling(attack, Policy(**asking(signers(keys))))
    assert [(each.rule, each.where) for each in ruling.findings] == [
        ("signature", f".hkgit/ledger/{name[:2]}/{name[2:]}.json")
    ]
    by_person = scene.commit(replace(scene.honest(), author=PERSON))
    assert scene.rules(by_person, **asking(signers(keys))) == {"signature"}


@cases(
    "options, passes",
    {
        "the key as it is": ("", True),
        "an expired key": ('valid-before="20200101"', False),
        "a key of the future": ('valid-after="29990101"', False),
        "a key for verdicts": ('namespaces="hkgit-verdict@v1"', False),
        "a key for entries": (f'namespaces="{NAMESPACE}"', True),
    },
)
def test_a_key_counts_as_the_signers_list_it_now(
    scene: Scene, keys: Keys, options: str, passes: bool
) -> None:
    signed, name, entry = made(scene, "honest")
    store_envelope(opened(scene.repo), entry_refs(name), sign_entry(name, entry, keys["ada"]))
    assert scene.passes(signed, **asking(signers(keys, options))) is passes
    taken_out = asking(f"{ADA} {public(keys['bob'])}\n")
    assert scene.rules(signed, **taken_out) == {"signature"}


def test_forgeries_do_not_keep_a_signature_from_counting(scene: Scene, keys: Keys) -> None:
    signed, name, entry = made(scene, "crowded")
    for each in (
        *(forge(keys, name, entry) for forge in FORGERIES.values()),
        sign_entry(name, entry, keys["ada"]),
    ):
        store_envelope(opened(scene.repo), entry_refs(name), each)
    assert scene.passes(signed, **asking(signers(keys)))


@pytest.mark.parametrize("named", ["HEAD", "HEAD^{tree}", "HEAD:b.txt"])
def test_rubbish_among_signatures_does_no_harm(scene: Scene, keys: Keys, named: str) -> None:
    signed, name, entry = made(scene, f"beside {named}")
    scene.repo.git("update-ref", f"{entry_refs(name)}/0", scene.repo.resolve(named))
    asked = asking(signers(keys))
    assert scene.rules(signed, **asked) == {"signature"}
    store_envelope(opened(scene.repo), entry_refs(name), sign_entry(name, entry, keys["ada"]))
    assert scene.passes(signed, **asked)


def test_entries_need_no_signature_where_no_policy_asks(scene: Scene, keys: Keys) -> None:
    """Nor is who asks what is derived told who signed."""
    unsigned, _, _ = made(scene, "unasked")
    assert scene.passes(unsigned)
    assert scene.ruling(unsigned, drop_floors(Policy(**asking(signers(keys))))).passes


def test_a_commit_that_is_still_being_made_is_not_signed_yet(scene: Scene, keys: Keys) -> None:
    repository = opened(scene.repo)
    candidate = replace(candidate_of(repository, made(scene, "incoming")[0]), id=None)
    gate = Gate(repository, Policy(**asking(signers(keys))), JudgeContext(on_client=True))
    assert gate.judge(candidate).passes


def test_a_key_does_not_come_with_what_it_signed(repo: Repo, keys: Keys) -> None:
    """A person brings a signer: the old policy does not know them. What is said mends it."""
    begun(repo)
    repo.commit(
        {
            "pyproject.toml": "[project]\nname = 'x'\n",
            ".hkgit/config.toml": POLICY,
            "signers": signers(keys),
        },
        "Ask for signatures",
    )
    repo.git("checkout", "-q", "-b", "topic")
    more = signers(keys) + f"{ADA} {public(keys['mallory'])}\n"
    repo.commit({"signers": more}, "Trust another key")
    commit(repo, applied(repo, protocol(good())))
    arguments = ("--range", "main..topic", "--format", "json")
    assert (
        run("attest", "--entries", "main..topic", "--key", keys["mallory"], cwd=repo.path).code == 0
    )
    gated = run("gate", *arguments, cwd=repo.path)
    [rejected] = [each for each in gated.json()["commits"] if not each["policy"]["passes"]]
    assert rejected["policy"]["rule"] == "signature"
    mend = shlex.split(rejected["mend"].replace("FILE", str(keys["ada"])), comments=True)
    assert run(*mend[1:], cwd=repo.path).code == 0
    assert run("gate", *arguments, cwd=repo.path).code == 0


def test_a_server_takes_what_is_signed_with_the_push(tmp_path: Path, keys: Keys) -> None:
    served = begin(tmp_path)
    clone = served.clone
    commit_files(clone, {".hkgit/config.toml": POLICY, "signers": signers(keys)}, {})
    clone.git("push", "-q", "origin", "main")
    clone.git("rebase", "-q", "main", "good", env=BY_AGENT)
    assert "hkgit attest --entries" in served.refuse("good:main")
    hkgit(clone, "attest", "--entries", "main..good", "--key", str(keys["ada"]))
    served.take("good:main", "refs/hkgit/entries/*:refs/hkgit/entries/*")
