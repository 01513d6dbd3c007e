"""The plugin for OpenCode, run by node as OpenCode runs it: it tells hkgit of every call."""

import os
import subprocess

import pytest

from hkgit.agents.setup.installer import install
from hkgit.sessions import homes as places
from hkgit.sessions.edit_session import EditSession
from tests.support.repos import Repo
from tests.support.running import script

GREETING = b'def greet(name):\n    print("Helo, " + name)\n'
DRIVER = """\
import { readFileSync, writeFileSync } from "node:fs"
import { Hkgit } from "./.opencode/plugins/hkgit.js"
const directory = process.cwd()
const hooks = await Hkgit({ directory })
const filePath = directory + "/greet.py"
async function use(tool, callID, args, effect) {
  const call = { tool, sessionID: "ses_1", callID }
  await hooks["tool.execute.before"](call, { args })
  effect()
  const output = { title: "", output: readFileSync(filePath, "utf8"), metadata: {} }
  await hooks["tool.execute.after"](call, output)
}
try {
  await use("read", "1", { filePath }, () => {})
  await use("edit", "2", { filePath, oldString: "Helo", newString: "Hello" }, () => {
    writeFileSync(filePath, readFileSync(filePath, "utf8").replace("Helo", "Hello"))
  })
} catch (error) {
  console.log(error.message)
}
"""


@pytest.fixture
def greeting(repo: Repo) -> Repo:
    """A repository with one file and a program that uses the plugin."""
    repo.commit({"greet.py": GREETING, "driver.mjs": DRIVER})
    return repo


def driven(repo: Repo) -> str:
    """What the program prints."""
    path = os.pathsep.join([str(script("hkgit").parent), os.environ["PATH"]])
    done = subprocess.run(
        ["node", "driver.mjs"],
        cwd=repo.path,
        env=os.environ | {"PATH": path},
        check=True,
        stdout=subprocess.PIPE,
        timeout=60,
    )
    return done.stdout.decode()


def test_an_edit_is_recorded_with_its_receipt(greeting: Repo) -> None:
    install(greeting.path, "opencode", "record")
    driven(greeting)
    [session] = places.find_folders(greeting.path)
    status = EditSession.open(greeting.path, session.name).status()
    assert (status.uncommitted, status.blind) == (1, 0)


def test_an_edit_is_stopped_where_it_is_to_be_steered(greeting: Repo) -> None:
    install(greeting.path, "opencode", "steer")
    assert "hkgit_edit" in driven(greeting)
    assert greeting.read("greet.py") == GREETING
