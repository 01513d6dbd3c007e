"""conftest.py: one history with every sort of rejection, and what the gate says of it."""

from dataclasses import dataclass

import pytest

from hkgit.applying.evidence import CHECKED
from hkgit.audit.reports.findings import ReportItem
from hkgit.edits import File, Read
from hkgit.gate.policy.model import Policy
from hkgit.text.document import range_hash
from tests.support.commits import AGENT, PERSON, Change, applied, commit
from tests.support.objects import open_repository
from tests.support.reports import ReportSheet, place_report, render
from tests.support.repos import Repo
from tests.support.rulings import judge_between
from tests.support.specs import search_replace

APP = b"".join(b"line %d\n" % number for number in range(1, 21))
ODD = "::add-mask::a, 100% `b` | <i> ##[c].md"
"""A name that means something in every format."""

HOSTILE = "::error file=a::owned ##[set-env]x | `b` <img src=x> @all #1 \u202egnp\x1b[31m"
"""A subject that shall drive whoever prints it."""

HOSTILE_AGENT = "claude-##[x]\u202e | `y` <::error@example.org>"


@dataclass(frozen=True)
class History:
    """Commits by name, and the sheet of what the gate says of them all."""

    repo: Repo
    commits: dict[str, str]
    sheet: ReportSheet

    def items(self, name: str) -> list[ReportItem]:
        """The findings of one commit."""
        found = self.commits[name]
        return [item for item in self.sheet.items if item.ruling.judged.candidate.id == found]

    def rendered(self, form: str) -> str:
        return render(self.sheet, form)


def judged(repo: Repo, old: str, new: str = "HEAD", policy: Policy | None = None) -> ReportSheet:
    """The sheet of a range."""
    return place_report(open_repository(repo), judge_between(repo, old, new, policy))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    repo = Repo.init(tmp_path_factory.mktemp("reports") / "repo")
    repo.commit({"app.py": APP, "notes.md": "one\ntwo\n", ODD: "x\n", "gone.md": "x\n"}, "Begin")
    repo.git("tag", "start")
    commits = {}
    commits["blind edit"] = commit(
        repo, applied(repo, search_replace("line 5", "line five", "app.py"))
    )
    read = Read("app.py", 12, 12, range_hash(repo.read("app.py"), 12, 12))
    smuggled = applied(repo, search_replace("line 12", "line twelve", "app.py"), reads=[read])
    data = smuggled.files["app.py"]
    assert data is not None
    smuggled.files["app.py"] = File(data.data.replace(b"line 18\n", b"line eighteen\n"))
    commits["smuggled"] = commit(repo, smuggled)
    by_agent = Change({"notes.md": File(b"one\ntwo\nthree\n")}, author=AGENT)
    commits["blind commit"] = commit(repo, by_agent)
    odd = Change({ODD: File(b"y\n")}, author=HOSTILE_AGENT, message=f"{HOSTILE}\n")
    commits["hostile"] = commit(repo, odd)
    commits["removed"] = commit(repo, Change({"gone.md": None}, author=AGENT))
    above = Change({"app.py": File(b"above\nabove\n" + repo.read("app.py"))}, author=PERSON)
    commits["by hand"] = commit(repo, above)
    return History(repo, commits, judged(repo, "start", policy=Policy(accept=CHECKED)))
