"""The template for GitLab: its scripts, run in clones as a runner of GitLab leaves them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.ci_workflows import load
from tests.support.commands import ROOT, replace_line_two, start
from tests.support.serving import Served, copied

TEMPLATE = ROOT / "docs/gitlab-ci.yml"


@pytest.fixture
def host(served_template: Served, tmp_path: Path) -> Served:
    """A host that has every branch, and takes whatever is pushed."""
    served = copied(served_template, tmp_path)
    (served.server.path / "hooks/pre-receive").unlink()
    served.server.git("config", "receive.advertisePushOptions", "true")
    served.clone.git("push", "-q", "--all", "origin")
    return served


def _job(host: Served, name: str, branch: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a job's script, but for the installation, on a checkout of a branch and nothing else."""
    checkout = host.clone.path.parent / name
    if not checkout.exists():
        named = ("--no-tags", "--single-branch", "--branch", branch)
        host.server.git("clone", "-q", *named, str(host.server.path), str(checkout))
    job = load(TEMPLATE)[name]
    lines = [line for line in job["script"] if "pip install" not in line]
    assert len(lines) == len(job["script"]) - 1
    environment = {
        "GITLAB_CI": "true",
        "CI_COMMIT_SHA": host.server.resolve(branch),
        "CI_DEFAULT_BRANCH": "main",
        "CI_PROJECT_URL": str(host.server.path).removesuffix(".git"),
    }
    script = "\n".join(lines)
    return start(
        "bash",
        "-eo",
        "pipefail",
        "-c",
        script,
        cwd=checkout,
        env=environment | job.get("variables", {}) | more,
    )


@cases("branch, code", {"with evidence": ("good", 0), "blind": ("blind", 6)})
def test_a_merge_request_is_judged_against_its_target(host: Served, branch: str, code: int) -> None:
    target = {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    }

    done = _job(host, "hkgit-gate", branch, **target)

    assert done.returncode == code, done.stdout + done.stderr
    report = host.clone.path.parent / "hkgit-gate/gl-code-quality-report.json"
    assert bool(json.loads(report.read_text())) == (code != 0)


EDITS = {"CI_COMMIT_BRANCH": "edits/two", "CI_PIPELINE_SOURCE": "push"}


def _hand_on(host: Served) -> None:
    """What a runner does with an artifact."""
    folder = host.clone.path.parent
    named = ("--no-tags", "--single-branch", "--branch", "edits/two")
    host.server.git("clone", "-q", *named, str(host.server.path), str(folder / "hkgit-publish"))
    shutil.copy(folder / "hkgit-apply/applied.bundle", folder / "hkgit-publish")


@pytest.fixture
def offered(host: Served) -> Served:
    """A branch that adds a spec."""
    spec = replace_line_two(host.clone, "TWO\n")
    host.clone.git("checkout", "-q", "-b", "edits/two", "main")
    host.clone.commit({"edits/$(touch pwned).json": spec}, "Edits")
    host.clone.git("push", "-q", "origin", "edits/two")
    return host


@pytest.mark.slow
def test_a_spec_on_a_branch_becomes_a_branch(offered: Served) -> None:
    applied = _job(offered, "hkgit-apply", "edits/two", **EDITS)
    _hand_on(offered)

    published = _job(offered, "hkgit-publish", "edits/two", **EDITS)

    assert applied.returncode == 0, applied.stderr + published.stderr
    assert published.returncode == 0, applied.stderr + published.stderr
    assert offered.server.show("applied/two", "app.py") == b"one\nTWO\nthree\n"
    assert not list(offered.clone.path.parent.glob("*/pwned"))


@pytest.mark.slow
def test_a_forged_bundle_is_not_published(offered: Served) -> None:
    folder = offered.clone.path.parent / "hkgit-apply"
    folder.mkdir()
    offered.clone.git("branch", "hkgit-applied", "human")
    bundle = str(folder / "applied.bundle")
    offered.clone.git("bundle", "create", "-q", bundle, "main..hkgit-applied")
    _hand_on(offered)

    done = _job(offered, "hkgit-publish", "edits/two", **EDITS)

    assert done.returncode == 6, done.stdout + done.stderr
    assert "refs/heads/applied/two" not in offered.refs


@pytest.mark.slow
def test_the_template_fits_gitlabs_schema() -> None:
    schema = ("--builtin-schema", "vendor.gitlab-ci")

    done = start("check-jsonschema", *schema, str(TEMPLATE), cwd=ROOT)

    assert done.returncode == 0, done.stdout
