"""What the project publishes to continuous integration, and what it asks of itself there."""

import re
from typing import Any

import pytest

from tests.support.ci_workflows import load
from tests.support.commands import ROOT, start

WORKFLOWS = ROOT / ".github/workflows"
PUBLISHES = ("release.yml", "publish")
PUBLISHER = "pypa/gh-action-pypi-publish"
NAMES = sorted(path.name for path in WORKFLOWS.glob("*.yml"))


def _steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


def test_workflows_fit_githubs_schema() -> None:
    schema = ("--builtin-schema", "vendor.github-workflows")
    assert NAMES

    done = start("check-jsonschema", *schema, *(str(WORKFLOWS / name) for name in NAMES), cwd=ROOT)

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_may_read_and_nothing_else(name: str) -> None:
    workflow = load(WORKFLOWS / name)
    jobs = workflow["jobs"].items()
    asked = [
        job["permissions"] for key, job in jobs if "permissions" in job and (name, key) != PUBLISHES
    ]
    assert [workflow["permissions"], *asked] == [{"contents": "read"}] * (1 + len(asked))


@pytest.mark.parametrize("name", NAMES)
def test_no_expression_is_written_into_a_shell(name: str) -> None:
    scripts = [step["run"] for step in _steps(load(WORKFLOWS / name)) if "run" in step]
    assert scripts
    assert not [script for script in scripts if "${{" in script]


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_githubs_own_and_pinned_to_a_commit(name: str) -> None:
    used = [step["uses"] for step in _steps(load(WORKFLOWS / name)) if "uses" in step]
    assert used
    own = [action for action in used if not action.startswith(f"{PUBLISHER}@")]
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action) for action in own)
    assert all(re.fullmatch(r"[^@]+@[0-9a-f]{40}", action) for action in used)
    assert (name == PUBLISHES[0]) == (own != used)


def test_only_the_job_that_publishes_may_write_and_it_runs_nothing_of_the_tag() -> None:
    job = load(WORKFLOWS / PUBLISHES[0])["jobs"][PUBLISHES[1]]
    assert job["environment"] == "pypi"
    assert [
        each for each in _steps({"jobs": {"": job}}) if "checkout" in each.get("uses", "")
    ] == []


def test_the_security_linter_has_no_finding() -> None:
    done = start("zizmor", "--offline", "--quiet", str(WORKFLOWS), cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tests_run_on_every_system_and_every_supported_python() -> None:
    matrix = load(WORKFLOWS / "ci.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix == {
        "os": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": ["3.11", "3.12", "3.13"],
    }


def test_the_judge_is_installed_before_the_change_is_there() -> None:
    steps = _steps(load(WORKFLOWS / "qa-gate.yml"))
    order = [step.get("uses", step.get("run", "")).partition("@")[0] for step in steps]
    install = order.index('python -m pip install "$JUDGE"')
    assert install < order.index("actions/checkout")


def test_the_gate_of_a_pull_request_has_the_full_history() -> None:
    steps = _steps(load(WORKFLOWS / "qa-gate.yml"))
    checkout = next(step for step in steps if step.get("uses", "").startswith("actions/checkout"))
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_the_example_judges_again_where_the_target_is_changed_and_for_that_target_alone() -> None:
    """A check counts for its commit: what passed for another target would pass for this one."""
    comment = (WORKFLOWS / "qa-gate.yml").read_text().partition("\nname:")[0]
    example = comment.partition("#   on:\n")[2].partition("#   jobs:")[0]
    assert "pull_request:\n#       branches: [main]\n" in example
    assert "types: [opened, synchronize, reopened, edited]" in example


@pytest.mark.parametrize("command", ["validate-config", "validate-manifest"])
def test_the_framework_understands_the_projects_files(command: str) -> None:
    done = start("pre-commit", command, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_the_line_that_ci_runs_stands_in_the_readme() -> None:
    pattern = re.search(r"grep -m 1 -x '(.*)' README\.md", (ROOT / ".ci/run").read_text())
    assert pattern is not None
    assert re.search(f"^{pattern[1]}$", (ROOT / "README.md").read_text(), re.MULTILINE)
