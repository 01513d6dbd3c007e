"""What is said of a finding: where it stands in the newest commit, and the section of its rule."""

from pathlib import Path

from hkgit.audit.reports.findings import (
    SourcePlace,
    describe_rule,
    explain_rule,
    find_rule_url,
    read_sections,
)
from hkgit.evidence.verdict import Verdict
from tests.audit.reports.conftest import ODD, History, judged
from tests.support.cases import cases
from tests.support.modules import ROOT, list_rules
from tests.support.repos import Repo
from tests.support.running import run


@cases(
    "name, place, text",
    {
        "lines moved down": ("blind edit", SourcePlace("app.py", 7, 7), b"line five"),
        "a smuggled byte": ("smuggled", SourcePlace("app.py", 20, 20), b"line eighteen"),
        "first line changed": ("blind commit", SourcePlace("notes.md", 3, 3), b"three"),
        "an odd name": ("hostile", SourcePlace(ODD, 1, 1), b"y"),
    },
)
def test_a_finding_stands_on_the_lines_that_it_speaks_of(
    history: History, name: str, place: SourcePlace, text: bytes
) -> None:
    [item] = history.items(name)
    assert item.place == place
    assert place.start_line is not None
    assert history.repo.read(place.path).splitlines()[place.start_line - 1] == text


def test_a_file_that_is_gone_has_no_lines(history: History) -> None:
    assert [item.place for item in history.items("removed")] == [SourcePlace("gone.md")]


def test_fingerprints_survive_that_lines_move_and_tell_findings_apart(history: History) -> None:
    before = judged(history.repo, "start", history.commits["removed"])
    fingerprints = [item.fingerprint for item in history.sheet.items]
    assert [item.fingerprint for item in before.items] == fingerprints
    assert before.items[0].place != history.sheet.items[0].place
    assert len(set(fingerprints)) == len(fingerprints) == 5


def test_fingerprints_survive_a_rebase(history: History, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    history.repo.git("clone", "-q", ".", str(repo.path))
    repo.git("checkout", "-q", "-b", "moved", history.repo.resolve("start"))
    repo.commit({"notes.md": "zero\none\ntwo\n"}, "Move the base")
    repo.git("cherry-pick", history.commits["blind commit"])
    [moved] = judged(repo, "HEAD^").items
    [before] = history.items("blind commit")
    assert moved.fingerprint == before.fingerprint
    assert moved.place == SourcePlace("notes.md", 4, 4)


def test_every_rule_and_verdict_has_a_section() -> None:
    used = list_rules()
    assert {"blind", "bytes", "hash"} <= used
    assert used | {*Verdict, "assisted-by"} == read_sections().keys()


def test_a_section_begins_with_a_sentence_and_has_an_example() -> None:
    parts = {"**Example:**": {"strict", "fail"}, "**Why:**": {*Verdict}, "**Fix:**": {*Verdict}}
    for rule, section in read_sections().items():
        assert describe_rule(rule).endswith("."), rule
        lacking = {part for part in parts if part not in section}
        assert lacking <= {part for part, without in parts.items() if rule in without}, rule


def test_a_rule_is_explained_in_the_terminal() -> None:
    answer = run("help", "blind", cwd=ROOT)
    assert answer.code == 0
    assert answer.out.startswith("blind\n\nAn edit needs evidence")
    assert explain_rule("no such rule") is None
    unknown = run("help", "no-such-rule", cwd=ROOT)
    assert (unknown.code, "blind" in unknown.err) == (64, True)
    both = run("help", "policy", cwd=ROOT).out
    assert both.startswith("Usage: hkgit policy")
    assert "The rule of that name:\n\npolicy\n\n" in both


def test_a_rule_has_an_address_where_the_package_names_its_documentation() -> None:
    urls = ["Source, https://example.org/hkgit", "Documentation, https://docs.example.org/"]
    assert find_rule_url("blind", urls) == "https://docs.example.org/rules/#blind"
    assert find_rule_url("blind", urls[:1]) is None
