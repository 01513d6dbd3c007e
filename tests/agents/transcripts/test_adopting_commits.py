"""`hkgit adopt` on commits: records beside the history, policies; and `redo`."""

from pathlib import Path

from jsonschema import Draft202012Validator

from hkgit.cli.schema import find_schema
from tests.support.adopting import APP, NEW, adopt, commit, mend
from tests.support.cases import cases
from tests.support.commands import AGENT
from tests.support.commits import TAKES_LATE
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.transcripts import ClaudeLog


def test_commits_get_records_beside_the_history(hooked: Repo, log: ClaudeLog) -> None:
    mend(hooked, log)
    hooked.git("commit", "-qa", "--no-verify", "-m", "First", env=AGENT)
    log.edit("app.py", "sys.argv[1]", "sys.argv[2]")
    hooked.write("app.py", NEW.replace("[1]", "[2]").encode())
    hooked.git("commit", "-qa", "--no-verify", "-m", "Second", env=AGENT)
    head = hooked.head
    answer = adopt(hooked, log, "HEAD~2..HEAD")
    records = [change["record"] for change in answer["changes"]]
    assert records[1] == f"refs/hkgit/recovered/{head}"
    assert hooked.head == head
    judged = run("gate", "--range", "HEAD~2..HEAD", "--format", "json", cwd=hooked.path)
    assert [each["replay"] for each in judged.json()["commits"]] == ["recovered", "recovered"]
    assert judged.code == 6
    hooked.write("p.toml", b'[gate]\nverdicts = ["recovered"]\n')
    accepting = ("gate", "--range", "HEAD~2..HEAD", "--policy", "p.toml")
    assert run(*accepting, cwd=hooked.path).code == 0


def test_a_range_without_commits_has_nothing_to_explain(hooked: Repo, log: ClaudeLog) -> None:
    log.read("app.py", APP)
    assert adopt(hooked, log, "HEAD..HEAD")["changes"] == []


@cases(
    "policy, code",
    {
        "refused": ("accept = []", 6),
        "below a floor": ("min_tightness = 0.5", 6),
        "above it": ("min_tightness = 0.1", 0),
    },
)
def test_a_policy_may_refuse_recovered_entries_or_ask_more_of_them(
    hooked: Repo, log: ClaudeLog, policy: str, code: int
) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "print('Helo, ' + name)", "print('Hello, ' + name)")
    log.edit("app.py", "import sys\n\n\ndef greet(name):", "import sys\n\n\ndef greet(who):")
    hooked.write("app.py", NEW.replace("greet(name)", "greet(who)").encode())
    adopt(hooked, log)
    commit(hooked)
    hooked.write("p.toml", f"[[gate.paths]]\npaths = ['*']\nrecovered = true\n{policy}\n".encode())
    judged = run("gate", "--range", "HEAD~1..HEAD", "--policy", "p.toml", cwd=hooked.path)
    assert judged.code == code, judged.out


def test_redo_takes_what_commit_all_would(hooked: Repo) -> None:
    hooked.commit({".hkgit/config.toml": TAKES_LATE}, "Take what is read afterwards")
    hooked.write("app.py", NEW.encode())
    assert run("redo", "-m", "Say hello", cwd=hooked.path, env=AGENT).code == 0
    assert hooked.git("status", "--porcelain") == ""


def test_redo_of_nothing_says_so(hooked: Repo) -> None:
    assert run("redo", cwd=hooked.path).code == 4


def test_a_dry_run_says_which_commits_could_have_evidence_and_writes_nothing(
    hooked: Repo, log: ClaudeLog
) -> None:
    mend(hooked, log)
    hooked.git("commit", "-qa", "--no-verify", "-m", "Greet", env=AGENT)
    hooked.write("notes/plan.md", b"# Plan\n")
    hooked.git("commit", "-qa", "--no-verify", "-m", "Plan", env=AGENT)
    place = log.save(hooked.path.parent / "log.jsonl")
    before = hooked.git("for-each-ref")
    found = run("adopt", "--dry-run", "HEAD~2..HEAD", "--from", place, cwd=hooked.path)
    assert found.code == 6, found.err
    assert "1 of 1 changed line explained\n1 entry would be made" in found.out
    assert "notes/plan.md:1  not explained" in found.out
    assert hooked.git("for-each-ref") == before


def test_one_commit_is_made_again_with_what_its_agents_log_has(
    hooked: Repo, log: ClaudeLog, tmp_path: Path
) -> None:
    """Under the default policy: what was read before the edit is no late evidence."""
    mend(hooked, log)
    hooked.git("commit", "-qa", "--no-verify", "-m", "First", env=AGENT)
    made = hooked.head
    hooked.commit({"later.txt": b"later\n"}, "Later")
    who = "--format=%an <%ae> %ad %cn <%ce> %cd %s"
    before = [hooked.git("log", "-1", who, each) for each in ("HEAD^", "HEAD")]
    home = {"HOME": str(tmp_path / "home")}
    slug = "".join(c if c.isalnum() else "-" for c in str(hooked.path))
    log.save(tmp_path / "home/.claude/projects" / slug / "5945-5d2e.jsonl")
    judged = run("gate", "--range", "HEAD~2..HEAD", cwd=hooked.path, env=home)
    command = judged.out.partition("fix: hkgit ")[2].split("\n")[0]
    assert command == f"adopt {made[:12]}"

    done = run(*command.split(), "--json", cwd=hooked.path, env=home).json()
    Draft202012Validator(find_schema("redo")).validate(done)
    assert run(*command.split(), cwd=hooked.path, env=home).code == 0

    assert [hooked.git("log", "-1", who, each) for each in ("HEAD^", "HEAD")] == before
    assert run("gate", "--range", "HEAD~2..HEAD", cwd=hooked.path).code == 0
    [entry] = run("show", "HEAD^", "--json", cwd=hooked.path).json()["ledger"]
    assert entry["claims"]["origin"] == "recovered"
    assert entry["edits"][0]["evidence"] == "receipt"
    assert hooked.status() == []


def test_what_no_call_explains_of_a_commit_is_not_made_up(hooked: Repo, log: ClaudeLog) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode() + b"# and more\n")
    hooked.git("commit", "-qa", "--no-verify", "-m", "First", env=AGENT)
    made = hooked.head
    refused = run("adopt", made, "--from", log.save(hooked.path.parent / "l"), cwd=hooked.path)
    assert (refused.code, "its evidence is late" in refused.err) == (6, True)
    assert hooked.head == made
