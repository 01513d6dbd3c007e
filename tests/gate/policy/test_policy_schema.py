"""The published schema of the policy, held against the code that reads policies."""

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.applying.evidence import KINDS as EVIDENCE
from hkgit.cli.schema import find_schema
from hkgit.errors import InvalidInput
from hkgit.evidence.verdict import Verdict
from hkgit.gate.policy.defaults import ATTEST, BREAK_GLASS, SIGN, TEXT
from hkgit.gate.policy.key_table import KEYS, parse_policy, read_table
from hkgit.matching.place import TABLE as TIERS
from tests.support.cases import cases
from tests.support.properties import examples

SCHEMA = find_schema("policy")
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
STRANGE: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        -1,
        0.5,
        1.0,
        1.5,
        2,
        3601,
        "",
        "x",
        [],
        [1],
        [True],
        [None],
        ["x"],
        ["a", 1],
        {},
        {"x": 1},
        [{}],
        [{"paths": []}],
        [{"paths": ["a"]}],
        [{"refs": ["a"]}],
        {"keys": ["a"]},
    ]
)


def values_of(schema: Any) -> st.SearchStrategy[Any]:
    """Values that a schema allows, and now and then one that it may not."""
    return st.one_of(_valid(schema), _valid(schema), STRANGE)


def _valid(schema: Any) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "array":
            return st.lists(values_of(schema["items"]), max_size=2)
        case "object":
            members = {key: values_of(each) for key, each in schema["properties"].items()}
            return st.fixed_dictionaries({}, optional=members)
        case "number":
            return st.floats(0, 1)
        case "integer":
            return st.integers(0, 5)
        case "boolean":
            return st.booleans()
        case _ if "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True)
        case _:
            return st.text(max_size=3)


def is_read(table: Any) -> bool:
    try:
        read_table(table, "policy")
    except InvalidInput:
        return False
    return True


@pytest.mark.sampled
@pytest.mark.parametrize("key", sorted(SCHEMA["properties"]))
@given(data=st.data())
@examples(20)
def test_what_the_schema_says_of_a_key_is_what_is_read(key: str, data: st.DataObject) -> None:
    table = {key: data.draw(values_of(SCHEMA["properties"][key]))}
    assert is_read(table) is VALIDATOR.is_valid(table)


@cases(
    "table, is_valid",
    {
        "nothing": ({}, True),
        "whole floats": ({"max_seconds": 5.0}, True),
        "an unknown key": ({"mood": "warn"}, False),
        "a list": ([], False),
        "an unknown role": ({"roles": {"king": ["ada"]}}, False),
        "an unknown key inside": ({"manual": [{"paths": ["*"], "who": "x"}]}, False),
    },
)
def test_schema_and_reader_agree_on(table: Any, is_valid: bool) -> None:
    assert VALIDATOR.is_valid(table) == is_valid
    assert is_read(table) == is_valid


def test_what_the_format_lists_is_what_there_is() -> None:
    told = {name: each["items"] for name, each in SCHEMA["properties"].items() if "items" in each}
    assert {*told["verdicts"]["enum"]} == {*Verdict} - {"fail", "unverifiable"}
    assert tuple(told["accept"]["enum"]) == EVIDENCE
    assert {*TIERS} < {*told["tiers"]["enum"]}
    assert tuple(told["reject_text"]["enum"]) == TEXT
    assert {*told["open"]["enum"]} == {name for name, key in KEYS.items() if key.opens}
    assert {*SCHEMA["properties"]} == {*KEYS}
    assert {*SCHEMA["properties"]["roles"]["properties"]} == {BREAK_GLASS, ATTEST, SIGN}


def test_the_policy_that_the_documentation_shows_is_one() -> None:
    page = (Path(__file__).parents[3] / "docs" / "policy.md").read_text("utf-8")
    shown = page.partition("```toml\n")[2].partition("```")[0]
    policy = parse_policy(tomllib.loads(shown)["gate"], "docs/policy.md")
    assert policy.govern == "all"
    assert policy.targets[0].rewrites == "refuse"
