"""The page as text: what it says of a history, of none, and of one that cannot be read whole."""

import re
import sys
from pathlib import Path

import pytest

from hkgit.audit.page.render import PageFacts, _environment, render_page
from hkgit.edits import File
from hkgit.errors import InvalidInput
from tests.audit.page.conftest import facts_of
from tests.support.commits import Change, applied, commit
from tests.support.hostile import CORPUS, MARK, hostile
from tests.support.markup import Outline
from tests.support.orchard import Orchard
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.specs import search_replace

CODEX = "codex <codex@example.org>"


def begun(repo: Repo) -> Repo:
    repo.commit({"a.txt": "one\ntwo\nthree\n"}, "Begin")
    repo.git("tag", "start")
    return repo


def test_the_weakest_commits_come_first(facts: PageFacts) -> None:
    replays = [each.commit.replay for each in facts.commits]
    assert replays[:2] == ["no evidence", "mixed"]
    assert [each.commit.weakest for each in facts.commits[2:5]] == ["quote", "quote", "receipt"]
    assert [each.commit.agents for each in facts.commits[-3:]] == [(), (), ()]


def test_a_hunk_stands_beside_what_was_read(facts: PageFacts, orchard: Orchard) -> None:
    id_ = orchard.commits["Document net prices"]
    [hunk] = next(each.hunks for each in facts.commits if each.commit.id == id_) or ()
    assert [(seen.start, seen.end, seen.kind) for seen in hunk.seen] == [(10, 24, "receipt")]
    assert [seen.how for seen in hunk.seen] == ["had read lines 10-24"]
    assert (hunk.evidence, hunk.unseen) == ("receipt", 0)
    assert [row.seen for row in hunk.rows] == ["read", "read", None, "read", "read"]
    assert [row.text for row in hunk.rows if row.sign == "+"] == [
        '    """The price without tax."""'
    ]


def test_what_was_only_quoted_was_not_seen(facts: PageFacts, orchard: Orchard) -> None:
    id_ = orchard.commits["Tell the version"]
    [hunk] = next(each.hunks for each in facts.commits if each.commit.id == id_) or ()
    assert hunk.evidence == "quote"
    assert hunk.changed == 1
    assert hunk.unseen == 1
    assert "1 line changed without being read" in render_page(facts)


def test_it_fetches_nothing_and_lets_nothing_run(facts: PageFacts) -> None:
    outline = Outline(render_page(facts))
    sources = [value for name, value in outline.attributes if name in ("src", "data", "srcset")]
    links = {value for name, value in outline.attributes if name == "href"}
    assert (sources, {each for each in links if not (each or "").startswith("#")}) == ([], set())
    assert [
        name for name, _ in outline.attributes if name == "style" or name.startswith("on")
    ] == []
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', render_page(facts))
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy


def test_without_evidence_it_says_what_to_do(repo: Repo) -> None:
    begun(repo).commit({"a.txt": "x\n"}, "By an agent", f"--author={CODEX}")
    page = render_page(facts_of(repo))
    assert "No evidence in this range" in page
    assert "hkgit init --agent claude-code" in page
    assert "No commits in this range" in render_page(facts_of(repo, "HEAD"))


def test_names_and_messages_stay_text(repo: Repo, facts: PageFacts) -> None:
    hostile(repo)
    page = Outline(render_page(facts_of(repo, title=MARK)))
    assert page.tags - Outline(render_page(facts)).tags == set()
    assert [value for name, value in page.attributes if name == "onerror"] == []
    assert CORPUS[2] in page.text
    assert "\u202e" not in page.text
    assert re.search(r"(?<![0-9a-f])49 ", page.text) is None


ODD_FILES = {
    "binary": (b"\0\1\2" * 1000, "binary, 3,000 bytes"),
    "huge": (b"x\n" * 400_000, "not shown: 800,000 bytes"),
    "right to left": ("שלום עולם\n".encode(), "שלום עולם"),
    "no UTF-8": (b"\xff\xfe\xfa\n", "\ufffd\ufffd\ufffd"),
    "one long line": (b"y" * 90_000, "yyy…"),
}


def test_a_file_of_any_kind_is_told_of(repo: Repo) -> None:
    begun(repo)
    files = {name: File(data) for name, (data, _) in ODD_FILES.items()}
    commit(repo, Change({**files}, author=CODEX, message="Add\n"))
    page = render_page(facts_of(repo))
    assert [words for _, words in ODD_FILES.values() if words not in page] == []
    assert len(page) < 120_000


def test_a_ledger_newer_than_the_tool_is_told_of(repo: Repo) -> None:
    begun(repo)
    change = applied(repo, search_replace("one", "uno", "a.txt"))
    change.entry["schema"] = 99
    change.message = "From the future\n"
    commit(repo, change)
    page = render_page(facts_of(repo))
    assert "From the future" in page
    assert re.search(r"pgrade hkgit|schema", page)


def test_without_the_extra_it_says_what_to_install(
    facts: PageFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    _environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(InvalidInput, match=r"pip install 'hkgit\[report\]'"):
        render_page(facts)


def test_the_same_range_gives_the_same_page(orchard: Orchard, facts: PageFacts) -> None:
    assert render_page(facts_of(orchard.repo)) == render_page(facts)


def test_of_a_long_history_the_weakest_commits_have_their_hunks(
    orchard: Orchard, facts: PageFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hkgit.audit.page.render.MOST_ROWS", 60)
    short = facts_of(orchard.repo)
    shown = [each.hunks for each in short.commits if each.hunks is not None]
    assert shown == [each.hunks for each in facts.commits][: len(shown)]
    assert 0 < len(shown) < len(facts.commits)
    page = render_page(short)
    assert page.count('<article class="commit') == len(facts.commits)
    assert page.count('<summary class="row">') == len(shown)
    assert f"The details of the last {short.left_out} commits are left out" in page


def test_a_place_that_cannot_be_written_is_named(orchard: Orchard, tmp_path: Path) -> None:
    done = run("report", "start..HEAD", "--html", str(tmp_path), cwd=orchard.repo.path)
    assert (done.code, str(tmp_path) in done.err) == (4, True)
