"""`hkgit refusals`: what was refused, which try it was, and the entry that carries it."""

from hkgit.agents.servers.connection import Connection
from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import SOURCE, first_line

WRONG = f"{SOURCE}\n<<<<<<< SEARCH\nthis is nowhere\n=======\nx\n>>>>>>> REPLACE\n"


def told(bench: Bench, *options: str) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = bench.run("refusals", "--json", *options).json()["refusals"]
    return listed


def test_what_apply_refused_is_listed_until_it_lands_and_then_claimed(bench: Bench) -> None:
    for _ in range(2):
        assert bench.apply(WRONG, "--agent", "codex/1").code == 1
    assert [(each["agent"], each["call"], each["path"], each["tries"]) for each in told(bench)] == [
        ("codex/1", "apply", SOURCE, 2),
        ("codex/1", "apply", SOURCE, 1),
    ]
    assert bench.apply(first_line(bench, "x"), "--agent", "codex/1").code == 0
    assert {each["landed"] for each in told(bench)} == {bench.repo.head}
    assert told(bench, "--open") == []
    assert [each["tries"] for each in bench.entry["claims"]["refusals"]] == [1, 2]
    assert bench.run("verify", "HEAD~1..HEAD").code == 0


def test_an_agent_is_one_whatever_its_case(bench: Bench) -> None:
    assert bench.apply(WRONG, "--agent", "Codex/1").code == 1
    assert len(told(bench, "--agent", "codex")) == 1
    assert bench.apply(first_line(bench, "x"), "--agent", "codex/1").code == 0
    assert [each["landed"] for each in told(bench)] == [bench.repo.head]


def test_another_edit_and_another_agent_claim_no_refusal(bench: Bench) -> None:
    assert bench.apply(WRONG, "--agent", "codex/1").code == 1
    assert bench.apply(first_line(bench, "other"), "--agent", "codex/1").code == 0
    assert bench.apply(first_line(bench, "x"), "--agent", "claude/1").code == 0
    assert [each["landed"] for each in told(bench)] == [None]
    assert len(told(bench, "--agent", "codex")) == 1
    assert told(bench, "--agent", "claude*") == []


def test_what_edit_refused_is_kept_too(bench: Bench) -> None:
    spec = bench.write(WRONG)
    assert bench.run("edit", "--session", "s", "--agent", "codex/1", str(spec)).code == 1
    assert bench.run("edit", str(spec)).code == 1
    assert [each["call"] for each in told(bench)] == ["edit", "edit"]


def test_a_spec_that_cannot_be_read_is_kept_and_claimed_by_no_other(bench: Bench) -> None:
    agent = ("--agent", "codex/1")
    cut = bench.write(WRONG.partition("=======")[0])
    assert bench.run("apply", *agent, str(cut)).code == 4
    assert bench.run("edit", *agent, "--session", "s", str(cut)).code == 4
    reply = Connection(bench.repo.path, None).answer("edit", {"text": "no edit at all"})
    assert reply.is_error
    mine = told(bench, "--agent", "codex")
    assert [(each["call"], each["path"], each["tries"]) for each in mine] == [
        ("edit", "", 2),
        ("apply", "", 1),
    ]
    assert {each["status"] for each in told(bench)} == {"invalid"}
    assert bench.apply(first_line(bench, "one"), *agent).code == 0
    assert "refusals" not in bench.entry["claims"]
    assert {each["landed"] for each in told(bench)} == {None}


def test_a_file_that_is_not_there_is_nobodys_spec(bench: Bench) -> None:
    assert bench.run("apply", "nowhere.md").code == 4
    assert bench.run("apply", "--dry-run", str(bench.write("no edit at all"))).code == 4
    assert told(bench) == []


def test_a_dry_run_and_an_edit_that_lands_leave_no_record(bench: Bench) -> None:
    assert bench.apply(WRONG, "--dry-run").code == 1
    assert bench.apply(first_line(bench, "one")).code == 0
    assert told(bench) == []
    assert "nothing was refused" in bench.run("refusals").out
    assert "refusals" not in bench.entry["claims"]


@cases(
    {
        "not JSON": b"\xff\xfe no json\n",
        "not a record": b'{"id": "x"}\n[]\n7\n{"landed": 1}\n',
        "of other types": b'{"id":"a","time":"soon","agent":[],"call":1}\n',
    },
)
def test_a_record_that_cannot_be_read_is_left_out(record: bytes, bench: Bench) -> None:
    place = bench.repo.path / ".git/hkgit/refusals.jsonl"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(record)
    assert told(bench) == []
    assert bench.apply(WRONG).code == 1
    assert len(told(bench)) == 1


def test_rows_fit_the_terminal_and_drive_nothing(bench: Bench) -> None:
    assert bench.apply(WRONG, "--agent", "codex/1").code == 1
    rows = bench.run("refusals", env={"COLUMNS": "80"}).out.splitlines()
    assert max(map(len, rows)) <= 80
    assert "\x1b[" in bench.run("refusals", "--color", "always").out
    assert "\x1b[" not in bench.run("refusals", env={"NO_COLOR": "1"}).out
