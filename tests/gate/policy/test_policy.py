"""The policy: where it is read, what it may say, who it speaks of (contract, section 10)."""

from typing import Any

import pytest

from hkgit.edits import File, MappingSnapshot
from hkgit.errors import InvalidInput
from hkgit.gate.policy.defaults import ACCEPTED, KNOWN_AGENTS
from hkgit.gate.policy.key_table import parse_policy
from hkgit.gate.policy.model import BUILT_IN, Floors, Grant, Policy
from hkgit.gate.trusted_policy import policy_value, read_policy
from tests.support.cases import cases


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
    assert (policy.mode, policy.govern, policy.manual) == ("enforce", "agents", ())
    assert policy.accept == ("hash", "receipt")
    assert policy.verdicts == (
        *("strict", "reanchored", "merge", "revert", "prune"),
        *("empty", "manual", "ungoverned", "attested", "vouched"),
    )


@cases(
    "tree, source",
    {
        "pyproject.toml": (files(pyproject="[tool.hkgit.gate]\nmode = 'warn'\n"), "pyproject.toml"),
        "its own": (files(config="[gate]\nmode = 'warn'\n"), ".hkgit/config.toml"),
        "beside a pyproject.toml without one": (
            files(config="[gate]\nmode = 'warn'\n", pyproject="[tool.hkgit]\n"),
            ".hkgit/config.toml",
        ),
        "beside a config.toml without one": (
            files(config="# none\n", pyproject="tool.hkgit.gate.mode = 'warn'\n"),
            "pyproject.toml",
        ),
    },
)
def test_the_policy_stands_in_either_place(tree: MappingSnapshot, source: str) -> None:
    policy = read_policy(tree)
    assert policy.mode == "warn"
    assert policy.source == source


@cases(
    "tree, said",
    {
        "both places": (
            files(config="[gate]\n", pyproject="[tool.hkgit.gate]\n"),
            "is in .hkgit/config.toml and pyproject.toml\nKeep one",
        ),
        "no TOML": (files(pyproject="[tool"), "pyproject.toml: is not TOML"),
        "another table": (
            files(config="[gates]\nmode = 'warn'\n"),
            ".hkgit/config.toml: gates: is outside of [gate]",
        ),
        "a key above the table": (
            files(config="govern = 'all'\n[gate]\n"),
            ".hkgit/config.toml: govern: is outside of [gate]",
        ),
        "no table": (files(config="gate = 1\n"), ".hkgit/config.toml: expected a table, found 1"),
    },
)
def test_a_policy_that_cannot_be_read_is_invalid(tree: MappingSnapshot, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_policy(tree)
    assert said in str(refusal.value)


def test_what_a_policy_says() -> None:
    table: dict[str, Any] = {
        "mode": "report",
        "govern": "all",
        "agents": ["my-*"],
        "accept": ["hash", "quote"],
        "verdicts": [*ACCEPTED, "mixed"],
        "tiers": [],
        "min_confidence": 0.95,
        "min_tightness": 1,
        "since": "0" * 40,
        "manual": [{"paths": ["docs/*"], "names": ["Ada *"], "keys": ["ssh-x y"]}],
        "paths": [{"paths": ["src/*"], "min_confidence": 1.0}],
        "max_seconds": 5.0,
        "attest": {},
    }
    assert parse_policy(table, BUILT_IN) == Policy(
        mode="report",
        govern="all",
        agents=(*KNOWN_AGENTS, "my-*"),
        accept=("hash", "quote"),
        verdicts=(*ACCEPTED, "mixed"),
        tiers=(),
        min_confidence=950,
        min_tightness=1000,
        since="0" * 40,
        manual=(Grant(("docs/*",), ("Ada *",), ("ssh-x y",)),),
        paths=(Floors(("src/*",), min_confidence=1000),),
        max_seconds=5,
    )


@cases(
    "table, said",
    {
        "unknown key": ({"mood": "warn"}, "mood: unknown key\nKnown keys: mode"),
        "unknown mode": (
            {"mode": "off"},
            "mode: expected one of report, warn, enforce, found 'off'\nhkgit schema policy prints",
        ),
        "no list": ({"agents": "x"}, "agents: expected a list, each item a string, found 'x'"),
        "no strings": ({"agents": ["x", 1]}, "agents[1]: expected a string"),
        "unknown evidence": ({"accept": ["trust"]}, "accept[0]: expected one of hash, receipt"),
        "fail": ({"verdicts": ["fail"]}, "verdicts[0]: expected one of strict"),
        "over 1": ({"min_confidence": 1.5}, "min_confidence: expected a number from 0 to 1"),
        "no number": ({"min_confidence": float("nan")}, "min_confidence: expected a number"),
        "true": ({"max_seconds": True}, "max_seconds: expected an integer from 1 to 3600"),
        "a since that moves": ({"since": "v1"}, "since: expected a full commit id, found 'v1'"),
        "since, cut short": ({"since": "0" * 39}, "since: expected a full commit id"),
        "a grant that is no table": ({"manual": [1]}, "manual[0]: expected a table"),
        "a grant of nothing": ({"manual": [{"names": ["x"]}]}, 'manual[0]: missing key "paths"'),
        "of no paths": (
            {"manual": [{"paths": []}]},
            "a list that is not empty, each item a glob from the root",
        ),
        "unknown key of a grant": (
            {"manual": [{"paths": ["*"], "who": "x"}]},
            "manual[0]: who: unknown key\nKnown keys: paths, names",
        ),
    },
)
def test_what_no_policy_says(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_policy(table, "pyproject.toml")
    assert str(refusal.value).startswith("pyproject.toml: ")
    assert said in str(refusal.value)


AGENTS = (
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
)
PEOPLE = (
    "Ada Lovelace <ada@example.org>",
    "Claude Shannon <claude@example.org>",
    "Devin Townsend <devin@example.org>",
    "Jules Verne <jules@example.org>",
    "Bot Man <bot@example.org>",
    "",
)


def test_a_known_agent_is_one_and_a_person_is_none() -> None:
    assert [each for each in AGENTS if not Policy().is_agent(each)] == []
    assert [each for each in PEOPLE if Policy().is_agent(each)] == []


AGENT = "Claude <noreply@anthropic.com>"
ADA = "Ada <ada@example.org>"


@cases(
    "identities, message, name",
    {
        "author": ((AGENT, ADA), None, AGENT),
        "committer": ((ADA, AGENT), None, AGENT),
        "co-author": ((ADA, ADA), f"Say\n\nCo-authored-by: {AGENT}\n", AGENT),
        "wherever and however it is written": (
            (ADA, ADA),
            f"Say\n\nCO-AUTHORED-BY:  {AGENT}  \n\nmore\n",
            AGENT,
        ),
        "one of several": (
            (ADA, ADA),
            f"Say\n\nCo-authored-by: {ADA}\nCo-Authored-By: {AGENT}\n",
            AGENT,
        ),
        "with line ends of DOS": (
            (ADA, ADA),
            "Say\r\n\r\nCo-authored-by: x <noreply@openai.com>\r\n",
            "x <noreply@openai.com>",
        ),
        "odd blanks": ((ADA, ADA), f"Say\n\nCo-authored-by :{AGENT}\n", AGENT),
        "not in a sentence": ((ADA, ADA), f"Say\n\nThanks to {AGENT}\n", None),
        "nobody": ((ADA, ADA), None, None),
    },
)
def test_who_makes_a_commit_governed(
    identities: tuple[str, str], message: str | None, name: str | None
) -> None:
    raw = None if message is None else message.encode()
    assert Policy().governing_name(identities, raw) == name


@cases(
    "globs, paths, is_covered",
    {
        "everything below": (["docs/*"], ["docs/a.md", "docs/b/c.md"], True),
        "not what is elsewhere": (["docs/*"], ["docs/a.md", "src/a.py"], False),
        "each by some glob": (["docs/*", "*.md"], ["docs/a", "b.md"], True),
        "case matters": (["DOCS/*"], ["docs/a"], False),
        "nothing is covered by anything": (["*"], [], True),
    },
)
def test_a_grant_covers_paths(globs: list[str], paths: list[str], is_covered: bool) -> None:
    assert Grant(tuple(globs)).covers(paths) is is_covered


def value(text: str) -> str | None:
    return policy_value("pyproject.toml", files(pyproject=text))


GATE = "[tool.hkgit.gate]\nmode = 'warn'\nprotect = ['a']\nmax_seconds = 1\n"


@cases(
    "text, is_same",
    {
        "a comment": ("# a comment\n" + GATE, True),
        "another table": ("[project]\nname = 'x'\n" + GATE, True),
        "another order": (
            '[tool.hkgit.gate]\nprotect = ["a"]\nmax_seconds = 1\nmode = "warn"\n',
            True,
        ),
        "in line": (
            "[tool.hkgit]\ngate = {mode = 'warn', protect = ['a'], max_seconds = 1}\n",
            True,
        ),
        "another value": (GATE.replace("warn", "report"), False),
        "a longer list": (GATE.replace("['a']", "['a', 'a']"), False),
        "true for 1": (GATE.replace("= 1", "= true"), False),
        "another key": (GATE.replace("mode", "mood"), False),
        "nothing": ("", False),
        "no TOML": ("[tool", False),
    },
)
def test_a_policy_that_says_another_thing_has_another_value(text: str, is_same: bool) -> None:
    assert (value(text) == value(GATE)) is is_same
