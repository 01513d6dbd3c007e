"""The policy: where it is read, what it may say, who it speaks of (contract, section 10)."""

from __future__ import annotations

from typing import Any

import pytest

from hkgit.edits import File, MappingSnapshot
from hkgit.errors import InvalidInput
from hkgit.gate.policy.defaults import ACCEPTED, KNOWN_AGENTS
from hkgit.gate.policy.key_table import parse_policy
from hkgit.gate.policy.model import BUILT_IN, Grant, Policy
from hkgit.gate.trusted_policy import policy_value, read_policy


def files(**contents: str) -> MappingSnapshot:
    """A tree with a pyproject.toml, a .hkgit/config.toml, or both."""
    names = {"pyproject": "pyproject.toml", "config": ".hkgit/config.toml"}
    return MappingSnapshot({names[key]: File(text.encode()) for key, text in contents.items()})


def test_without_a_policy_the_built_in_one_holds() -> None:
    policy = read_policy(files(pyproject="[project]\nname = 'x'\n"))
    assert policy == Policy()
    assert policy.source == BUILT_IN


def test_the_built_in_policy() -> None:
    policy = Policy()
    assert policy.mode == "enforce"
    assert policy.govern == "agents"
    assert policy.accept == ("hash", "receipt")
    assert policy.verdicts == (
        "strict",
        "reanchored",
        "merge",
        "revert",
        "prune",
        "empty",
        "manual",
        "ungoverned",
        "attested",
        "vouched",
    )
    assert policy.manual == ()


@pytest.mark.parametrize(
    ("tree", "source"),
    [
        pytest.param(
            files(pyproject="[tool.hkgit.gate]\nmode = 'warn'\n"),
            "pyproject.toml",
            id="pyproject.toml",
        ),
        pytest.param(files(config="[gate]\nmode = 'warn'\n"), ".hkgit/config.toml", id="its own"),
        pytest.param(
            files(config="[gate]\nmode = 'warn'\n", pyproject="[tool.hkgit]\n"),
            ".hkgit/config.toml",
            id="beside a pyproject.toml without one",
        ),
        pytest.param(
            files(config="[other]\n", pyproject="tool.hkgit.gate.mode = 'warn'\n"),
            "pyproject.toml",
            id="beside a config.toml without one",
        ),
    ],
)
def test_the_policy_stands_in_either_place(tree: MappingSnapshot, source: str) -> None:
    policy = read_policy(tree)
    assert policy.mode == "warn"
    assert policy.source == source


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        pytest.param(
            files(config="[gate]\n", pyproject="[tool.hkgit.gate]\n"),
            "is in .hkgit/config.toml and pyproject.toml\nKeep one",
            id="both places",
        ),
        pytest.param(files(pyproject="[tool"), "pyproject.toml: is not TOML", id="no TOML"),
        pytest.param(
            files(config="gate = 1\n"),
            ".hkgit/config.toml: expected a table, found 1",
            id="no table",
        ),
    ],
)
def test_a_policy_that_cannot_be_read_is_invalid(tree: MappingSnapshot, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_policy(tree)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("table", "policy"),
    [
        pytest.param({}, Policy(), id="nothing"),
        pytest.param(
            {"mode": "report", "govern": "all"},
            Policy(mode="report", govern="all"),
            id="mode and govern",
        ),
        pytest.param(
            {"agents": ["my-*"]},
            Policy(agents=(*KNOWN_AGENTS, "my-*")),
            id="agents beside the known ones",
        ),
        pytest.param({"accept": ["hash", "quote"]}, Policy(accept=("hash", "quote")), id="accept"),
        pytest.param({"accept": []}, Policy(accept=()), id="accept nothing"),
        pytest.param(
            {"verdicts": [*ACCEPTED, "mixed"]},
            Policy(verdicts=(*ACCEPTED, "mixed")),
            id="verdicts",
        ),
        pytest.param(
            {"tiers": ["exact"]},
            Policy(tiers=("exact",)),
            id="tiers",
        ),
        pytest.param(
            {"tiers": []},
            Policy(tiers=()),
            id="an empty list is a value",
        ),
        pytest.param({"min_confidence": 0.95}, Policy(min_confidence=950), id="confidence"),
        pytest.param({"min_confidence": 1}, Policy(min_confidence=1000), id="as an integer"),
        pytest.param({"since": "0" * 40}, Policy(since="0" * 40), id="since"),
        pytest.param(
            {"manual": [{"paths": ["docs/*"], "names": ["Ada *"], "keys": ["ssh-x y"]}]},
            Policy(manual=(Grant(("docs/*",), ("Ada *",), ("ssh-x y",)),)),
            id="grants",
        ),
    ],
)
def test_what_a_policy_says(table: dict[str, Any], policy: Policy) -> None:
    assert parse_policy(table, BUILT_IN) == policy


@pytest.mark.parametrize(
    ("table", "said"),
    [
        pytest.param({"mood": "warn"}, "mood: unknown key\nKnown keys: mode", id="unknown key"),
        pytest.param(
            {"mode": "off"},
            "mode: expected one of report, warn, enforce, found 'off'",
            id="unknown mode",
        ),
        pytest.param({"govern": True}, "govern: expected one of agents, all", id="a boolean"),
        pytest.param({"agents": "x"}, "agents: expected a list of strings", id="no list"),
        pytest.param({"agents": [1]}, "agents: expected a list of strings", id="no strings"),
        pytest.param(
            {"accept": ["trust"]},
            "accept: expected some of hash, receipt, quote",
            id="unknown evidence",
        ),
        pytest.param({"verdicts": ["fail"]}, "verdicts: expected some of strict", id="fail"),
        pytest.param(
            {"verdicts": ["unverifiable"]}, "verdicts: expected some of strict", id="unverifiable"
        ),
        pytest.param(
            {"min_confidence": 1.5}, "min_confidence: expected a number from 0 to 1", id="over 1"
        ),
        pytest.param({"min_confidence": float("nan")}, "min_confidence: expected", id="no number"),
        pytest.param({"min_confidence": True}, "min_confidence: expected", id="true"),
        pytest.param({"since": 1}, "since: expected all 40 digits", id="since"),
        pytest.param({"since": "v1"}, "since: expected all 40 digits", id="a since that moves"),
        pytest.param({"since": "0" * 39}, "since: expected all 40", id="since, cut short"),
        pytest.param({"manual": {}}, "manual: expected a list of tables", id="grants"),
        pytest.param({"manual": [1]}, "expected a table", id="a grant that is no table"),
        pytest.param(
            {"manual": [{"names": ["x"]}]},
            "paths: expected globs from the root",
            id="a grant of nothing",
        ),
        pytest.param(
            {"manual": [{"paths": ["*"], "who": "x"}]},
            "who: unknown key",
            id="unknown key of a grant",
        ),
    ],
)
def test_what_no_policy_says(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_policy(table, "pyproject.toml")
    assert str(refusal.value).startswith("pyproject.toml: ")
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    "identity",
    [
        "Claude <noreply@anthropic.com>",
        "Claude Opus 4 <noreply@anthropic.com>",
        "claude-code <agent@example.org>",
        "claude-code[bot] <1+claude-code[bot]@users.noreply.github.com>",
        "Devin AI <158243242+devin-ai-integration[bot]@users.noreply.github.com>",
        "dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
        "Ada Lovelace (aider) <ada@example.org>",
        "aider (gpt-5) <aider@aider.chat>",
        "Copilot <198982749+Copilot@users.noreply.github.com>",
        "GitHub Copilot <copilot@github.com>",
        "Cursor Agent <cursoragent@cursor.com>",
        "Codex <codex@openai.com>",
        "google-labs-jules[bot] <161369871+google-labs-jules[bot]@users.noreply.github.com>",
        "Jules <jules@example.org>",
        "openhands <openhands@all-hands.dev>",
    ],
)
def test_a_known_agent_is_one(identity: str) -> None:
    assert Policy().is_agent(identity)


@pytest.mark.parametrize(
    "identity",
    [
        "Ada Lovelace <ada@example.org>",
        "Claude Shannon <claude@example.org>",
        "Devin Townsend <devin@example.org>",
        "Jules Verne <jules@example.org>",
        "Bot Man <bot@example.org>",
        "",
    ],
)
def test_a_person_is_none(identity: str) -> None:
    assert not Policy().is_agent(identity)


AGENT = "Claude <noreply@anthropic.com>"
ADA = "Ada <ada@example.org>"


@pytest.mark.parametrize(
    ("identities", "message", "name"),
    [
        pytest.param((AGENT, ADA), None, AGENT, id="author"),
        pytest.param((ADA, AGENT), None, AGENT, id="committer"),
        pytest.param((ADA, ADA), f"Say\n\nCo-authored-by: {AGENT}\n", AGENT, id="co-author"),
        pytest.param(
            (ADA, ADA),
            f"Say\n\nCO-AUTHORED-BY:  {AGENT}  \n\nmore\n",
            AGENT,
            id="wherever and however it is written",
        ),
        pytest.param(
            (ADA, ADA),
            f"Say\n\nCo-authored-by: {ADA}\nCo-Authored-By: {AGENT}\n",
            AGENT,
            id="one of several",
        ),
        pytest.param(
            (ADA, ADA),
            "Say\r\n\r\nCo-authored-by: x <noreply@openai.com>\r\n",
            "x <noreply@openai.com>",
            id="with line ends of DOS",
        ),
        pytest.param((ADA, ADA), f"Say\n\nCo-authored-by :{AGENT}\n", AGENT, id="odd blanks"),
        pytest.param((ADA, ADA), f"Say\n\nThanks to {AGENT}\n", None, id="not in a sentence"),
        pytest.param((ADA, ADA), None, None, id="nobody"),
    ],
)
def test_who_makes_a_commit_governed(
    identities: tuple[str, str], message: str | None, name: str | None
) -> None:
    raw = None if message is None else message.encode()
    assert Policy().governing_name(identities, raw) == name


@pytest.mark.parametrize(
    ("globs", "paths", "is_covered"),
    [
        pytest.param(["docs/*"], ["docs/a.md", "docs/b/c.md"], True, id="everything below"),
        pytest.param(["docs/*"], ["docs/a.md", "src/a.py"], False, id="not what is elsewhere"),
        pytest.param(["docs/*", "*.md"], ["docs/a", "b.md"], True, id="each by some glob"),
        pytest.param(["DOCS/*"], ["docs/a"], False, id="case matters"),
        pytest.param(["*"], [], True, id="nothing is covered by anything"),
    ],
)
def test_a_grant_covers_paths(globs: list[str], paths: list[str], is_covered: bool) -> None:
    assert Grant(tuple(globs)).covers(paths) is is_covered


def value(text: str) -> str | None:
    return policy_value(files(pyproject=text), "pyproject.toml")


GATE = "[tool.hkgit.gate]\nmode = 'warn'\nprotect = ['a']\nmax_seconds = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# a comment\n" + GATE, id="a comment"),
        pytest.param("[project]\nname = 'x'\n" + GATE, id="another table"),
        pytest.param(
            '[tool.hkgit.gate]\nprotect = ["a"]\nmax_seconds = 1\nmode = "warn"\n',
            id="another order",
        ),
        pytest.param(
            "[tool.hkgit]\ngate = {mode = 'warn', protect = ['a'], max_seconds = 1}\n", id="in line"
        ),
    ],
)
def test_a_policy_written_otherwise_has_the_same_value(text: str) -> None:
    assert value(text) == value(GATE)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GATE.replace("warn", "report"), id="another value"),
        pytest.param(GATE.replace("['a']", "['a', 'a']"), id="a longer list"),
        pytest.param(GATE.replace("= 1", "= true"), id="true for 1"),
        pytest.param(GATE.replace("mode", "mood"), id="another key"),
        pytest.param("", id="nothing"),
        pytest.param("[tool", id="no TOML"),
    ],
)
def test_a_policy_that_says_another_thing_has_another_value(text: str) -> None:
    assert value(text) != value(GATE)
