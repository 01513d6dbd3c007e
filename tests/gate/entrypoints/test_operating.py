"""What the operator of a server has set: its HEAD, its policy, its time, its checkout."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.commands import git, hkgit
from tests.support.repos import Repo
from tests.support.serving import Served, preload_hooks


def test_a_first_push_is_judged_from_the_beginning_under_the_built_in_policy(
    served: Served,
) -> None:
    for ref in served.refs:
        served.server.git("update-ref", "-d", ref)

    served.refuse("main", "blind")
    served.take("main", "good")


def test_past_its_time_a_push_is_refused_with_the_way_out(served: Served) -> None:
    served.server.git("config", "hkgit.budget", "0")
    said = served.refuse("good:main")
    assert "judging takes more than 0 s" in said
    assert "git config hkgit.budget" in said


def test_the_operator_may_name_a_policy_of_the_server(served: Served) -> None:
    served.server.git("config", "hkgit.gate.policy", "policy.toml")
    served.server.write("policy.toml", "[gate]\nmode = 'perhaps'\n")
    served.refuse("good:main")  # it cannot be read
    served.server.write("policy.toml", "[gate]\nmode = 'report'\n")
    served.take("blind:main")
    served.server.git("config", "hkgit.budget", "0")
    served.take("+good:main")  # a policy that only reports stops no push for want of time


# The server itself


def test_a_server_with_a_checkout_judges_too(served: Served) -> None:
    served.server.git("clone", "-q", str(served.server.path), "../checkout")
    checkout = Repo(served.server.path.parent / "checkout")
    checkout.git("config", "receive.denyCurrentBranch", "updateInstead")
    hkgit(checkout, "init", "--server")

    assert not git(served.clone, "push", str(checkout.path), "blind:main")[0]
    assert git(served.clone, "push", str(checkout.path), "good:main")[0]


def test_the_environment_of_a_push_does_not_choose_what_python_loads(served: Served) -> None:
    preload_hooks(served.server, Path(sys.executable))
    served.clone.write("elsewhere/hkgit/__init__.py", "raise SystemExit(0)\n")

    served.refuse("blind:main", PYTHONPATH=str(served.clone.path / "elsewhere"))
