"""One history with every kind of evidence, and each face that tells of it: all say the same.

Had read is said where a session kept a receipt, gave the hash of where an edit came with one. Weak
is what an agent may have written unseen. A confidence of 1.00 is not worth a word.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
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


Ask = Callable[..., Result]


@pytest.fixture(scope="module")
def ask(history: Repo) -> Ask:
    """Ask about the history, the same question once."""

    @cache
    def answer(*words: str) -> Result:
        done = run(*words, cwd=history.path, env={"COLUMNS": "200"})
        assert done.err == "", done.err
        return done

    return answer


def find_commit(repo: Repo, kind: str) -> str:
    return repo.git("log", "-1", "--format=%H", "--", f"{kind}.txt")


def log_of(ask: Ask, *words: str) -> dict[str, Any]:
    rows = ask("log", "start..HEAD", "--json", *words).json()
    return {row["subject"]: row for row in rows}


def rows_of(ask: Ask, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask("sql", query, "start..HEAD", "--json").json()["rows"]
    return found


def page_of(ask: Ask, history: Repo, range_: str = "start..HEAD") -> str:
    place = history.path.parent / f"{range_}.html"
    ask("report", range_, "--html", str(place))
    return place.read_text()


@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
def test_show_and_blame_name_the_same_evidence(history: Repo, ask: Ask, kind: str) -> None:
    wanted = KINDS[kind]
    shown = ask("show", find_commit(history, kind))
    assert wanted.how in shown.out
    assert ("vouched for by Ada Tester" in shown.out) == (kind == "vouched")
    assert ("\n  had read" in shown.out) == wanted.how.startswith("had read")
    is_unseen = wanted.line in ("quote", "late", "no evidence", "vouched")
    assert ("\n  1 line changed without being read" in shown.out) == is_unseen
    [line] = ask("blame", f"{kind}.txt", "-L", "5,5", "--json").json()
    assert line["evidence"] == wanted.line
    assert line["weak"] == (wanted.is_weak and kind != "beside")


def test_log_page_report_and_tables_say_it_too(history: Repo, ask: Ask) -> None:
    logged, page = log_of(ask), page_of(ask, history)
    query = "select subject, replay, weakest_evidence, derived from commits"
    rows = {subject: tuple(told) for subject, *told in map(dict.values, rows_of(ask, query))}
    for kind, wanted in KINDS.items():
        told = wanted.replay, wanted.evidence
        assert (logged[kind]["replay"], logged[kind]["weakest_evidence"]) == told, kind
        assert rows[kind] == (*told, wanted.replay == "strict")
        anchor = f'id="c-{find_commit(history, kind)[:12]}"'
        article = page.partition(anchor)[2].partition("</article>")[0]
        assert f'data-replay="{wanted.replay}"' in article
        assert f"It {wanted.how}" in article if wanted.how else "<li>It " not in article
        assert wanted.replay in ask("report", "start..HEAD").out


def test_every_command_gives_one_answer(ask: Ask) -> None:
    def said(each: dict[str, Any]) -> tuple[str, bool]:
        return each["replay"], each["policy"]["passes"]

    listed = {each["commit"]: said(each) for each in log_of(ask).values()}
    assert {commit: said(ask("show", commit, "--json").json()) for commit in listed} == listed
    reported = ask("report", "start..HEAD", "--json").json()
    assert {each["commit"]: said(each) for each in reported["commits"]} == listed
    stats, numbers = ask("stats", "start..HEAD", "--json").json(), reported["numbers"]
    assert (stats["replay"], stats["policy"]) == (numbers["replay"], numbers["policy"])
    assert numbers["policy"]["passes"] == sum(passes for _, passes in listed.values())
    verified = ask("verify", "start..HEAD", "--json").json()["commits"]
    replayed = {commit: replay for commit, (replay, _) in listed.items()}
    assert {each["commit"]: each["replay"] for each in verified} == replayed


def test_weak_is_the_same_on_every_face(ask: Ask) -> None:
    weak = {kind for kind, wanted in KINDS.items() if wanted.is_weak}
    assert set(log_of(ask, "--weak")) == weak
    query = "select subject from commits where weak"
    assert {row["subject"] for row in rows_of(ask, query)} == weak
    by_agent = ask("stats", "start..HEAD", "--json").json()["by_agent"]
    names = {"blind": "hkgit-agent", "vouched": "hkgit-agent"}
    assert {row["agent"] for row in by_agent if row["weak"]} == {
        names.get(kind, kind) for kind in weak
    }
    for kind in ("beside", "quote", "hash", "hand"):
        assert bool(ask("blame", f"{kind}.txt", "--weak", "--json").json()) == (kind in weak)
    comment = ask("report", "start..HEAD", "--format", "comment").out
    assert set(re.findall(r"</code> (\S+)", comment.partition("**Look here first**")[2])) == weak


def test_each_kind_is_counted_as_what_it_is(ask: Ask) -> None:
    counted = ask("stats", "start..sure", "--json").json()["evidence"]
    assert counted == {"receipt": 1, "hash": 3, "quote": 1, "late": 1, "recovered": 1}
    assert counted == ask("report", "start..sure", "--json").json()["numbers"]["evidence"]
    attributed = map(json.loads, ask("attribution", "start..sure").out.splitlines())
    told = {each["tool"]["name"]: each["metadata"]["io.github.hkgit"] for each in attributed}
    assert {name: [*each["evidence"]] for name, each in told.items()} == {
        kind: [wanted.evidence] for kind, wanted in KINDS.items() if wanted.evidence
    }


def test_a_hash_of_a_whole_file_around_one_line_is_told_as_that(history: Repo, ask: Ask) -> None:
    page = page_of(ask, history)
    shares = re.findall(r"gave the hash of (lines? [0-9-]+)\. <span[^>]*>(\d+ of \d+) ch", page)
    assert ("lines 1-12", "1 of 12") in shares
    assert ("line 5", "1 of 1") in shares


@pytest.mark.parametrize(
    "words", ["log start..{}", "show {}", "blame {}.txt", "stats start..{}", "report start..{}"]
)
def test_a_confidence_stands_only_where_it_is_below_one(ask: Ask, words: str) -> None:
    sure, unsure = ("receipt", UNSURE) if words.startswith("blame") else ("sure", "HEAD")
    assert not re.search(r"\b1\.00\b|confidence", ask(*words.format(sure).split()).out)
    assert "0.99" in ask(*words.format(unsure).split()).out


def test_a_page_and_a_comment_of_sure_edits_have_no_word_of_confidence(
    history: Repo, ask: Ask
) -> None:
    assert "onfidence" not in page_of(ask, history, "start..sure")
    unsure = page_of(ask, history)
    assert "0.99 <small>lowest" in unsure
    assert "Lowest confidence" in unsure
    assert "confidence" not in ask("report", "start..sure", "--format", "comment").out


def test_answers_for_an_auditor_understate(history: Repo, ask: Ask) -> None:
    facts = {
        (each["name"], fact["commit"]): fact["says"]
        for each in ask("qa", "start..HEAD", "--json").json()["points"]
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
