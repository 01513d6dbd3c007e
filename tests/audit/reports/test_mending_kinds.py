"""For every rule that rejects: its command, followed to the letter, mends and keeps the work.

So is mended what a hook rejects, and a first commit; no advice hides a hand.
"""

import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from hkgit.audit.reports.findings import mend
from hkgit.edits import EXECUTABLE, REGULAR, SYMLINK, File
from hkgit.evidence.replay import candidate_of
from hkgit.gate.clock import OutOfTime
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report
from hkgit.gate.trusted_policy import read_trusted_policy
from tests.attacks.falsehoods import (
    decoy_text,
    into,
    smuggled_byte,
    unchanged_file,
    uncovered_hunk,
)
from tests.support.attacks import (
    A,
    Attack,
    data_of,
    forge,
    governed_repository,
    honest,
)
from tests.support.cases import cases
from tests.support.circumstances import CIRCUMSTANCES, SHA_256, in_a_shallow_clone
from tests.support.commands import expect_refusal, start
from tests.support.commits import (
    AGENT,
    PERSON,
    TAKES_LATE,
    Change,
    applied,
    commit,
    commit_tree,
    judge,
)
from tests.support.keys import public, sign_with
from tests.support.modules import list_rules, read_sources
from tests.support.objects import open_repository
from tests.support.planning import Operation, hash_of, protocol, replace_range
from tests.support.repos import Repo
from tests.support.rulings import judge_between
from tests.support.running import run
from tests.support.serving import preload_hooks
from tests.support.specs import search_replace


@dataclass(frozen=True)
class Kind:
    """A rejected commit, the policy that rejects it, and the option with which it is made again.

    With `--vouch`, or where the command itself says it, the policy grants all paths to a key, and a
    person signs with it; `edit` is what he does to the patch.
    """

    make: Callable[[Repo], str]
    policy: str = ""
    option: str = ""
    edit: str = ""
    is_granted: bool = False


def falsified(*attacks: Attack) -> Callable[[Repo], str]:
    def make(repo: Repo) -> str:
        change = honest(repo)
        for attack in attacks:
            attack(change)
        return commit(repo, change)

    return make


def reverted(repo: Repo) -> str:
    commit(repo, honest(repo))
    repo.git("revert", "--no-edit", "HEAD")
    repo.git("commit", "-q", "--amend", "--no-edit", f"--author={AGENT}")
    return repo.head


def by_agent(path: str, data: bytes, mode: int = REGULAR) -> Callable[[Repo], str]:
    return lambda repo: commit(repo, Change({path: File(data, mode)}, author=AGENT))


def creating(path: str, text: str) -> Callable[[Repo], str]:
    """With evidence: hkgit would record what the policy rejects."""
    create: Operation = {"op": "create_file", "path": path, "new_text": text}
    return lambda repo: commit(repo, applied(repo, protocol(create)))


def fuzzy(repo: Repo) -> str:
    old = "def main():\n    name = sys.argv[1]  # the name\n    print(name)\n"
    new = old.replace("(name)", "(1)")
    return commit(repo, applied(repo, search_replace(old, new, "a.py")))


def quoted(repo: Repo) -> str:
    return commit(repo, applied(repo, search_replace("print(name)", "print(1)", "a.py")))


CREDIT = "Co-Authored-By: Claude <noreply@anthropic.com>"


def credited(repo: Repo) -> str:
    files: dict[str, File | None] = {"a.py": File(b"x\n" + A)}
    return commit(repo, Change(files, author=PERSON, message=f"Say\n\n{CREDIT}\n"))


def guarded(repo: Repo, *, has_entry: bool) -> str:
    """A change of an agent with one beside it that only a person may make."""
    change = honest(repo) if has_entry else Change({"a.py": File(b"x\n" + A)}, author=AGENT)
    change.files[".github/workflows/x.yml"] = File(b"on: push\n")
    return commit(repo, change)


def wide(repo: Repo) -> str:
    new = A.decode().replace("print(name)", "print(1)")
    return commit(repo, applied(repo, protocol(replace_range("a.py", A, 1, 9, new))))


def moved(repo: Repo) -> str:
    rename: Operation = {"op": "rename_file", "path": "a.py", "new_path": "core/a.py"}
    rename["expected_hash"] = hash_of(A, 1, A.count(b"\n"))
    return commit(repo, applied(repo, protocol(rename)))


def reworded(repo: Repo) -> str:
    lie = "Say\n\nHkgit-Entry: sha256:" + "0" * 64 + "\n"
    return commit(repo, replace(honest(repo), message=lie))


def hidden_in_the_message(repo: Repo) -> str:
    made = commit(repo, honest(repo))
    message = repo.git("log", "-1", "--format=%B", made).replace("Say", "Say \u202eit")
    tree = repo.resolve("HEAD^{tree}")
    again = commit_tree(repo, tree, ["HEAD^"], message.encode(), AGENT)
    repo.git("reset", "-q", "--hard", again)
    return again


def removed_entry(repo: Repo) -> str:
    [path] = repo.git("ls-files", ".hkgit/ledger").splitlines()
    return commit(repo, Change({path: None, "a.py": File(b"x\n" + A)}, author=AGENT))


def used_again(repo: Repo) -> str:
    """An entry that was pruned since its change was taken back by hand."""
    change = honest(repo)
    commit(repo, change)
    repo.commit({"a.py": A}, "Back")
    assert run("ledger", "prune", "--yes", cwd=repo.path).code == 0
    repo.git("tag", "start")
    return commit(repo, change)


def with_a_policy(repo: Repo) -> str:
    change = honest(repo)
    change.files[".hkgit/config.toml"] = File(b"[gate]\nmode = 'warn'\n")
    return commit(repo, replace(change, author=PERSON))


def pruned(repo: Repo, *, with_more: bool) -> str:
    repo.git("checkout", "-q", "-b", "pruned")
    assert run("ledger", "prune", "--yes", cwd=repo.path).code == 0
    repo.git("checkout", "-q", "main")
    files: dict[str, File | None] = {"a.py": File(b"x\n" + A)} if with_more else {}
    for name in repo.git("diff", "--name-only", "main", "pruned").splitlines():
        is_gone = not repo.git("ls-tree", "pruned", "--", name)
        files[name] = None if is_gone else File(repo.git_bytes("show", f"pruned:{name}"))
    return commit(repo, Change(files, author=AGENT))


def pruned_with_more(repo: Repo) -> str:
    return pruned(repo, with_more=True)


def pruned_too_early(repo: Repo) -> str:
    commit(repo, honest(repo))
    return pruned(repo, with_more=False)


def claimed(repo: Repo) -> str:
    """An entry that was made on files which nobody has, carried to where they are not."""
    repo.commit({"a.py": b"# moved\n" + A}, "Move it")
    change = honest_on(A, repo)
    change.entry["base"] = None
    change.file["before"]["sha256"] = "0" * 64
    return commit(repo, change)


def honest_on(data: bytes, repo: Repo) -> Change:
    now = repo.read("a.py")
    repo.commit({"a.py": data}, "Back")
    change = honest(repo)
    repo.git("reset", "-q", "--hard", "HEAD^")
    moved = now.replace(data, data_of(change, "a.py"))
    return replace(change, files={"a.py": File(moved)})


def of_two_places(repo: Repo) -> str:
    """An entry whose old text stands twice since the file has moved on."""
    change = honest(repo)
    repo.commit({"a.py": A + A}, "Double it")
    return commit(repo, replace(change, files={"a.py": File(data_of(change, "a.py") + A)}))


def evil_merge(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"side.md": "x\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"main.md": "x\n"})
    repo.git("merge", "-q", "--no-commit", "side")
    repo.write("evil.md", "x\n")
    return repo.commit({}, "Merge", f"--author={AGENT}")


def resolved_merge(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"a.py": b"# side\n" + A, "side.md": "x\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a.py": b"# ours\n" + A})
    repo.git("merge", "-q", "side", check=False)
    return repo.commit({"a.py": b"# both\n" + A}, "Merge", f"--author={AGENT}")


def octopus(repo: Repo) -> str:
    for side in ("one", "two"):
        repo.git("checkout", "-q", "-b", side, "main")
        repo.commit({f"{side}.md": "x\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"main.md": "x\n"})
    repo.git("merge", "-q", "-m", "Merge", "one", "two")
    author = {"GIT_AUTHOR_NAME": "Claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}
    repo.git("commit", "-q", "--amend", "--no-edit", "--reset-author", env=author)
    return repo.head


VOUCHED = "Hkgit-Vouched-by: Ada Tester <ada@example.org>"
VOUCH, PATCH, MESSAGE = "--vouch", "--patch", "-m"
NO_TRANSCRIPTS = "[[gate.paths]]\npaths = ['*']\nrecovered = true\n"
HIDDEN = "x = '\u202e'\n"
LATE = TAKES_LATE.removeprefix("[gate]\n")
QUOTES = 'accept = ["quote", "tag", "none", "hash", "late"]\n'
_EDIT, _FILE = ("edits", 0), ("files", 0)
_HUNK = (*_FILE, "hunks", 0)

KINDS: dict[str, Kind] = {
    "after": Kind(falsified(forge(*_FILE, "after", "sha256", to="0" * 64))),
    "anchor": Kind(of_two_places),
    "before": Kind(falsified(forge(*_FILE, "before", "sha256", to="0" * 64))),
    "blind": Kind(by_agent("a.py", b"x\n" + A)),
    "blind: a quote": Kind(quoted),
    "blind: credited": Kind(credited),
    "blind: late does not count": Kind(
        by_agent("a.py", b"x\n" + A), 'accept = ["receipt"]', is_granted=True
    ),
    "blind: tight": Kind(by_agent("a.py", A.replace(b"\n", b"!\n", 1)), "min_tightness = 0.9"),
    "blind: tight, added": Kind(by_agent("a.py", b"x\n" + A), "min_tightness = 0.3"),
    "blind: a picture": Kind(by_agent("a.png", b"\0PNG"), option=VOUCH),
    "blind: a link": Kind(by_agent("a.link", b"a.py", SYMLINK), option=VOUCH),
    "blind: executable": Kind(by_agent("a.py", A, EXECUTABLE)),
    "bytes": Kind(falsified(smuggled_byte)),
    "claimed": Kind(claimed, "min_confidence = 0.9"),
    "confidence": Kind(fuzzy, QUOTES + "min_confidence = 1.0"),
    "coverage": Kind(falsified(uncovered_hunk)),
    "decoy": Kind(falsified(decoy_text)),
    "entry": Kind(removed_entry),
    "forged": Kind(falsified(forge(*_EDIT, "confidence", to=1))),
    "hash": Kind(falsified(forge(*_HUNK, "old_hash", to="0" * 64))),
    "hunk": Kind(falsified(forge(*_HUNK, "lines", to=[50, 51]))),
    "merge": Kind(evil_merge),
    "merge: resolved": Kind(resolved_merge),
    "merge: octopus": Kind(octopus),
    "mode": Kind(falsified(forge(*_FILE, "after", "mode", to="120000"))),
    "moved": Kind(moved, '[[gate.paths]]\npaths = ["core/*"]\nmin_tightness = 0.1'),
    "path": Kind(falsified(into("aux.txt")), option=PATCH, edit="s/aux/other/"),
    "policy": Kind(with_a_policy, 'verdicts = ["strict", "mixed", "ungoverned"]'),
    "protected": Kind(creating(".github/workflows/x.yml", "on: push\n"), option=VOUCH),
    "blind: and protected": Kind(partial(guarded, has_entry=False), option=VOUCH),
    "protected: beside an entry": Kind(partial(guarded, has_entry=True), option=VOUCH),
    "entry: pruned with more": Kind(pruned_with_more),
    "prune": Kind(pruned_too_early),
    "blind: recovered": Kind(
        falsified(forge("claims", "origin", to="recovered")),
        f"{LATE}{NO_TRANSCRIPTS}accept = []",
    ),
    "reuse": Kind(used_again),
    "surplus": Kind(falsified(unchanged_file)),
    "text": Kind(creating("new.py", HIDDEN), option=PATCH, edit="s/\u202e//"),
    "text: in the message": Kind(hidden_in_the_message, option=MESSAGE),
    "tier": Kind(fuzzy, QUOTES + 'tiers = ["exact"]'),
    "tightness": Kind(wide, "min_tightness = 0.5"),
    "trailer": Kind(reworded),
    "verdict": Kind(reverted, 'verdicts = ["strict", "ungoverned"]'),
}
"""By rule; what stands behind a colon tells cases of one rule apart."""

CHANGE_NOTHING = ("prune", "surplus")
"""They change nothing but the ledger, so they are left out."""


def report(repo: Repo, old: str) -> Report:
    repository = open_repository(repo)
    policy = read_trusted_policy(repository, repository.resolve(old))
    return judge_between(repo, old, policy=policy)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return governed_repository(Repo.init(tmp_path_factory.mktemp("kinds") / "repo"))


@pytest.fixture(scope="module")
def template_of_sha256(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GIT_DEFAULT_HASH", "sha256")
        return governed_repository(Repo.init(tmp_path_factory.mktemp("kinds") / "repo"))


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "circumstance"), [*product(KINDS, CIRCUMSTANCES)])
def test_the_command_mends_and_keeps(
    template: Repo,
    template_of_sha256: Repo,
    key: Path,
    tmp_path: Path,
    name: str,
    circumstance: str,
) -> None:
    kind = KINDS[name]
    origin = template_of_sha256 if circumstance == SHA_256 else template
    repo = origin.copy(tmp_path / "repo")
    granted = sign_with(repo, key) if kind.option == VOUCH or kind.is_granted else ""
    accept = "" if "accept = [" in kind.policy else LATE
    repo.commit({".hkgit/config.toml": f"[gate]\n{accept}{kind.policy}\n{granted}"}, "Guard it")
    start = repo.head
    made = kind.make(repo)
    start = repo.git("tag", "--list", "start") or start
    start = repo.resolve(start)
    wanted = contents(repo, made)
    commit(repo, Change({"later.md": File(b"x\n")}, author=PERSON))
    if circumstance == "shallow":
        repo = in_a_shallow_clone(repo, start)
    else:
        repo = CIRCUMSTANCES[circumstance](repo)
    [rejected] = [each for each in report(repo, start).rulings if not each.passes]
    if rejected.rule == "unverifiable":
        follow(repo, mend(rejected))
        [rejected] = [each for each in report(repo, start).rulings if not each.passes]
    assert name.partition(":")[0] in {each.rule for each in rejected.findings}
    before = repo.status(), repo.git("branch", "--format=%(refname)")

    author = repo.git("log", "-1", "--format=%an <%ae> %ad", made)
    follow(repo, mend(rejected), kind)

    if circumstance == "rebase":
        assert (repo.path / ".git/rebase-merge").exists()
        repo.git("rebase", "--continue")
        assert repo.git("branch", "--show-current") == "main"
    known = "--vouch " if kind.is_granted else ""
    assert mend(rejected) == f"hkgit redo {known}{(rejected.judged.candidate.id or '')[:12]}"
    if name not in CHANGE_NOTHING:
        assert author in repo.git("log", "--format=%an <%ae> %ad", f"{start}..").split("\n")
    after = report(repo, start)
    assert after.passes, [each.findings for each in after.rulings]
    now = contents(repo, "HEAD")
    assert now.pop("later.md") == b"x\n"
    if kind.edit:
        wanted = {each: now[each.replace("aux", "other")] for each in wanted}
    assert len(now) == len(wanted)
    assert {*now.values()} == {*wanted.values()}
    told = re.findall("(?m)^Hkgit-Agent: (.*)", repo.git("log", "--format=%B", f"{start}..HEAD"))
    assert {*told} <= {"tester/1", "hkgit-agent", "Claude"}
    if (
        kind.option == VOUCH or kind.is_granted
    ):  # what says who made it stays: the message, the entries
        [again] = repo.git("log", f"--grep={VOUCHED}", "--format=%H", f"{start}..").split()
        said, before_it = (repo.git("log", "-1", "--format=%B", each) for each in (again, made))
        assert said.startswith(before_it.rstrip())
        assert said.rstrip().endswith(VOUCHED)
        listed = ("ls-tree", "-r", "--name-only")
        assert repo.git(*listed, again, ".hkgit/ledger") == repo.git(*listed, made, ".hkgit/ledger")
    assert (CREDIT in repo.git("log", "--format=%B", f"{start}..")) == (name == "blind: credited")
    if circumstance != "rebase":
        assert (repo.status(), repo.git("branch", "--format=%(refname)")) == before


@pytest.mark.sampled
@pytest.mark.parametrize("name", KINDS)
def test_where_late_does_not_count_no_command_is_named_that_is_refused(
    template: Repo, tmp_path: Path, name: str
) -> None:
    repo = template.copy(tmp_path / "repo")
    policy = KINDS[name].policy.replace(', "late"', "")
    repo.commit({".hkgit/config.toml": f"[gate]\n{policy}\n"}, "Guard it")
    begin = repo.head
    KINDS[name].make(repo)
    begin = repo.resolve(repo.git("tag", "--list", "start") or begin)
    commands = [mend(each) for each in report(repo, begin).rulings if not each.passes]
    assert bool(*commands) == (name in WITHOUT_LATE)
    for command in filter(None, commands):
        follow(repo, command)
        assert report(repo, begin).passes


WITHOUT_LATE = ("merge: octopus", "policy", "prune", "trailer")
"""What `hkgit redo` makes of entries that hold, of lines by hand, and of merges by git."""


def follow(
    repo: Repo, command: str, kind: Kind | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Paste a command. What `hkgit redo` refuses to make, it makes with an option that it names."""
    if kind is not None and kind.option:
        refused = paste(repo, command)
        assert refused.returncode != 0
        assert f"{command}` also takes" in refused.stderr
        assert kind.option in refused.stderr
        command = f"{command} {kind.option}"
        if kind.option == MESSAGE:
            command += " 'Say it'"
        elif kind.option == PATCH:
            [first] = re.findall(r"git diff .*?>FILE", refused.stderr)
            command = f"{first}; sed '{kind.edit}' -i FILE; {command} FILE; rm FILE"
    done = paste(repo, command, env)
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def paste(
    repo: Repo, command: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command by the shell; in a shallow clone again, once the rest is fetched."""
    done = start("bash", "-ec", command, cwd=repo.path, env=env)
    if "git fetch --unshallow" in done.stderr and (repo.path / ".git/shallow").exists():
        repo.git("fetch", "-q", "--unshallow")
        return paste(repo, command, env)
    return done


def contents(repo: Repo, rev: str) -> dict[str, bytes]:
    """The files of a commit, without what hkgit itself keeps there."""
    own = (".hkgit/ledger/", ".hkgit/.gitattributes")
    return {name: data for name, data in repo.files(rev).items() if not name.startswith(own)}


def test_a_signature_is_made_afterwards(template: Repo, key: Path, tmp_path: Path) -> None:
    repo = template.copy(tmp_path / "repo")
    signers = f"ada@example.org {public(key)}\n"
    config = '[gate]\nallowed_signers = "signers"\nentries = {signed = true}\n'
    config += 'roles = {sign = ["ada@example.org"]}\n'
    start = repo.commit({"signers": signers, ".hkgit/config.toml": config}, "Guard it")
    commit(repo, honest(repo))
    [rejected] = report(repo, start).rulings
    assert rejected.rule == "signature"
    follow(repo, mend(rejected).replace("FILE", str(key)))
    assert report(repo, start).passes


def test_a_shallow_clone_fetches_the_rest(template: Repo, tmp_path: Path) -> None:
    repo, origin = Repo(tmp_path / "clone"), template.copy(tmp_path / "origin")
    commit(origin, honest(origin))
    origin.git("clone", "-q", "--depth=1", origin.path.as_uri(), str(repo.path))
    opened = open_repository(repo)
    rejected = Gate(opened, Policy()).judge(candidate_of(opened, opened.resolve("HEAD")))
    assert rejected.rule == "unverifiable"
    follow(repo, mend(rejected))
    assert judge(repo).passes, judge(repo).findings


def no_time(seconds: float) -> None:
    raise OutOfTime


def test_what_takes_too_long_is_made_again_at_once(
    template: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = template.copy(tmp_path / "repo")
    start = repo.commit({".hkgit/config.toml": TAKES_LATE}, "Guard it")
    wanted = contents(repo, commit(repo, honest(repo)))
    with monkeypatch.context() as patched:
        patched.setattr("hkgit.gate.judge.limit_time", no_time)
        [rejected] = report(repo, start).rulings
    assert rejected.rule == "budget"
    follow(repo, mend(rejected))
    assert report(repo, start).passes is True
    assert contents(repo, "HEAD") == wanted


BY_CLAUDE = {"GIT_AUTHOR_NAME": "Claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}
BASE = "".join(f"line {number}\n" for number in range(1, 21))
WANTED = BASE.replace("line 5\n", "five\n")

HIDING = re.compile(
    r'--reset-author|--author\b(?!",)|without (the|its) co-author|/co-author', re.IGNORECASE
)
"""What would hide who made a change; `hkgit log` has an option of that name."""


def test_no_advice_takes_away_what_says_who_made_a_change() -> None:
    assert [found[0] for found in HIDING.finditer(read_sources())] == []


def passes(repo: Repo, commits: str = "start..HEAD") -> bool:
    """Whether every commit passes."""
    rows = run("log", "--json", commits, cwd=repo.path).json()
    return all(each["policy"]["passes"] for each in rows)


@pytest.fixture
def hooked(repo: Repo) -> Repo:
    """With a policy that takes evidence made afterwards, and the hooks."""
    repo.commit({"a.txt": BASE, ".hkgit/config.toml": TAKES_LATE}, "Begin")
    repo.git("tag", "start")
    assert run("init", cwd=repo.path).code == 0
    preload_hooks(repo)
    (repo.path / ".hkgit/.gitattributes").unlink()
    return repo


def mend_refused(repo: Repo, *options: str, env: Mapping[str, str]) -> None:
    """Commit what the hook rejects, and follow the command that it names."""
    said = expect_refusal(repo, "commit", "-q", *options, "-m", "Say five", env=env)
    follow(repo, said.partition("fix: ")[2].partition("\n")[0], env=env)


@cases("env", {"an agent": BY_CLAUDE, "under govern = all": {}})
def test_what_a_hook_rejects_is_committed_again_with_evidence(
    hooked: Repo, env: Mapping[str, str]
) -> None:
    if not env:
        policy = {".hkgit/config.toml": TAKES_LATE + 'govern = "all"\n'}
        hooked.commit(policy, "All", "--no-verify")
        hooked.git("tag", "-f", "start")
    hooked.write("a.txt", WANTED)
    hooked.write("new.txt", "new\n")
    hooked.git("add", "new.txt")
    mend_refused(hooked, "-a", env=env)
    assert (hooked.read("a.txt"), hooked.read("new.txt")) == (WANTED.encode(), b"new\n")
    assert passes(hooked)
    assert (hooked.status(), hooked.git("stash", "list")) == ([], "")


@pytest.mark.parametrize("again", ["unstaged\n", "line 5, again\n"], ids=["beside", "on it"])
def test_what_was_not_staged_stays_so(hooked: Repo, again: str) -> None:
    hooked.write("a.txt", WANTED)
    hooked.git("add", "a.txt")
    unstaged = WANTED.replace("five\n" if "again" in again else "line 20\n", again)
    hooked.write("a.txt", unstaged)
    mend_refused(hooked, env=BY_CLAUDE)
    assert hooked.git("show", "HEAD:a.txt") == WANTED.rstrip("\n")
    assert (hooked.read("a.txt"), passes(hooked)) == (unstaged.encode(), True)
    assert " M a.txt" in hooked.status()


def test_the_first_commit_is_made_again_with_evidence(repo: Repo) -> None:
    """An entry is judged on a parent: the history begins with an empty commit."""
    repo.write("a.txt", BASE)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Begin", env=BY_CLAUDE)
    repo.commit({"b.txt": "b\n", ".hkgit/config.toml": TAKES_LATE}, "Later")
    before = contents(repo, "HEAD")
    later, first = run("log", "--json", cwd=repo.path).json()
    assert later["policy"]["passes"]
    follow(repo, first["mend"], env=BY_CLAUDE)
    assert contents(repo, "HEAD") == before
    assert passes(repo, "HEAD")


ELSEWHERE = {
    "break-glass": "is told of a commit that passes",
    "budget": "above",
    "signature": "above",
    "unverifiable": "above",
}


def test_no_rule_is_left_out() -> None:
    """Whoever adds a rule adds how its rejection is mended."""
    rules = {name.partition(":")[0] for name in KINDS}
    assert list_rules() <= rules | {*ELSEWHERE}
