"""The published workflow that turns specs of a branch into a pull request, step by step.

What a runner does between the steps (checkouts, the artifact) is done here with git and a copy;
GitHub's own program is a script that notes how it was called.
"""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.ci_workflows import load, run, step
from tests.support.commands import ROOT, loaded_path, replace_line_two
from tests.support.repos import Repo
from tests.support.serving import Served

WORKFLOW = ROOT / ".github/workflows/apply-edits.yml"
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Runner:
    """A repository on its host, and the checkout and temporary directory of each job."""

    host: Repo
    folder: Path

    def apply(self, branch: str) -> Done:
        """The job without rights."""
        job, env = self._job("apply")
        script = step(load(WORKFLOW), "apply", "Apply the specs")
        done = run(script, job, env, BRANCH=branch, DIRECTORY="edits")
        artifact = self.folder / "apply-temp/applied.bundle"
        if artifact.exists():
            target = self.folder / "publish-temp/applied"
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(artifact, target)
        return done

    def publish(self, branch: str) -> Done:
        """The job with rights: it derives, and only then pushes."""
        job, env = self._job("publish")
        derived = run(step(load(WORKFLOW), "publish", "Derive every commit again"), job, env)
        if derived.returncode != 0:
            return derived
        push = step(load(WORKFLOW), "publish", "Push them and open a pull request")
        return run(push, job, env, BRANCH=branch, TARGET="main", GH_TOKEN="not a token")

    @property
    def bundle(self) -> Path:
        """What one job hands to the other."""
        return self.folder / "publish-temp/applied/applied.bundle"

    @property
    def pull_requests(self) -> list[list[str]]:
        """The arguments of each call of GitHub's program."""
        calls = self.folder / "calls"
        return [json.loads(line) for line in calls.read_text().splitlines()]

    def _job(self, name: str) -> tuple[Path, dict[str, str]]:
        checkout, temp = self.folder / name, self.folder / f"{name}-temp"
        if not checkout.exists():
            self.host.git("clone", "-q", str(self.host.path), str(checkout))
        temp.mkdir(exist_ok=True)
        return checkout, {
            "RUNNER_TEMP": str(temp),
            "GITHUB_SERVER_URL": "https://host.invalid",
            "GITHUB_REPOSITORY": "owner/name",
            "PATH": os.pathsep.join((str(self.folder / "bin"), loaded_path()["PATH"])),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{self.host.path}.insteadOf",
            "GIT_CONFIG_VALUE_0": "https://host.invalid/owner/name",
        }


GH = """\
#!/usr/bin/env python3
import json, pathlib, sys
calls = pathlib.Path(__file__).parents[1] / "calls"
calls.open("a").write(json.dumps(sys.argv[1:]) + "\\n")
"""


@pytest.fixture
def runner(served_template: Served, tmp_path: Path) -> Runner:
    host = Repo.init(tmp_path / "host.git", bare=True)
    served_template.clone.git("push", "-q", "--mirror", str(host.path))
    program = tmp_path / "bin/gh"
    program.parent.mkdir()
    program.write_text(GH)
    program.chmod(0o755)
    return Runner(host, tmp_path)


def _offer(runner: Runner, branch: str, files: dict[str, str]) -> None:
    """Push a branch with these files to the host."""
    author = Repo(runner.folder / "author")
    if not author.path.exists():
        runner.host.git("clone", "-q", str(runner.host.path), str(author.path))
    author.git("checkout", "-q", "-B", branch, "origin/main")
    author.commit(files, "Edits")
    author.git("push", "-q", "-f", "origin", branch)


@pytest.fixture
def spec(served_template: Served) -> str:
    return replace_line_two(served_template.clone, "TWO\n")


def _new(path: str) -> str:
    """A spec that creates a file."""
    operation = {"op": "create_file", "path": path, "new_text": "new\n"}
    return json.dumps({"version": "1", "operations": [operation]})


def test_a_spec_on_a_branch_becomes_a_branch_and_a_pull_request(runner: Runner, spec: str) -> None:
    """The specs themselves are no part of what is applied."""
    _offer(runner, "edits/two", {"edits/two.json": spec, "setup.py": "import this\n"})

    applied, published = runner.apply("edits/two"), runner.publish("edits/two")

    assert applied.returncode == 0, published.stderr
    assert published.returncode == 0, published.stderr
    assert runner.host.show("applied/two", "app.py") == b"one\nTWO\nthree\n"
    listed = runner.host.git("diff", "--name-only", "main", "applied/two").splitlines()
    assert [name for name in listed if not name.startswith(".hkgit/ledger/")] == ["app.py"]
    asked = "pr create --repo owner/name --base main --head applied/two"
    assert runner.pull_requests[0][:8] == asked.split()


@pytest.mark.slow
def test_several_specs_become_a_commit_each_in_the_order_of_their_names(runner: Runner) -> None:
    _offer(runner, "edits/files", {"edits/1.json": _new("x"), "edits/2.json": _new("y")})

    runner.apply("edits/files")
    runner.publish("edits/files")

    changed = runner.host.git("log", "--reverse", "--format=", "--name-only", "main..applied/files")
    assert [name for name in changed.split() if len(name) == 1] == ["x", "y"]


ODD = ("$(touch pwned).json", "`touch pwned`;touch pwned", "--branch=main", "two\nlines")


@pytest.mark.slow
def test_no_name_of_a_spec_or_a_branch_is_part_of_any_shell(runner: Runner) -> None:
    branch = "edits/$(touch${IFS}pwned)"
    _offer(runner, branch, {f"edits/{name}": _new(str(n)) for n, name in enumerate(ODD)})

    applied, published = runner.apply(branch), runner.publish(branch)

    assert applied.returncode == 0, applied.stderr
    assert applied.stdout.count("Apply 1 edit") == len(ODD)
    assert published.returncode == 0, published.stderr
    assert not list(runner.folder.rglob("pwned"))


@pytest.mark.slow
@cases(
    "files",
    {"no spec": {"notes.md": "No spec\n"}, "a spec that says nothing": {"edits/x.json": "{}"}},
)
def test_without_a_spec_that_applies_nothing_is_handed_on(
    runner: Runner, files: dict[str, str]
) -> None:
    _offer(runner, "edits/none", files)

    done = runner.apply("edits/none")

    assert done.returncode != 0
    assert not runner.bundle.exists()


@pytest.mark.slow
def test_what_the_last_job_would_refuse_is_refused_in_the_first_with_a_way_out(
    runner: Runner,
) -> None:
    blind = "app.py\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n"
    _offer(runner, "edits/blind", {"edits/blind.txt": blind})

    done = runner.apply("edits/blind")

    assert done.returncode == 6, done.stdout + done.stderr
    assert "hkgit read app.py:2-2" in done.stderr
    assert not runner.bundle.exists()


def _forge(runner: Runner, branch: str) -> Done:
    """Publish a bundle that holds a branch of somebody's own."""
    forger = Repo(runner.folder / "forger")
    runner.host.git("clone", "-q", "--no-tags", str(runner.host.path), str(forger.path))
    forger.git("branch", "hkgit-applied", f"origin/{branch}")
    runner.bundle.parent.mkdir(parents=True)
    forger.git("bundle", "create", "-q", str(runner.bundle), "main..hkgit-applied")
    return runner.publish("edits/forged")


@pytest.mark.slow
@cases(
    "branch",
    {"an agent's commit without evidence": "blind", "a commit in a person's name": "human"},
)
def test_a_forged_bundle_is_not_published(runner: Runner, branch: str) -> None:
    """Whatever ran in the job without rights, the other one derives."""
    done = _forge(runner, branch)

    assert done.returncode == 6, done.stdout + done.stderr
    assert not runner.host.git("for-each-ref", "refs/heads/applied/forged")


@pytest.mark.slow
def test_a_tag_of_the_branchs_name_is_not_judged_in_its_place(runner: Runner) -> None:
    runner.host.git("tag", "hkgit-applied", "good")

    done = _forge(runner, "human")

    assert done.returncode == 6, done.stdout + done.stderr


@pytest.mark.slow
def test_what_is_no_name_of_a_branch_and_what_is_there_is_not_written_over(
    runner: Runner, spec: str
) -> None:
    """Behind a colon git would read the ref that a push writes."""
    runner.host.git("branch", "applied/two", "human")
    _offer(runner, "edits/two", {"edits/two.json": spec})
    runner.apply("edits/two")

    done = runner.publish("edits/two:refs/heads/main")

    assert done.returncode == 1, done.stderr
    assert runner.host.resolve("main") != runner.host.resolve("edits/two")
    assert not (runner.folder / "calls").exists()
    assert runner.publish("edits/two").returncode != 0
    assert runner.host.resolve("applied/two") == runner.host.resolve("human")


@pytest.mark.slow
def test_a_spec_that_takes_the_place_of_another_is_applied(runner: Runner, spec: str) -> None:
    _offer(runner, "main", {"edits/old.json": spec})
    author = Repo(runner.folder / "author")
    author.git("checkout", "-q", "-B", "edits/two", "main")
    author.git("mv", "edits/old.json", "edits/two.json")
    author.git("commit", "-q", "-m", "Edits")
    author.git("push", "-q", "origin", "edits/two")

    done = runner.apply("edits/two")

    assert done.returncode == 0, done.stdout + done.stderr
