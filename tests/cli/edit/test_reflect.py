"""`apply --reflect`: a command corrects what was refused, and only then anything lands."""

import json
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run

GOOD = {"file": "a.py", "old_text": "x = 1", "new_text": "x = 10"}
LOST = {"file": "a.py", "old_text": "nothing of this is there", "new_text": "y = 20"}
MENDED = {"file": "a.py", "old_text": "y = 2", "new_text": "y = 20"}


@pytest.fixture
def based(repo: Repo) -> Repo:
    repo.commit({"a.py": "x = 1\ny = 2\n"})
    return repo


def answering(tmp_path: Path, *answers: object) -> str:
    """A command that keeps what it is asked in `asked-N` and gives one answer after the other."""
    for number, answer in enumerate(answers):
        text = answer if isinstance(answer, str) else json.dumps(answer)
        (tmp_path / f"answer-{number}").write_text(text)
    script = tmp_path / "model.sh"
    script.write_text(
        f'cd "{tmp_path}"; n=$(ls asked-* 2>/dev/null | wc -l | tr -d " ")\n'
        'cat > "asked-$n"; cat "answer-$n"\n'
    )
    return f'sh "{script}"'


def apply(repo: Repo, spec: object, model: str, *options: str) -> tuple[int, str]:
    text = spec if isinstance(spec, str) else json.dumps(spec)
    done = run("apply", "--reflect", model, *options, cwd=repo.path, stdin=text.encode())
    return done.code, done.err


def test_only_the_refused_edit_is_sent_again_and_what_lands_replays(
    based: Repo, tmp_path: Path
) -> None:
    model = answering(tmp_path, MENDED)
    assert apply(based, {"edits": [GOOD, LOST]}, model)[0] == 0
    assert based.read("a.py") == b"x = 10\ny = 20\n"
    assert "edit 2: a.py" in (tmp_path / "asked-0").read_text()
    assert run("verify", "HEAD~1..HEAD", cwd=based.path).code == 0


def test_what_cannot_be_read_is_sent_back_and_after_three_tries_nothing_lands(
    based: Repo, tmp_path: Path
) -> None:
    head = based.head
    assert apply(based, "Here you are.", answering(tmp_path, "Sorry.", LOST, LOST))[0] == 1
    assert "unknown dialect" in (tmp_path / "asked-0").read_text()
    assert based.head == head
    assert len(list(tmp_path.glob("asked-*"))) == 3


def test_a_command_that_fails_is_named(based: Repo) -> None:
    code, err = apply(based, LOST, "exit 9")
    assert (code, "exited with 9" in err) == (4, True)


@cases(
    {
        "on top": {"file": "a.py", "old_text": "x = 10", "new_text": "x = 11"},
        "in place": {"file": "a.py", "old_text": "x = 1", "new_text": "x = 11"},
    },
)
def test_a_failed_verification_goes_to_the_command(
    answer: dict[str, str], based: Repo, tmp_path: Path
) -> None:
    model = answering(tmp_path, answer)
    check = ("--verify", "grep 'x = 11' a.py || { seq 9999; echo x is $(head -1 a.py); exit 1; }")
    code, err = apply(based, GOOD, model, *check)
    assert code == 0, err
    assert based.read("a.py") == b"x = 11\ny = 2\n", err
    asked = (tmp_path / "asked-0").read_text()
    assert "exited with 1" in asked
    assert asked.find("\nx is x = 10\n") in range(20_000), "the end of what it printed"
    assert "\n1\n2\n" in err, "whoever looks on sees all of it"
    assert run("verify", "HEAD~1..HEAD", cwd=based.path).code == 0


def test_what_answers_a_failed_verification_must_apply_as_well(based: Repo, tmp_path: Path) -> None:
    model = answering(tmp_path, LOST, LOST, LOST, LOST)
    before = based.head
    code, err = apply(based, GOOD, model, "--verify", "false")
    assert (code, based.head) == (1, before), err
    assert "edit 1: a.py: the old text" in err


def test_behind_a_corrected_spec_the_next_ones_land_too(based: Repo, tmp_path: Path) -> None:
    head, files = based.head, [tmp_path / "first.json", tmp_path / "second.json"]
    for file, spec in zip(files, (LOST, GOOD), strict=True):
        file.write_text(json.dumps(spec))
    model = answering(tmp_path, MENDED)
    done = run("apply", *map(str, files), "--allow-blind", "--reflect", model, cwd=based.path)
    assert done.code == 0, done.err
    assert based.git("rev-list", "--count", f"{head}..HEAD").strip() == "2"
    assert based.read("a.py") == b"x = 10\ny = 20\n"


@cases(
    {
        "a base that is not there": (("--base", "v9"), "is not a commit here"),
        "a name of no branch": (("--branch", "a..b"), "is not a valid branch name"),
    },
)
def test_a_wrong_option_is_no_matter_of_the_model(
    option: tuple[str, str], said: str, based: Repo, tmp_path: Path
) -> None:
    code, err = apply(based, GOOD, answering(tmp_path, GOOD), *option)
    assert (code, said in err) == (4, True), err
    assert not (tmp_path / "asked-0").exists()
