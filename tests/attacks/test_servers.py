"""Attacks on a real server, whose policy knows pushers, principals, targets and break-glass."""

import sys
from pathlib import Path

import pytest

from hkgit.gate.entrypoints.arrival import choose_trusted_side
from hkgit.gate.entrypoints.ci import judge_event, read_event
from tests.gate.entrypoints.jobs import github
from tests.support.cases import cases
from tests.support.commands import AGENT, PATH, hkgit
from tests.support.keys import made_key, public
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.serving import Served, begin, commit, preload_hooks

POLICY = """\
[gate]
govern = "all"
allowed_signers = "signers"
pusher_variable = "GL_USERNAME"

[[gate.manual]]
paths = ["notes.md"]
pushers = ["ada"]

[[gate.targets]]
refs = ["refs/heads/release/*"]
verdicts = ["strict"]
rewrites = "refuse"

[gate.roles]
break-glass = ["ada@example.org"]
attest = ["ada@example.org"]
"""
ADA = {"GL_USERNAME": "ada"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A server with that policy, Ada's key beside it, and the branches on top of it."""
    folder = tmp_path_factory.mktemp("servers")
    served = begin(folder)
    preload_hooks(served.server)
    key = made_key(folder / "key")
    clone = served.clone
    commit(clone, {".hkgit/config.toml": POLICY, "signers": f"ada@example.org {public(key)}\n"}, {})
    clone.git("push", "-q", "origin", "main")
    for branch in ("good", "human", "blind"):
        clone.git("rebase", "-q", "main", branch, env=AGENT if branch != "human" else {})
    clone.git("checkout", "-q", "main")
    clone.git("config", "gpg.format", "ssh")
    clone.git("config", "user.signingKey", str(key))
    return served


def test_the_server_takes_what_the_pusher_may_change(served: Served) -> None:
    served.refuse("human:main")  # nobody the server knows
    served.refuse("human:main", GL_USERNAME="bob")
    served.refuse("blind:main", **ADA)  # another path than is granted
    served.take("human:main", **ADA)
    served.take("+good:main")  # evidence, whoever pushes


def test_twins_of_case_do_not_come_by_a_grant(served: Served) -> None:
    """Whoever may change all texts brings no second file of a name in other letters."""
    wider = POLICY.replace('"notes.md"', '"*.md"')
    served.clone.git("checkout", "-q", "-b", "twin", "main")
    commit(served.clone, {".hkgit/config.toml": wider}, {})
    served.server.git("fetch", "-q", str(served.clone.path), "+twin:main")  # past the gate
    served.take(f"{_with(served, 'more.md')}:main", **ADA)
    assert "on some file systems" in served.refuse(f"{_with(served, 'NOTES.md')}:main", **ADA)


def _with(served: Served, name: str) -> str:
    """A commit with one more file of the text that is there."""
    blob = served.clone.resolve("HEAD:notes.md")
    served.clone.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    served.clone.git("commit", "-q", "--no-verify", "-m", "Add")
    return served.clone.head


def test_a_job_that_sets_the_variable_is_no_server(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull request may bring the file of its own job, and with it any variable."""
    base, head = (served.clone.resolve(name) for name in ("main", "human"))
    payload = {"pull_request": {"base": {"sha": base, "ref": "main"}, "head": {"sha": head}}}
    event = read_event(github(tmp_path, "pull_request", payload))
    monkeypatch.setenv("GL_USERNAME", "ada")
    assert not judge_event(open_repository(served.clone), event, say=print).passes
    said = hkgit(served.clone, "gate", "--range", "main..human", env=ADA, code=6)
    assert "the policy governs everyone" in said


def test_a_target_takes_no_more_than_it_says(served: Served) -> None:
    """What main takes, a release does not: here what a pusher is granted, and a rewrite."""
    served.take("main:refs/heads/release/1", **ADA)
    served.take("human:main", **ADA)
    assert "the policy does not accept manual" in served.refuse("human:refs/heads/release/1", **ADA)
    served.take("good:refs/heads/release/1")
    assert "refuses rewrites" in served.refuse("--force", "main:refs/heads/release/1")


def test_glass_is_broken_with_the_push(served: Served) -> None:
    clone = served.clone
    clone.git("tag", "-s", "-m", "The site is down.", "break-glass/1", "blind")
    served.refuse("blind:main")
    done, said = served.push("blind:main", "break-glass/1")
    assert done is True, said
    assert "ada@example.org on 2024-05-06T07:08Z: The site is down." in said, said


def test_the_key_of_glass_is_not_brought_with_the_push(served: Served, key: Path) -> None:
    """A signer added by the very push that breaks the glass with the new key."""
    clone = served.clone
    clone.git("checkout", "-q", "blind")
    signers = f"ada@example.org {public(key)}\n"
    top = commit(clone, {"signers": signers}, {})
    for number, each in enumerate((f"{top}^", top)):
        clone.git("tag", "-s", "-u", str(key), "-m", "Trust me.", f"break-glass/{number}", each)
    served.refuse(f"{top}:refs/heads/main", "break-glass/0", "break-glass/1")


def misstated(clone: Repo) -> str:
    """The commit of `good` under a message that lies about its evidence: only a statement helps."""
    said = clone.git("log", "-1", "--format=%B", "good")
    lie = said.replace("Hkgit-Tiers: ", "Hkgit-Confidence: 0.99\nHkgit-Tiers: ")
    assert lie != said
    return clone.git("commit-tree", "good^{tree}", "-p", "main", "-F", "-", stdin=lie.encode())


def test_a_statement_for_one_ref_opens_no_other_in_the_same_push(served: Served) -> None:
    """What has passed for one ref is not judged again for the next, but for what hangs on it."""
    clone, key = served.clone, served.clone.git("config", "user.signingKey")
    hkgit(clone, "attest", "main..good", "--key", key, "--target", "refs/heads/aside")
    served.push("main:refs/heads/aside", "refs/hkgit/attestations/*:refs/hkgit/attestations/*")
    aside, main = (f"{misstated(clone)}:refs/heads/{name}" for name in ("aside", "main"))
    assert "FAIL refs/heads/main" in served.refuse(aside, main)
    served.take(aside)


def test_a_replacement_is_not_taken(served: Served) -> None:
    """git on the server, and whatever deploys from it, would show `blind` for main."""
    main, blind = (served.clone.resolve(name) for name in ("main", "blind"))
    assert "an object other than the one judged" in served.refuse(f"{blind}:refs/replace/{main}")


def test_what_main_took_is_judged_for_a_stricter_ref_from_before_the_policy(served: Served) -> None:
    """Other refs of that age leave alone what the default branch has."""
    clone = served.clone
    clone.git("checkout", "-q", "--orphan", "old")
    clone.git("rm", "-q", "-r", "--cached", ".")
    clone.git("commit", "-q", "--allow-empty", "-m", "Before the policy")
    repository = open_repository(clone)
    refs = ("refs/heads/release/0", "refs/heads/topic")
    old, default = (clone.resolve(name) for name in ("old", "main"))
    sides = [choose_trusted_side(repository, [ref], old, default) for ref in refs]
    assert [side.excluding for side in sides] == [(), (default,)]


@pytest.mark.sampled
@cases(
    "variables",
    {
        "a home with another policy": {"HOME": "{}"},
        "a configuration with one": {"GIT_CONFIG_GLOBAL": "{}/.gitconfig"},
        "another place for it": {"XDG_CONFIG_HOME": "{}"},
        "a policy in variables": {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "hkgit.gate.policy",
            "GIT_CONFIG_VALUE_0": "{}/open.toml",
        },
        "a cache of modules": {"PYTHONPYCACHEPREFIX": "{}"},
        "modules": {"PYTHONPATH": "{}"},
        "a shell that completes": {"_HKGIT_COMPLETE": "bash_source"},
    },
)
def test_the_environment_of_a_push_does_not_turn_the_gate_off(
    served: Served, tmp_path: Path, variables: dict[str, str]
) -> None:
    preload_hooks(served.server, Path(sys.executable))
    planted = tmp_path / "planted"
    (planted / "git").mkdir(parents=True)
    (planted / "open.toml").write_text('[gate]\nmode = "off"\nrefs = ["refs/none"]\n')
    policy = f"[hkgit]\n\tpolicy = {planted}/open.toml\n[user]\n\tname = A\n\temail = a@b.c\n"
    for place in (planted / ".gitconfig", planted / "git" / "config"):
        place.write_text(policy)
    for name in ("hkgit", "usercustomize", "sitecustomize"):
        (planted / f"{name}.py").write_text("import os\nos._exit(0)\n")
    env = PATH | {name: value.format(planted) for name, value in variables.items()}
    assert "blind" in served.refuse("blind:main", **env)
