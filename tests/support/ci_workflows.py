"""workflows.py: the shell steps of published workflows, run here as a runner would run them."""

import json
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.commands import start


@cache
def load(path: Path) -> Any:
    """A YAML file as the values of JSON, not to be changed; the framework brings the parser."""
    return json.loads(json.dumps(import_module("yaml").safe_load(path.read_text())))


def step(workflow: Any, job: str, name: str) -> dict[str, Any]:
    """A step of a job by its name."""
    [found] = [each for each in workflow["jobs"][job]["steps"] if each.get("name") == name]
    return dict(found)


def run(
    step: Mapping[str, Any], cwd: Path, env: Mapping[str, str], **named: str
) -> subprocess.CompletedProcess[str]:
    """Run a step's script under the runner's environment and what the step itself names.

    `named` must be exactly the variables that the step takes from expressions; those with a fixed
    text are taken from the step.
    """
    given = step.get("env", {})
    fixed = {name: text for name, text in given.items() if "${{" not in text}
    assert set(given) - set(fixed) == set(named)
    options = ["--noprofile", "--norc", "-eo", "pipefail"] if "shell" in step else ["-e"]
    return start("bash", *options, "-c", step["run"], cwd=cwd, env={**env, **fixed, **named})
