"""Real servers over loopback: who pushed is known to the policy, and what is blind stays out.

Debian's packages: `apt-get install lighttpd gitolite3 openssh-server`. Where they are not
installed, these tests are skipped.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.support.keys import made_key
from tests.support.repos import Repo
from tests.support.running import run

pytestmark = pytest.mark.slow

BACKEND = Path("/usr/lib/git-core/git-http-backend")
SHELL = Path("/usr/share/gitolite3/gitolite-shell")
SSHD, LIGHTTPD = Path("/usr/sbin/sshd"), Path("/usr/sbin/lighttpd")
BOT = "renovate[bot] <bot@example.org>"
AGENT = "Claude <noreply@anthropic.com>"
POLICY = """\
[gate]
pusher_variable = "{}"
[[gate.manual]]
paths = ["uv.lock"]
pushers = ["bot"]
"""


@dataclass(frozen=True)
class Server:
    """A bare repository, how each person reaches it, and the variable that names them."""

    bare: Path
    url: str
    ways: dict[str, dict[str, str]]
    variable: str

    def push(self, clone: Repo, who: str) -> tuple[int, str]:
        """How a push of main ends, and what is said."""
        env = os.environ | self.ways[who]
        url = self.url.replace("WHO", who)
        done = subprocess.run(
            ["git", "push", url, "main"], cwd=clone.path, env=env, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr


def need(*programs: Path) -> None:
    missing = [str(each) for each in programs if not each.exists()]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def started(command: list[str], port: int, log: Path) -> Iterator[None]:
    """A server in the foreground until the end of the block."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    try:
        deadline = monotonic() + 30
        while monotonic() < deadline and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            sleep(0.05)
        else:
            pytest.fail(f"the server did not start: {log.read_text()}")
        yield
    finally:
        process.terminate()
        process.wait(30)


LIGHTTPD_CONF = """\
server.modules = ("mod_auth", "mod_authn_file", "mod_alias", "mod_setenv", "mod_cgi")
server.document-root = "{folder}"
server.bind = "127.0.0.1"
server.port = {port}
alias.url = ("/git" => "{backend}")
$HTTP["url"] =~ "^/git" {{
  cgi.assign = ("" => "")
  setenv.set-environment = (
    "GIT_PROJECT_ROOT" => "{folder}/served", "GIT_HTTP_EXPORT_ALL" => "1", "HOME" => "{folder}"
  )
  auth.backend = "plain"
  auth.backend.plain.userfile = "{folder}/users"
  auth.require = ("" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
}}
"""


@contextmanager
def web_server(folder: Path) -> Iterator[Server]:
    """`git http-backend` behind lighttpd, which says in REMOTE_USER whom it has authenticated."""
    need(LIGHTTPD, BACKEND)
    port = free_port()
    bare = Repo.init(folder / "served/shop.git", bare=True)
    bare.git("config", "http.receivepack", "true")
    bare.git("symbolic-ref", "HEAD", "refs/heads/main")
    (folder / "users").write_text("ada:secret\nbot:secret\n")
    conf = LIGHTTPD_CONF.format(folder=folder, port=port, backend=BACKEND)
    (folder / "conf").write_text(conf)
    url = f"http://WHO:secret@127.0.0.1:{port}/git/shop.git"
    ways: dict[str, dict[str, str]] = {"ada": {}, "bot": {}}
    command = [str(LIGHTTPD), "-D", "-f", str(folder / "conf")]
    with started(command, port, folder / "log"):
        yield Server(bare.path, url, ways, "REMOTE_USER")


SSHD_CONF = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
AuthorizedKeysFile {home}/.ssh/authorized_keys
SetEnv HOME={home}
"""


@contextmanager
def gitolite_server(folder: Path) -> Iterator[Server]:
    """gitolite behind OpenSSH, which says in GL_USER whose key it was."""
    need(SSHD, SHELL)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # as the service of the package does
    home, port = folder / "home", free_port()
    (home / ".ssh").mkdir(parents=True)
    keys = {name: made_key(folder / name) for name in ("host", "ada", "bot")}
    own = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    gitolite = {**own, "HOME": str(home)}
    setup = ["gitolite", "setup", "-pk", str(keys["ada"].with_suffix(".pub"))]
    subprocess.run(setup, env=gitolite, cwd=home, check=True, capture_output=True)
    (folder / "conf").write_text(SSHD_CONF.format(folder=folder, home=home, port=port))
    options = f"-p {port} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -F /dev/null"
    ways = {
        name: {"GIT_SSH_COMMAND": f"ssh {options} -o IdentitiesOnly=yes -i {keys[name]}"}
        for name in ("ada", "bot")
    }
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    address = f"ssh://{user}@127.0.0.1:{port}"
    with started([str(SSHD), "-D", "-e", "-f", str(folder / "conf")], port, folder / "log"):
        _let_both_push(folder, address, ways["ada"], keys["bot"])
        yield Server(home / "repositories/shop.git", f"{address}/shop", ways, "GL_USER")


def _let_both_push(folder: Path, address: str, way: dict[str, str], bot: Path) -> None:
    """What gitolite's administrator does: a key and a repository, pushed to gitolite-admin."""
    admin = Repo(folder / "admin")
    where = Repo(folder)
    where.git("clone", "-q", f"{address}/gitolite-admin", str(admin.path), env=way)
    shutil.copy(bot.with_suffix(".pub"), admin.path / "keydir/bot.pub")
    conf = admin.read("conf/gitolite.conf").decode()
    admin.commit({"conf/gitolite.conf": conf + "\nrepo shop\n    RW+ = @all\n"}, "Add shop")
    admin.git("push", "-q", "origin", "HEAD:refs/heads/master", env=way)  # what it heeds


def committed(repo: Repo, files: dict[str, str], author: str) -> None:
    name, _, email = author.rstrip(">").partition(" <")
    env = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email}
    for path, text in files.items():
        repo.write(path, text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Change", env=env)


@pytest.mark.parametrize("kind", [web_server, gitolite_server], ids=["http-backend", "gitolite"])
def test_a_server_knows_who_pushes_and_takes_nothing_blind(kind: object, tmp_path: Path) -> None:
    assert callable(kind)
    clone = Repo.init(tmp_path / "clone")
    with kind(tmp_path) as server:
        policy = POLICY.format(server.variable)
        clone.commit({"a.txt": "one\ntwo\n", "uv.lock": "1\n", ".hkgit/config.toml": policy})
        code, said = server.push(clone, "ada")
        assert code == 0, said
        assert run("init", "--server", cwd=server.bare).code == 0

        committed(clone, {"a.txt": "one\n2\n"}, AGENT)
        code, said = server.push(clone, "ada")
        assert (code, "blind commit" in said) == (1, True), said
        clone.git("reset", "-q", "--hard", "HEAD~1")

        digest = run("read", "a.txt", "--json", cwd=clone.path).json()["range_hash"]
        spec = b'{"file": "a.txt", "old_text": "two", "new_text": "2"}'
        landed = run("apply", "-", "--expect", f"a.txt={digest}", cwd=clone.path, stdin=spec)
        assert landed.code == 0, landed.err
        start = monotonic()
        assert server.push(clone, "ada")[0] == 0
        assert monotonic() - start < 30

        committed(clone, {"uv.lock": "2\n"}, BOT)
        assert server.push(clone, "ada")[0] == 1
        code, said = server.push(clone, "bot")
        assert code == 0, said
