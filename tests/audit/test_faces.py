"""One history with every kind of evidence, and each face that tells of it: all say the same.

Had read is said where a session kept a receipt, gave the hash of where an edit came with one. Weak
is what an agent may have written unseen. A confidence of 1.00 is not worth a word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hkgit.edits import File, Read
from tests.support.commits import AGENT, PERSON, Change, applied, commit
from tests.support.keys import made_key, public
from tests.support.repos import Repo
from tests.support.running import Result, range_hash, run

TEXT = b"".join(b"line %d\n" % number for number in range(1, 13))
NEW = TEXT.replace(b"line 5", b"five")
POLICY = """\
[gate]
allowed_signers = "signers"
verdicts = ["strict", "mixed", "vouched", "ungoverned"]

[[gate.manual]]
paths = ["*.txt"]
principals = ["ada@example.org"]
"""


@dataclass(frozen=True)
class Kind:
    """What every face says of the commit that changes line 5, and of that line."""

    evidence: str | None  # of its edit; None where it has none
    line: str  # on what the line rests
    replay: str
    is_weak: bool
    how: str  # what is said of the lines that it knew


KINDS: Mapping[str, Kind] = {
    "receipt": Kind("receipt", "receipt", "strict", False, "had read lines 4-6"),
    "hash": Kind("hash", "hash", "strict", False, "gave the hash of line 5"),
    "whole": Kind("hash", "hash", "strict", False, "gave the hash of lines 1-12"),
    "quote": Kind("quote", "quote", "strict", True, "quoted line 5; nothing shows that it had"),
    "late": Kind("late", "late", "strict", True, "named lines 4-6 after the change; nothing"),
    "recovered": Kind(
        "recovered", "recovered", "strict", False, "had read lines 4-6, says its transcript"
    ),
    "beside": Kind("hash", "hash", "mixed", True, "gave the hash of line 5"),
    "blind": Kind(None, "no evidence", "no evidence", True, ""),
    "vouched": Kind(None, "vouched", "vouched", True, ""),
    "hand": Kind(None, "by hand", "by hand", False, ""),
}
UNSURE = "unsure"  # and one whose place is found by likeness


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    place = tmp_path_factory.mktemp("faces")
    key, repo = made_key(place / "ada"), Repo.init(place / "repo")
    signers = f"ada@example.org {public(key)}\n"
    files = {f"{kind}.txt": TEXT for kind in (*KINDS, UNSURE)}
    repo.commit({**files, ".hkgit/config.toml": POLICY, "signers": signers}, "Begin")
    repo.git("tag", "start")
    for kind in KINDS:
        land(repo, kind, key)
    repo.git("tag", "sure")
    odd = {"old_text": "line 5 \n", "new_text": "five\n"}
    commit(repo, edited(repo, UNSURE, odd, ("receipt",)))
    return repo


def land(repo: Repo, kind: str, key: Path) -> None:
    """One commit of a kind, on its own file."""
    if kind == "blind":
        commit(repo, Change({"blind.txt": File(NEW)}, author=AGENT, message="blind\n"))
    elif kind == "hand":
        commit(repo, Change({"hand.txt": File(NEW)}, author=PERSON, message="hand\n"))
    elif kind == "vouched":
        repo.write("vouched.txt", NEW)
        repo.git("config", "gpg.format", "ssh")
        voucher = "Hkgit-Vouched-by: Ada Tester <ada@example.org>"
        by = ("--author", AGENT)
        repo.git("commit", "-q", "-a", "-m", kind, "--trailer", voucher, f"-S{key}", *by)
    else:
        hashed = {"beside": (5, 5), "hash": (5, 5), "whole": (1, 12)}.get(kind)
        more = {} if hashed is None else {"expected_hash": range_hash(TEXT, *hashed)}
        reads = {"late": ("late",), "receipt": ("receipt",), "recovered": ("receipt",)}
        change = edited(repo, kind, more, reads.get(kind, ()))
        if kind == "recovered":
            change.entry["claims"]["origin"] = "recovered"
        if kind == "beside":
            change.files["beside.txt"] = File(NEW.replace(b"line 9", b"nine"))
        commit(repo, change)


def edited(repo: Repo, kind: str, more: Mapping[str, str], reads: tuple[str, ...]) -> Change:
    operation = {
        "op": "replace_text",
        "path": f"{kind}.txt",
        "old_text": "line 5\n",
        "new_text": "five\n",
        **more,
    }
    spec = json.dumps({"version": "1", "operations": [operation]})
    known = [Read(f"{kind}.txt", 4, 6, range_hash(TEXT, 4, 6), how) for how in reads]
    change = applied(repo, spec, reads=known)
    change.author, change.message = PERSON, f"{kind}\n"
    change.entry["claims"] = {"agent": f"{kind}/1", "time": 0}
    return change


def ask(repo: Repo, *words: str | Path) -> Result:
    done = run(*words, cwd=repo.path, env={"COLUMNS": "200"})
    assert done.err == "", done.err
    return done


def find_commit(repo: Repo, kind: str) -> str:
    return repo.git("log", "-1", "--format=%H", "--", f"{kind}.txt")


def log_of(repo: Repo, *words: str) -> dict[str, Any]:
    rows = ask(repo, "log", "start..HEAD", "--json", *words).json()
    return {row["subject"]: row for row in rows}


@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
def test_log_show_and_blame_name_the_same_evidence(history: Repo, kind: str) -> None:
    wanted, commit = KINDS[kind], find_commit(history, kind)
    row = log_of(history)[kind]
    assert row["weakest_evidence"] == wanted.evidence
    assert row["replay"] == wanted.replay
    shown = ask(history, "show", commit)
    assert wanted.how in shown.out
    assert ("\n  had read" in shown.out) == wanted.how.startswith("had read")
    [line] = ask(history, "blame", f"{kind}.txt", "-L", "5,5", "--json").json()
    assert line["evidence"] == wanted.line
    assert line["weak"] == (wanted.is_weak and kind != "beside")


def test_weak_is_the_same_on_every_face(history: Repo) -> None:
    weak = {kind for kind, wanted in KINDS.items() if wanted.is_weak}
    assert set(log_of(history, "--weak")) == weak
    query = "select subject from commits where weak"
    assert {row["subject"] for row in rows_of(history, query)} == weak
    by_agents = {row["agent"]: row["weak"] for row in agents_of(history)}
    names = {"blind": "hkgit-agent", "vouched": "hkgit-agent"}
    assert {name for name, count in by_agents.items() if count} == {
        names.get(kind, kind) for kind in weak
    }
    lines = {
        kind: ask(history, "blame", f"{kind}.txt", "--weak", "--json").json() for kind in KINDS
    }
    assert {kind for kind, found in lines.items() if found} == weak
    first = comment_of(history).partition("**Look here first**")[2]
    assert set(re.findall(r"</code> (\S+)", first)) == weak


def agents_of(repo: Repo) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(repo, "stats", "start..HEAD", "--json").json()["by_agent"]
    return found


def comment_of(repo: Repo) -> str:
    return ask(repo, "report", "start..HEAD", "--format", "comment").out


def rows_of(repo: Repo, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(repo, "sql", query, "start..HEAD", "--json").json()["rows"]
    return found


def page_of(repo: Repo, folder: Path, range_: str = "start..HEAD") -> str:
    ask(repo, "report", range_, "--html", folder / "page.html")
    return (folder / "page.html").read_text()


@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_and_the_tables_say_it_too(history: Repo, tmp_path: Path, kind: str) -> None:
    wanted, commit = KINDS[kind], find_commit(history, kind)
    page = page_of(history, tmp_path)
    article = page.partition(f'id="c-{commit[:12]}"')[2].partition("</article>")[0]
    assert f'data-replay="{wanted.replay}"' in article
    assert f"It {wanted.how}" in article if wanted.how else "<li>It " not in article
    query = f"select replay, weakest_evidence as kind from commits where subject = '{kind}'"
    [row] = rows_of(history, query)
    assert row == {"replay": wanted.replay, "kind": wanted.evidence}
    assert wanted.replay in ask(history, "report", "start..HEAD").out


def test_each_kind_is_counted_as_what_it_is(history: Repo) -> None:
    counted = ask(history, "stats", "start..sure", "--json").json()["evidence"]
    assert counted == {"receipt": 1, "hash": 3, "quote": 1, "late": 1, "recovered": 1}
    assert counted == ask(history, "report", "start..sure", "--json").json()["numbers"]["evidence"]
    attributed = map(json.loads, ask(history, "attribution", "start..sure").out.splitlines())
    told = {each["tool"]["name"]: each["metadata"]["io.github.hkgit"] for each in attributed}
    assert {name: [*each["evidence"]] for name, each in told.items()} == {
        kind: [wanted.evidence] for kind, wanted in KINDS.items() if wanted.evidence
    }


def test_a_hash_of_a_whole_file_around_one_line_is_told_as_that(
    history: Repo, tmp_path: Path
) -> None:
    page = page_of(history, tmp_path)
    shares = re.findall(r"gave the hash of (lines? [0-9-]+)\. <span[^>]*>(\d+ of \d+) ch", page)
    assert ("lines 1-12", "1 of 12") in shares
    assert ("line 5", "1 of 1") in shares


@pytest.mark.parametrize(
    "words",
    [
        ("log", "start..{}"),
        ("show", "{}"),
        ("blame", "{}.txt"),
        ("stats", "start..{}"),
        ("report", "start..{}"),
        ("report", "start..{}", "--format", "comment"),
    ],
    ids=" ".join,
)
def test_a_confidence_stands_only_where_it_is_below_one(
    history: Repo, words: tuple[str, ...]
) -> None:
    is_blame = words[0] == "blame"
    sure = ask(history, *(each.format("receipt" if is_blame else "sure") for each in words)).out
    assert not re.search(r"\b1\.00\b|confidence", sure)
    unsure = ask(history, *(each.format(UNSURE if is_blame else "HEAD") for each in words)).out
    assert "0.99" in unsure or "comment" in words, "a comment names the weak commits alone"


def test_a_page_of_sure_edits_has_no_word_of_confidence(history: Repo, tmp_path: Path) -> None:
    assert "onfidence" not in page_of(history, tmp_path, "start..sure")
    assert "0.99" in page_of(history, tmp_path)


def test_answers_for_an_auditor_understate(history: Repo) -> None:
    done = ask(history, "qa", "start..HEAD", "--json")
    facts = {
        (each["name"], fact["commit"]): fact["says"]
        for each in done.json()["points"]
        for fact in each["facts"]
    }
    said = {
        kind: tuple(
            facts.get((name, find_commit(history, kind))) for name in ("procedure", "blind")
        )
        for kind in KINDS
    }
    assert said["receipt"] == said["hash"] == ("yes", "yes")
    assert said["quote"] == ("yes", "no")
    assert said["late"] == said["vouched"] == said["blind"] == ("no", "no")
    assert said["recovered"] == ("unknown", "unknown")
