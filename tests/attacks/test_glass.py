"""Break-glass: one rejected commit passes by a signed, dated, reasoned tag, and by nothing else."""

import html
from pathlib import Path

import pytest

from hkgit.audit.reports import FORMATS
from hkgit.edits import File
from hkgit.evidence.replay import candidate_of
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.gate.trusted_policy import read_named_policy
from tests.attacks.scene import Scene
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.reports import place_report, render

TAG = "break-glass/2026-11-22-outage"
REASON = "The site is down; reviewed by phone with Bob.\n"


@pytest.fixture(params=["agents", "all"])
def policy(request: pytest.FixtureRequest, keys: dict[str, Path]) -> Policy:
    known = ((name, keys[name].with_suffix(".pub").read_text()) for name in ("ada", "bob"))
    return Policy(
        govern=request.param,
        allowed_signers="signers",
        signers="".join(f"{name}@example.org {key}" for name, key in known),
        roles={"break-glass": ("ada@example.org",)},
    )


@pytest.fixture
def blind(scene: Scene, request: pytest.FixtureRequest) -> str:
    """A commit that the gate rejects, another one for every test."""
    return scene.by_hand({"b.txt": File(request.node.name.encode())})


def tag(
    scene: Scene, commit: str, key: Path | None, *, name: str = TAG, reason: str = REASON
) -> str:
    """The id of an annotated tag, signed if there is a key; the ref goes with the test's commit."""
    scene.repo.git("config", "gpg.format", "ssh")
    sign = ["-a"] if key is None else ["-s", "-u", str(key)]
    scene.repo.git("tag", "-f", *sign, "-m", reason, name, commit)
    return scene.repo.resolve(f"refs/tags/{name}")


def ruling(scene: Scene, commit: str, policy: Policy, *records: str) -> Ruling:
    opened = open_repository(scene.repo)
    incoming = {f"refs/tags/break-glass/{number}": tag for number, tag in enumerate(records)}
    return Gate(opened, policy, JudgeContext(incoming=incoming)).judge(candidate_of(opened, commit))


def test_a_signed_reason_lets_one_commit_pass_and_is_listed_with_who_when_and_why(
    scene: Scene, blind: str, policy: Policy, keys: dict[str, Path]
) -> None:
    tag(scene, blind, keys["ada"])
    found = ruling(scene, blind, policy)
    assert (found.passes, found.rule, found.findings[0].rule) == (True, "break-glass", "blind")
    assert found.findings[-1].what == (
        "break-glass break-glass/2026-11-22-outage by ada@example.org on 2024-05-06T07:08Z:"
        " The site is down; reviewed by phone with Bob."
    )
    assert ruling(scene, blind, Policy()).passes is False, "the policy must say who may"


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_lists_it(
    scene: Scene, blind: str, policy: Policy, keys: dict[str, Path], form: str
) -> None:
    tag(scene, blind, keys["ada"])
    report = Report(policy, (ruling(scene, blind, policy),))
    sheet = place_report(open_repository(scene.repo), report)
    assert report.passes
    assert "ada@example.org on 2024-05-06T07:08Z" in html.unescape(render(sheet, form))


def test_a_record_of_the_same_push_counts(
    scene: Scene, blind: str, policy: Policy, keys: dict[str, Path]
) -> None:
    """But not one of another commit."""
    other = tag(scene, scene.repo.head, keys["ada"])
    assert ruling(scene, blind, policy, other).passes is False
    record = tag(scene, blind, keys["ada"])
    scene.repo.git("tag", "-d", TAG)
    assert ruling(scene, blind, policy).passes is False
    assert ruling(scene, blind, policy, record).rule == "break-glass"


@cases(
    "who, name",
    {
        "a signer without the role": ("bob", TAG),
        "a key that is not listed": ("mallory", TAG),
        "no signature": (None, TAG),
        "a tag of another name": ("ada", "v1.0"),
    },
)
def test_nothing_else_breaks_it(
    scene: Scene, blind: str, policy: Policy, keys: dict[str, Path], who: str | None, name: str
) -> None:
    tag(scene, blind, None if who is None else keys[who], name=name)
    found = ruling(scene, blind, policy)
    scene.repo.git("tag", "-d", name)
    assert found.passes is False
    assert found.rule == "blind"


def test_a_signed_tag_of_another_name_is_not_moved_there(
    scene: Scene, blind: str, policy: Policy, keys: dict[str, Path]
) -> None:
    release = tag(scene, blind, keys["ada"], name="v2.0")
    scene.repo.git("update-ref", f"refs/tags/{TAG}", release)
    assert ruling(scene, blind, policy).passes is False


def test_a_record_that_was_altered_is_none(
    scene: Scene, blind: str, policy: Policy, keys: dict[str, Path]
) -> None:
    """The commit that a signed record names is put instead of another one."""
    signed = tag(scene, scene.repo.head, keys["ada"])
    raw = scene.repo.git_bytes("cat-file", "tag", signed)
    forged = raw.replace(scene.repo.head.encode(), blind.encode(), 1)
    made = scene.repo.store(forged, "tag")
    assert ruling(scene, blind, policy, made).passes is False


def test_a_lightweight_tag_is_no_record(scene: Scene, blind: str, policy: Policy) -> None:
    scene.repo.git("tag", "-f", TAG, blind)
    assert ruling(scene, blind, policy).passes is False


def test_a_policy_with_its_signers_is_read_from_a_file(
    scene: Scene, blind: str, keys: dict[str, Path], tmp_path: Path
) -> None:
    tag(scene, blind, keys["ada"])
    public = keys["ada"].with_suffix(".pub").read_text()
    (tmp_path / "signers").write_text(f"ada@example.org {public}")
    text = '[gate]\nallowed_signers = "signers"\nroles = {break-glass = ["ada@example.org"]}\n'
    (tmp_path / "policy.toml").write_text(text)
    opened = open_repository(scene.repo)
    found = ruling(scene, blind, read_named_policy(opened, str(tmp_path / "policy.toml")))
    assert found.rule == "break-glass"
