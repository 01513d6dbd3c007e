"""Lines that follow from an entry are said in formats of other tools, and no others."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from hkgit.audit.authorship import (
    Attribution,
    attribute_commit,
    render_log,
    render_records,
    write_note,
)
from hkgit.audit.commits import History
from hkgit.errors import InvalidInput
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from tests.support.commits import applied, commit, edited_thrice, joined
from tests.support.gating import opened
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo
from tests.support.running import range_hash, run
from tests.support.schemas import LINE, STRING, closed

TEXT = b"one\ntwo\nthree\nfour\n"


URI = STRING | {"format": "uri"}
CONTRIBUTOR = closed(
    "type",
    type={"enum": ["human", "ai", "mixed", "unknown"]},
    model_id=STRING | {"maxLength": 250},
)
RANGE = closed(
    "start_line end_line",
    start_line=LINE,
    end_line=LINE,
    content_hash=STRING,
    contributor=CONTRIBUTOR,
)
CONVERSATION = closed(
    "ranges",
    url=URI,
    contributor=CONTRIBUTOR,
    ranges={"type": "array", "items": RANGE},
    related={"type": "array", "items": closed("type url", type=STRING, url=URI)},
)
CONVERSATIONS = {"type": "array", "items": CONVERSATION}
TRACE = closed(
    "version id timestamp files",
    version=STRING | {"pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$"},
    id=STRING | {"format": "uuid"},
    timestamp=STRING | {"format": "date-time"},
    vcs=closed("type revision", type={"enum": ["git", "jj", "hg", "svn"]}, revision=STRING),
    tool=closed("", name=STRING, version=STRING),
    files={
        "type": "array",
        "items": closed("path conversations", path=STRING, conversations=CONVERSATIONS),
    },
    metadata={"type": "object"},
)
"""What section 6.1 of Agent Trace 0.1.0 says of a record, and nothing besides."""


def attribute(repo: Repo, rev: str = "HEAD") -> Attribution:
    commit = repo.resolve(rev)
    return attribute_commit(History(opened(repo), CommitRange(None, commit), Policy()), commit)


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A commit that makes two lines of one, in a file with a blank in its name."""
    repo = Repo.init(tmp_path_factory.mktemp("edited") / "repo")
    repo.commit({"a b.txt": TEXT}, "Begin")
    first = applied(repo, protocol(replace_range("a b.txt", TEXT, 2, 2, "2a\n2b")))
    commit(repo, first)
    return repo


def test_what_does_not_follow_from_an_entry_is_not_claimed(repo: Repo) -> None:
    repo.commit({"a.txt": TEXT}, "Begin")
    assert attribute(repo).lines == ()
    change = applied(repo, protocol(replace_range("a.txt", TEXT, 2, 2, "2a")))
    change.entries[0]["files"][0]["hunks"][0]["new_text"] = "something else\n"
    commit(repo, change)
    assert attribute(repo).commit.replay == "fail"
    assert attribute(repo).lines == ()


def test_an_agent_trace_record_is_one_and_the_same_every_time(edited: Repo) -> None:
    [lines] = attribute(edited).lines
    [(name, entry)] = attribute(edited).commit.ruling.judged.entries
    assert (lines.path, lines.start, lines.end) == ("a b.txt", 2, 3)
    assert (lines.entry, lines.agent) == (name, entry.agent)
    [record] = render_records(attribute(edited))
    assert [record] == [*render_records(attribute(edited))]
    Draft202012Validator(TRACE, format_checker=FormatChecker()).validate(record)
    assert record["vcs"] == {"type": "git", "revision": edited.head}
    [file] = record["files"]
    [conversation] = file["conversations"]
    [shown] = conversation["ranges"]
    assert (file["path"], shown["start_line"], shown["end_line"]) == ("a b.txt", 2, 3)
    assert shown["content_hash"] == f"sha256:{range_hash(edited.read('a b.txt'), 2, 3)}"
    vendor = record["metadata"]["io.github.hkgit"]
    assert vendor["derive"] == f"hkgit show {edited.head} --json"
    said = run(*vendor["derive"].split()[1:], cwd=edited.path).json()
    assert said["replay"] == vendor["replay"] == "strict"


def parse_log(text: str) -> tuple[dict[str, list[tuple[str, str]]], dict[str, Any]]:
    """A log of git-ai as its migration guide says to read it."""
    attested, _, metadata = text.partition("\n---\n")
    files: dict[str, list[tuple[str, str]]] = {}
    path = ""
    for line in attested.splitlines():
        if line.startswith("  "):
            name, _, ranges = line.strip().partition(" ")
            files[path].append((name, ranges))
        else:
            path = line.strip('"')
            files[path] = []
    return files, json.loads(metadata)


def test_a_log_of_git_ai_resolves_each_line_to_its_agent(edited: Repo) -> None:
    files, metadata = parse_log(render_log(attribute(edited)))
    [(name, ranges)] = files["a b.txt"]
    assert ranges == "2-3"
    session = metadata["sessions"][name.partition("::")[0]]
    [(_, entry)] = attribute(edited).commit.ruling.judged.entries
    assert session["agent_id"]["id"] == entry.agent
    assert metadata["schema_version"] == "authorship/3.0.0"
    assert metadata["base_commit_sha"] == edited.head
    assert metadata["hkgit"]["derive"] == f"hkgit show {edited.head} --json"


def test_notes_are_written_once_and_others_notes_stay(repo: Repo) -> None:
    edited_thrice(repo)
    repo.git("notes", "--ref=ai", "add", "-m", "by git-ai itself", "HEAD")
    said = run("attribution", "HEAD~3..HEAD", "--format", "git-ai", "--notes", cwd=repo.path)
    assert said.out == "2 notes written, 1 already there\n"
    assert repo.git("notes", "--ref=ai", "show", "HEAD") == "by git-ai itself"
    files, _ = parse_log(repo.git("notes", "--ref=ai", "show", "HEAD~1"))
    assert [ranges for _, ranges in files["a.txt"]] == ["3"]


def test_a_path_that_git_ai_cannot_name_is_refused(repo: Repo) -> None:
    repo.commit({'a".txt': TEXT}, "Begin")
    commit(repo, applied(repo, protocol(replace_range('a".txt', TEXT, 2, 2, "2a"))))
    with pytest.raises(InvalidInput, match="cannot be named"):
        write_note(opened(repo), attribute(repo))


def test_two_entries_of_a_commit_are_told_apart(repo: Repo) -> None:
    repo.commit({"a.txt": TEXT, "b.txt": TEXT}, "Begin")
    both = [
        applied(repo, protocol(replace_range(name, TEXT, 2, 2, "2a")))
        for name in ("a.txt", "b.txt")
    ]
    commit(repo, joined(*both))
    lines = attribute(repo).lines
    assert [each.path for each in lines] == ["a.txt", "b.txt"]
    assert len({each.entry for each in lines}) == 2


def test_the_command_prints_a_record_a_line_and_trailers(edited: Repo) -> None:
    printed = run("attribution", cwd=edited.path)
    Draft202012Validator(TRACE).validate(json.loads(printed.out))
    trailers = run("attribution", "--format", "assisted-by", cwd=edited.path)
    [(_, entry)] = attribute(edited).commit.ruling.judged.entries
    assert trailers.out == f"Assisted-by: {entry.agent}\n"
    assert run("attribution", "--notes", cwd=edited.path).code == 64
    assert run("attribution", "HEAD..HEAD", "--json", cwd=edited.path).json() == []
