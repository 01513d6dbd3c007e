"""Attacks on who is held to the rules: names, trailers, grants, keys, and the policy itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.gate.judged_commit import JudgeContext, JudgedCommit
from hkgit.gate.policy.model import Grant, Policy
from hkgit.gate.rules.grants import find_grant
from tests.attacks.landing import Landing
from tests.attacks.scene import (
    AGENT,
    GOVERN,
    PERSON,
    Change,
    Operation,
    Scene,
    replace_range,
)
from tests.support.attacks import sha256
from tests.support.cases import cases
from tests.support.commands import start
from tests.support.commits import commit_tree, judge, tree_of
from tests.support.entries import written
from tests.support.keys import public
from tests.support.objects import open_repository

BLIND = {"b.txt": File(b"evil\n")}


@cases(
    "author",
    {
        "text behind it": f"{AGENT} and friends",
        "an address before it": f"Ada <ada@example.org> {AGENT}",
        "addresses around it": f"Ada <ada@example.org> {AGENT} <x@y>",
        "a comment in the brackets": "Ada <noreply@anthropic.com (Ada)>",
        "two in the brackets": "Ada <noreply@anthropic.com;ada@example.org>",
        "a tab in the brackets": "Ada <noreply@anthropic.com\tada>",
        "in quotes": 'Ada <"noreply@anthropic.com">',
        "a dot behind it": "Ada <noreply@anthropic.com.>",
        "a blank without width": "Ada <noreply@anthropic.com\u200b>",
        "a dot of full width": "Ada <noreply@anthropic\uff0ecom>",
        "a name with a blank without width": "cla\u200bude <ada@example.org>",
    },
)
def test_text_around_an_agents_address_does_not_hide_it(scene: Scene, author: str) -> None:
    message = f"Say\n\nCo-authored-by: {author}\n"
    assert scene.rules(scene.by_hand({**BLIND}, PERSON, message=message)) == {"blind"}


def with_author(made: Landing, author: str) -> str:
    """A blind commit on main with these words behind `author`."""
    made.clone.write("evil.txt", "evil\n")
    made.clone.git("add", "evil.txt")
    tree = made.clone.git("write-tree")
    raw = f"tree {tree}\nparent {made.clone.resolve('main')}\nauthor {author}\n"
    raw += f"committer {PERSON} 1700000000 +0000\n\nSay\n"
    return made.clone.store(raw.encode(), "commit")


AROUND = {
    "an address before it": f"Ada <ada@example.org> {AGENT}",
    "an address behind it": f"{AGENT} Ada <ada@example.org>",
    "an address alone": "<noreply@openai.com> Ada <ada@example.org>",
}


def test_text_around_an_agent_in_a_commits_header_hides_nobody(tmp_path: Path) -> None:
    made = Landing.at(tmp_path, "agents")
    for author in AROUND.values():
        made_by = with_author(made, f"{author} 1700000000 +0000")
        assert "is an agent" in made.refuse(f"{made_by}:main")


MALFORMED = {
    "no address": "codex 1700000000 +0000",
    "no end of the address": "codex <noreply@openai.com 1700000000 +0000",
    "no time": "codex <noreply@openai.com> soon",
    "a time that overflows": f"codex <noreply@openai.com> {'9' * 30} +0000",
}


@pytest.mark.parametrize("author", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_author_is_refused_whoever_reads_it(tmp_path: Path, author: str) -> None:
    made = Landing.at(tmp_path, "agents")
    commit = with_author(made, author)
    said = made.refuse(f"{commit}:main")
    assert "its header is malformed" in said
    assert f"git cat-file commit {commit}" in said
    words = ("hkgit", "gate", "--range", f"main..{commit}")
    for reader in ("libgit2", "program"):
        done = start(*words, cwd=made.clone.path, env={"HKGIT_GIT": reader})
        assert done.returncode in (6, 7), done.stderr
        assert f"commit {commit}: its header is malformed" in done.stdout + done.stderr


@cases(
    "author",
    {
        "opt-out by author name": PERSON,
        "a letter that looks alike": "Cl\u0430ude <noreply@\u0430nthropic.com>",
    },
)
def test_another_name_opts_out_of_agents_alone(scene: Scene, author: str) -> None:
    """Under `agents` names are what one has: this stands in the limits. `all` closes it."""
    made = scene.by_hand({**BLIND}, author)
    assert scene.ruling(made, GOVERN["agents"]).rule == "author is not governed"
    assert scene.rule(made, GOVERN["all"]) == "blind"


def test_a_committers_name_does_not_hide_an_author(scene: Scene) -> None:
    tree = tree_of(scene.repo, Change({**BLIND}))
    author = {"GIT_AUTHOR_NAME": "codex", "GIT_AUTHOR_EMAIL": "codex@example.org"}
    made = scene.repo.git("commit-tree", tree, "-p", "HEAD", "-m", "Say", env=author)
    assert scene.repo.git("log", "-1", "--format=%cn", made) != "codex"
    assert scene.rules(made) == {"blind"}


@cases(
    "message",
    {
        "trailers by hand": "Say\n\nHkgit-Entry: sha256:{0}\n",
        "several": "Say\n\nHkgit-Entry: sha256:{0}\nHkgit-Confidence: 1.00\n",
        "below a line of dashes": "Say\n\nHkgit-Entry: sha256:{0}\n---\n\nx\n",
        "folded": "Say\n\n Hkgit-Entry: sha256:{0}\n",
    },
)
def test_trailers_by_hand_stand_for_nothing(scene: Scene, message: str) -> None:
    made = scene.by_hand({**BLIND}, message=message.format("0" * 64))
    assert scene.rules(made) == {"blind"}


def test_a_person_is_told_of_trailers_by_hand(scene: Scene) -> None:
    message = f"Say\n\nHkgit-Entry: sha256:{'0' * 64}\n"
    made = scene.by_hand({**BLIND}, PERSON, message=message)
    assert "which the commit does not add" in scene.ruling(made, Policy()).judged.notes[0]


OTHER = f"Hkgit-Entry: sha256:{'f' * 64}"
NAMED = "Hkgit-Entry: sha256:{}"


@cases(
    "foot, said",
    {
        "another entry": (OTHER, "which this commit does not add"),
        "one entry too many": (f"{NAMED}\n{OTHER}", "which this commit does not add"),
        "another confidence": (f"{NAMED}\nHkgit-Confidence: 0.99", "'Hkgit-Confidence: 0.99'"),
        "another agent": (f"{NAMED}\nHkgit-Agent: someone/2", "'Hkgit-Agent: someone/2'"),
        "another edit": (f"{NAMED}\nHkgit-Edit: a.py:1-1 - exact 1.00", "'Hkgit-Edit: a.py:1-1"),
        "without an entry": ("Hkgit-Confidence: 0.01", "'Hkgit-Confidence: 0.01'"),
        "in the body": (f"Hkgit-Confidence: 0.99\n\n{NAMED}", "'Hkgit-Confidence: 0.99'"),
        "another case": (f"{NAMED}\nHKGIT-Agent : someone/2", "'HKGIT-Agent : someone/2'"),
        "folded behind a comment": (
            f"{NAMED}\nHkgit-Agent: tester/1\n# x\n and more",
            "'Hkgit-Agent: tester/1 and more'",
        ),
    },
)
def test_a_strict_commit_does_not_lie_in_its_message(scene: Scene, foot: str, said: str) -> None:
    change = scene.honest()
    name = sha256(written(change.entry))
    assert scene.passes(scene.commit(replace(change, message=f"Say\n\n{NAMED.format(name)}\n")))
    made = scene.commit(replace(change, message=f"Say\n\n{foot.format(name)}\n"))
    assert scene.rules(made) == {"trailer"}
    assert said in scene.ruling(made, Policy()).findings[0].what


# Grants and keys


def signers(key: Path) -> str:
    return f"ada@example.org {public(key)}\n"


def by_principal(key: Path) -> Policy:
    """Ada may change texts, the person who signs with her key."""
    return Policy(
        govern="all",
        manual=(Grant(("*.txt",), principals=("ada@example.org",)),),
        allowed_signers="signers",
        signers=signers(key),
    )


def signed(scene: Scene, key: Path, files: dict[str, File | None]) -> str:
    scene.repo.git("config", "gpg.format", "ssh")
    change = Change(files, author=PERSON, message="Say\n")
    return commit_tree(
        scene.repo, tree_of(scene.repo, change), ["HEAD"], b"Say\n", PERSON, f"-S{key}"
    )


def test_a_principal_changes_what_is_granted(scene: Scene, key: Path) -> None:
    ruling = scene.ruling(signed(scene, key, {**BLIND}), by_principal(key))
    assert ruling.passes is True
    assert ruling.rule == "manual grant to ada@example.org, who signed it"


def test_a_grant_to_a_principal_is_for_paths_and_keys(
    scene: Scene, key: Path, keys: dict[str, Path]
) -> None:
    policy, evil = by_principal(key), File(b"evil\n")
    assert scene.rule(signed(scene, key, {"a.py": evil}), policy) == "blind"
    assert scene.rule(signed(scene, key, {**BLIND, "a.py": None}), policy) == "blind"
    assert scene.rule(signed(scene, keys["mallory"], {**BLIND}), policy) == "blind"
    assert scene.rule(scene.by_hand({**BLIND}, PERSON), policy) == "blind"  # a name is nothing


@pytest.mark.parametrize("name", [".git", "..", "GIT~1"])
def test_a_grant_covers_no_name_that_leads_outside(scene: Scene, key: Path, name: str) -> None:
    """`git mktree` makes such names, and they fit the glob of the grant."""
    blob = scene.repo.store(b"evil\n")
    inside = scene.repo.git("mktree", stdin=f"100644 blob {blob}\tx.txt\n".encode())
    listed = scene.repo.git_bytes("ls-tree", "HEAD") + f"040000 tree {inside}\t{name}\n".encode()
    tree = scene.repo.git("mktree", stdin=listed)
    scene.repo.git("config", "gpg.format", "ssh")
    made = commit_tree(scene.repo, tree, ["HEAD"], b"Say\n", PERSON, f"-S{key}")
    assert scene.rule(made, by_principal(key)) == "path"


def merged(scene: Scene, key: Path, tree: str, *parents: str) -> str:
    scene.repo.git("config", "gpg.format", "ssh")
    return commit_tree(scene.repo, tree, parents, b"Merge\n", PERSON, f"-S{key}")


def test_who_may_change_some_paths_does_not_drop_others_in_a_merge(scene: Scene, key: Path) -> None:
    """Parents turned round, the tree of one's own: what the branch had is gone by `-s ours`."""
    main = scene.by_hand({"a.py": File(b"fixed\n")}, PERSON)
    own = signed(scene, key, {"b.txt": File(b"mine\n")})
    made = merged(scene, key, scene.repo.resolve(f"{own}^{{tree}}"), own, main)
    ruling = scene.ruling(made, by_principal(key))
    assert ruling.rule == "merge"
    assert ruling.findings[0].where == "a.py"


def test_who_may_change_a_path_resolves_its_conflict(scene: Scene, key: Path) -> None:
    main = scene.by_hand({"b.txt": File(b"theirs\n"), "a.py": File(b"fixed\n")}, PERSON)
    own = signed(scene, key, {"b.txt": File(b"mine\n")})
    change = Change({"b.txt": File(b"both\n")}, parents=(main,))
    made = merged(scene, key, tree_of(scene.repo, change), own, main)
    assert scene.ruling(made, by_principal(key)).rule == (
        "manual grant to ada@example.org, who signed it"
    )


def test_a_signature_does_not_move_to_another_commit(scene: Scene, key: Path) -> None:
    """The signature of one commit, copied into a commit of another tree."""
    raw = scene.repo.git_bytes("cat-file", "commit", signed(scene, key, {**BLIND}))
    change = Change({"b.txt": File(b"worse\n")}, author=PERSON)
    tree = tree_of(scene.repo, change)
    forged = raw.replace(raw.split(b"\n", 1)[0], f"tree {tree}".encode(), 1)
    made = scene.repo.store(forged, "commit")
    assert scene.rule(made, by_principal(key)) == "blind"


BY_PUSHER = Policy(
    govern="all", manual=(Grant(("*.txt",), pushers=("ada",)),), pusher_variable="GL_USERNAME"
)


def test_a_grant_to_a_pusher_needs_a_server_that_knows_them(scene: Scene) -> None:
    case = JudgedCommit(
        repository=open_repository(scene.repo),
        policy=BY_PUSHER,
        context=JudgeContext(pusher="ada"),
        judged=judge(scene.repo).judged,
        agent=None,
    )
    assert find_grant(case, ["b.txt"]) is not None
    assert find_grant(case, ["a.py"]) is None
    for pusher in ("bob", None):
        assert find_grant(replace(case, context=JudgeContext(pusher=pusher)), ["b.txt"]) is None


# The policy itself


POLICIES = {
    "a first policy": "[tool.hkgit.gate]\nmode = 'report'\n",
    "a file that cannot be read": "x = " + "[" * 5000 + "]" * 5000 + "\n",
    "a table that is nested too deeply": "[tool.hkgit.gate]\n" + "a." * 3000 + "a = 1\n",
}


@pytest.mark.parametrize("text", POLICIES.values(), ids=POLICIES)
def test_a_governed_commit_does_not_make_the_policy(scene: Scene, text: str) -> None:
    create: Operation = {"op": "create_file", "path": "pyproject.toml", "new_text": text}
    assert scene.rules(scene.commit(scene.applied(create))) == {"policy"}


TOML = b"[tool.hkgit.gate]\nmode = 'enforce'\n"


@cases(
    "operation",
    {"removed": {"op": "delete_file"}, "renamed": {"op": "rename_file", "new_path": "old.toml"}},
)
def test_a_policy_is_not_taken_away(scene: Scene, operation: dict[str, object]) -> None:
    on = scene.by_hand({"pyproject.toml": File(TOML)}, PERSON)
    away = {"path": "pyproject.toml", "expected_hash": sha256(TOML), **operation}
    assert scene.rules(scene.commit(scene.applied(away, on=on))) == {"policy"}


def test_a_file_of_signers_changes_only_by_grant(scene: Scene) -> None:
    edit = replace_range("b.txt", scene.repo.show("HEAD", "b.txt"), 1, 1, "mallory ssh-ed25519 A")
    made = scene.commit(scene.applied(edit))
    assert scene.rules(made, allowed_signers="b.txt") == {"protected"}
