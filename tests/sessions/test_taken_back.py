"""Text that an agent wrote and that is in no commit is in no ledger either."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.evidence.entry import entry_id, entry_path
from hkgit.sessions.waiting_edits import find_awaiting
from tests.sessions.committing import LINES, PROVEN, Work, replacing
from tests.support.cases import cases
from tests.support.commands import AGENT, hkgit, start
from tests.support.commits import TAKES_LATE, applied, commit
from tests.support.entries import written
from tests.support.keys import made_key, public
from tests.support.objects import open_repository
from tests.support.planning import hash_of
from tests.support.repos import Repo
from tests.support.sessions import TextSession
from tests.support.specs import protocol, search_replace

SECRET = "sk-live-4242"
KEY = f"key = '{SECRET}'"


@pytest.fixture
def template(hooked: Repo) -> Repo:
    return hooked


def tells(repo: Repo, word: str = SECRET, rev: str = "HEAD") -> list[str]:
    """The objects of a history, and messages, that hold a word."""
    listed = [line.partition(" ") for line in repo.git("rev-list", "--objects", rev).splitlines()]
    held = repo.objects(name for name, _, _ in listed)
    return [
        path or kind
        for (_, _, path), (kind, data) in zip(listed, held, strict=True)
        if kind != "tree" and word.encode() in data
    ]


def take_late(work: Work) -> None:
    work.repo.commit({".hkgit/config.toml": TAKES_LATE}, "Take what is read afterwards")


def blocks(*edits: tuple[str, str], path: str = "a.py") -> str:
    return "".join(search_replace(*edit, path) for edit in edits)


TAKEN_BACK = blocks(("line 5", KEY), (KEY, "key = os.environ['KEY']"))


def test_a_secret_taken_back_in_the_next_call_is_in_no_commit(work: Work) -> None:
    work.edit("line 5\n", f"{KEY}\n")
    work.edit(f"{KEY}\n", "key = os.environ['KEY']\n")
    work.commit_with_hooks("-a", "-m", "Read the key")
    assert work.verdict() == PROVEN
    assert tells(work.repo) == []
    [entry] = work.entries
    assert entry.claims["squashed"] == {"edits": 2, "agents": ["tester/1"]}
    assert work.repo.status() == []


def cancel_out(work: Work) -> None:
    work.edit("line 5\n", f"line 5\n{KEY}\n")
    work.edit("line 25\n", "twenty-five\n")
    work.edit(f"{KEY}\n", "")


def make_a_file(work: Work) -> None:
    make: dict[str, object] = {"op": "create_file", "path": "c.py", "new_text": f"{KEY}\nx = 1\n"}
    assert work.desk.edit(protocol(make)).ok


def write_a_file_twice(work: Work) -> None:
    make_a_file(work)
    work.edit(f"{KEY}\n", "import os\n", "c.py")


def remove_it_again(work: Work) -> None:
    make_a_file(work)
    work.desk.read("c.py")
    assert work.desk.edit("*** Begin Patch\n*** Delete File: c.py\n*** End Patch\n").ok
    work.edit("line 5\n", "five\n")


def take_back_at_once(work: Work) -> None:
    work.desk.read("a.py")
    assert work.desk.edit(TAKEN_BACK).ok


def rename_between(work: Work) -> None:
    work.edit("line 5\n", f"{KEY}\n")
    work.desk.read("a.py")
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: c.py\n@@\n"
    assert work.desk.edit(f"{patch}-{KEY}\n+key = None\n line 6\n*** End Patch\n").ok


def quote_beside(work: Work) -> None:
    """What one edit keeps is in the quotation of the next."""
    work.edit("line 5\n", f"{KEY}\n")
    work.edit(f"{KEY}\nline 6\n", f"{KEY}\nsix\n")
    work.edit(f"{KEY}\nsix\n", "six\n")


def write_over_one_of_three(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.edit("line 25\n", f"{SECRET}\n")
    work.edit(f"{SECRET}\n", "twenty-five\n")
    work.edit("line 15\n", "fifteen\n")


@cases(
    {
        "calls that cancel out": (cancel_out, PROVEN, [True]),
        "a file written twice": (write_a_file_twice, "strict hash", [True]),
        "a file made and removed again": (remove_it_again, PROVEN, [False]),
        "one spec": (take_back_at_once, PROVEN, [True]),
        "a rename between": (rename_between, PROVEN, [True]),
        "a quotation": (quote_beside, PROVEN, [True]),
        "one line of three": (write_over_one_of_three, PROVEN, [False, False, True]),
    },
)
def test_text_of_between_is_in_no_commit_and_nothing_waits(
    make: Callable[[Work], None], verdict: str, squashed: list[bool], work: Work
) -> None:
    make(work)
    work.repo.git("add", "-A")
    work.commit_with_hooks("-m", "Work")
    assert work.verdict() == verdict
    assert tells(work.repo) == []
    assert sorted("squashed" in each.claims for each in work.entries) == squashed
    assert find_awaiting(open_repository(work.repo), [work.desk.journal]) == []


def test_what_a_person_takes_out_before_the_commit_is_not_told(work: Work) -> None:
    lines = "".join(f"print('step {number}')\n" for number in range(9))
    work.edit("line 5\n", f"import os\n{KEY}\n{lines}")
    work.repo.write("a.py", work.repo.read("a.py").decode().replace(f"{KEY}\n", ""))
    work.commit_with_hooks("-a", "-m", "Print it")
    assert tells(work.repo) == []
    assert work.verdict() == PROVEN


def test_what_two_sessions_wrote_over_one_another_is_squashed_too(work: Work) -> None:
    other = TextSession.open(work.repo.path, "other", agent="second/2")
    work.edit("line 5\n", f"{KEY}\n")
    other.read("a.py")
    assert other.edit(replacing(f"{KEY}\n", "five\n")).ok
    work.commit_with_hooks("-a", "-m", "Write it out")
    assert work.verdict() == PROVEN
    assert tells(work.repo) == []
    [entry] = work.entries
    assert entry.agent == "second/2"
    assert entry.claims["squashed"] == {"edits": 2, "agents": ["tester/1", "second/2"]}
    assert [work.desk.status().uncommitted, other.status().uncommitted] == [0, 0]


def test_a_squash_makes_no_blind_edit_seen(work: Work) -> None:
    """What nobody read before the first edit stays unread, whatever was read of its text."""
    take_late(work)
    assert work.desk.edit(replacing("line 5\n", f"{KEY}\n")).ok
    work.edit(f"{KEY}\n", "key = None\n")
    said = work.commit_with_hooks("-a", "-m", "Set it", code=1)
    [command] = {*re.findall(r"hkgit read :/a.py:5-5 --session task --before (\d+)", said)}
    work.desk.read("a.py", 5, 5, before=command)
    work.commit_with_hooks("-a", "-m", "Set it")
    assert work.verdict() == "strict late"
    assert tells(work.repo) == []


def test_a_resolved_conflict_tells_no_text_between(work: Work) -> None:
    repo = work.repo
    for branch, *words in (("side", "-c", "side"), ("main", "main")):
        repo.git("switch", "-q", *words)
        repo.write("a.py", LINES.replace("line 5\n", f"{branch}\n"))
        repo.git("commit", "-q", "--no-verify", "-a", "-m", branch)
    repo.git("merge", "-q", "side", check=False)
    marked = repo.read("a.py").decode()
    work.edit(marked[marked.index("<<<<<<<") : marked.index("line 6")], f"{SECRET}\n")
    work.edit(f"{SECRET}\n", "both\n")
    work.commit_with_hooks("-a", "-m", "Merge side")
    assert tells(repo) == []
    assert work.verdict().startswith("merge")


# Specs of `hkgit apply`

WHOLE = f"a.py={hash_of(LINES.encode(), 1, LINES.count(chr(10)))}"


def test_a_spec_that_takes_back_what_it_wrote_is_applied_as_its_net_change(work: Work) -> None:
    said = start("hkgit", "apply", "-", cwd=work.repo.path, stdin=TAKEN_BACK, env=AGENT)
    assert said.returncode == 6  # blind it stays
    words = ("apply", "-q", "-", "--expect", WHOLE, "--agent", "claude/1")
    hkgit(work.repo, *words, stdin=TAKEN_BACK + blocks(("line 25", "twenty-five")), env=AGENT)
    assert work.verdict() == "strict hash"
    assert tells(work.repo) == []
    [entry] = work.entries
    assert entry.claims["squashed"] == {"edits": 3, "agents": ["claude/1"]}
    assert "twenty-five" in work.repo.read("a.py").decode()


def test_a_spec_that_says_each_line_once_is_recorded_as_it_is(work: Work) -> None:
    spec = blocks(("line 5", "five"), ("line 25", "twenty-five"))
    hkgit(work.repo, "apply", "-q", "-", "--expect", WHOLE, stdin=spec, env=AGENT)
    [entry] = work.entries
    assert [edit.dialect for edit in entry.edits] == ["search-replace"] * 2
    assert "squashed" not in entry.claims


def test_a_file_made_and_edited_by_one_spec_is_told_as_it_is(work: Work) -> None:
    make = f"c.py\n<<<<<<< SEARCH\n=======\n{KEY}\nx = 1\n>>>>>>> REPLACE\n"
    spec = make + blocks((KEY, "import os"), path="c.py")
    hkgit(work.repo, "apply", "-q", "-", stdin=spec, env=AGENT)
    assert work.verdict() == "strict hash"
    assert tells(work.repo) == []
    assert work.repo.read("c.py") == b"import os\nx = 1\n"


# Entries that come into one commit together


def by_amending(work: Work) -> str:
    work.commit_with_hooks("-a", "-m", "Set the key")
    work.edit(f"{KEY}\n", "key = None\n")
    return work.commit_with_hooks("-a", "--amend", "-m", "Set no key")


def by_a_soft_reset(work: Work) -> str:
    work.commit_with_hooks("-a", "-m", "Set the key")
    work.edit(f"{KEY}\n", "key = None\n")
    work.commit_with_hooks("-a", "-m", "Take it back")
    work.repo.git("reset", "-q", "--soft", "HEAD~2")
    return work.commit_with_hooks("-m", "Set no key")


def by_a_squash(work: Work) -> str:
    work.repo.git("switch", "-q", "-c", "topic")
    work.commit_with_hooks("-a", "-m", "Set the key")
    work.edit(f"{KEY}\n", "key = None\n")
    work.commit_with_hooks("-a", "-m", "Take it back")
    work.repo.git("switch", "-q", "main")
    work.repo.git("merge", "-q", "--squash", "topic")
    return work.commit_with_hooks("-m", "Set no key")


@pytest.mark.parametrize("bring", [by_amending, by_a_soft_reset, by_a_squash])
def test_who_squashes_is_told_of_text_that_entries_keep(
    work: Work, bring: Callable[[Work], str]
) -> None:
    """Entries stay as they are, so what one wrote and the next took back stays: it is told."""
    take_late(work)
    work.edit("line 5\n", f"{KEY}\n")
    said = bring(work)
    assert SECRET not in said
    [told] = re.findall(r"(\S+) keeps 1 line of a.py that neither the commit nor its parent", said)
    assert told in tells(work.repo)
    [command] = re.findall(r"to leave it out(?: once this is committed)?: (.*)", said)
    work.follow(command)
    assert tells(work.repo) == []
    work.expect_clean("strict late")
    assert work.message[0] == "Set no key"


def test_where_neither_late_evidence_nor_a_grant_helps_it_is_made_anew(work: Work) -> None:
    work.edit("line 5\n", f"{KEY}\n")
    said = by_amending(work)
    [command] = re.findall(r"to leave it out: (.*)", said)
    work.follow(command)
    assert tells(work.repo) == []
    work.edit("line 5\n", "key = None\n")
    work.commit_with_hooks("-a", "-m", "Set no key")
    assert tells(work.repo) == []


def test_where_entries_keep_nothing_nobody_is_told(work: Work) -> None:
    """Neither of an edit of a part of a line, nor of a squash."""
    work.edit("e 5\nline", "e five\nthe line")
    assert "keeps" not in work.commit_with_hooks("-a", "-m", "Write five out")
    work.edit("line 25\n", "twenty-five\n")
    assert "keeps" not in work.commit_with_hooks("-a", "--amend", "-m", "Write them out")
    assert work.verdict() == PROVEN
    assert doctor(work.repo, 0) == "no entry keeps text that was removed again\n"


def test_where_no_late_evidence_passes_a_person_vouches_for_what_leaves_the_text_out(
    work: Work, tmp_path: Path
) -> None:
    key = made_key(tmp_path / "key")
    grant = '[[gate.manual]]\nprincipals = ["ann@x.org"]\npaths = ["a.py"]\n'
    policy = f'[gate]\nallowed_signers = "signers"\n{grant}'
    files = {".hkgit/config.toml": policy, "signers": f"ann@x.org {public(key)}\n"}
    work.repo.commit(files, "Let Ann vouch")
    work.repo.git("config", "gpg.format", "ssh")
    work.repo.git("config", "user.signingKey", str(key))
    work.edit("line 5\n", f"{KEY}\n")
    said = by_amending(work)
    [command] = re.findall(r"to leave it out: (.*)", said)
    ann = {f"GIT_COMMITTER_{key}": name for key, name in (("NAME", "Ann"), ("EMAIL", "ann@x.org"))}
    work.follow(command, AGENT | ann)
    assert tells(work.repo) == []
    assert any(line.startswith("Hkgit-Vouched-by: Ann") for line in work.message)


def test_who_pushes_is_told_of_text_that_entries_keep(work: Work, tmp_path: Path) -> None:
    """Of a fixup no hook hears before."""
    server = Repo.init(tmp_path / "server.git", bare=True)
    work.repo.git("remote", "add", "origin", str(server.path))
    work.repo.git("push", "-q", "origin", "main")
    work.edit("line 5\n", f"{KEY}\n")
    work.commit_with_hooks("-a", "-m", "Set no key")
    work.edit(f"{KEY}\n", "key = None\n")
    work.commit_with_hooks("-a", "-m", "fixup! Set no key")
    env = {**AGENT, "GIT_SEQUENCE_EDITOR": "true", "GIT_EDITOR": "true"}
    start("git", "rebase", "-q", "-i", "--autosquash", "HEAD~2", cwd=work.repo.path, env=env)
    done = start("git", "push", "origin", "main", cwd=work.repo.path, env=env)
    assert done.returncode == 0, done.stderr
    [place] = re.findall(rf"{work.repo.head[:12]}: (\S+) keeps 1 line of a.py", done.stderr)
    assert place in tells(work.repo)
    assert "hkgit doctor --history" in done.stderr
    assert SECRET not in done.stderr


def test_who_commits_is_told_of_text_that_no_diff_can_leave_out(work: Work) -> None:
    """What two edits make together is a matter of line ends, which no diff says."""
    work.edit("line 5\n", f"{KEY}\n")
    work.desk.read("a.py")
    assert work.desk.edit(json.dumps({"path": "a.py", "content": LINES.replace("\n", "\r\n")})).ok
    said = work.commit_with_hooks("-a", "-m", "End lines otherwise")
    assert [f"{place} keeps 1 line of a.py" in said for place in tells(work.repo)] == [True]
    assert SECRET not in said


def doctor(repo: Repo, code: int) -> str:
    done = start("hkgit", "doctor", "--history", cwd=repo.path, env=AGENT)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_doctor_finds_what_a_history_keeps_and_says_how_to_leave_it_out(work: Work) -> None:
    take_late(work)
    assert doctor(work.repo, 0) == "no entry keeps text that was removed again\n"
    work.edit("line 5\n", f"{KEY}\n")
    by_amending(work)
    kept = work.repo.head
    work.edit("line 25\n", "twenty-five\n")
    work.commit_with_hooks("-a", "-m", "Write it out")
    said = doctor(work.repo, 7)
    assert SECRET not in said
    assert "keeps 1 line of a.py" in said
    [shown] = {*re.findall(r"git show (\S+)", said)} & {
        f"{kept[:12]}:{place}" for place in tells(work.repo)
    }
    assert SECRET in work.repo.git("show", shown)
    [command] = re.findall(r"(?m)^  (hkgit .*)", said)
    work.follow(command)
    assert doctor(work.repo, 0)
    assert tells(work.repo) == []
    assert [work.verdict("HEAD~1"), work.verdict()] == ["strict late", PROVEN]
    assert work.repo.status() == []


def test_doctor_finds_what_one_entry_says_and_takes_back(work: Work) -> None:
    """As hkgit wrote them once: each edit of a spec with its own words."""
    change = applied(work.repo, TAKEN_BACK)
    made = commit(work.repo, change)
    name = entry_path(entry_id(written(change.entry)))
    assert f"{name} keeps 1 line of a.py" in doctor(work.repo, 7)
    found = json.loads(hkgit(work.repo, "doctor", "--history", "--json", code=7))
    assert found == {
        "status": "stale",
        "kept_text": [{"commit": made, "entry": name, "paths": ["a.py"], "lines": 1}],
    }
