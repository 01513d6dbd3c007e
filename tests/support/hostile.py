"""hostile.py: a history whose every name tries to be markup, script, style or a command."""

from hkgit.edits import File
from tests.support.commits import Change, applied, commit
from tests.support.repos import Repo
from tests.support.specs import search_replace

MARK = "</title></script></style><b><i><u>x</u></i></b><img src=x onerror=window.pwned=1>"
CORPUS = (
    MARK,
    '"><svg onload=window.pwned=1>',
    "{{ 7 * 7 }} {% raw %} {{ facts.__class__ }}",
    "'-alert(1)-' &lt;script&gt; --> <!-- ]]>",
    "\u202etxt.exe\u202c \u200b\ufeff right to left",
    "javascript:window.pwned=1 \x1b[31m \x07",
)


def hostile(repo: Repo) -> None:
    """A commit for each text of the corpus: as subject, author, agent, path and content."""
    repo.commit({"a.txt": "one\ntwo\n"}, "Begin")
    repo.git("tag", "start")
    for number, text in enumerate(CORPUS):
        line = text.replace("\x1b", "").replace("\x07", "")
        old = repo.read("a.txt").decode().splitlines()[0]
        change = applied(repo, search_replace(old, f"{number} {line}", "a.txt"))
        change.message = f"{text}\n"
        name = "".join(char for char in text if char.isprintable())
        change.entry["claims"]["agent"] = name
        change.entry["claims"]["squashed"] = {"edits": 1, "agents": [text[:80]]}
        change.author = f"{text.replace('<', '(').replace('>', ')')} <x@example.org>"
        commit(repo, change)
        path = f"{number} {text}".replace("/", "\u2215").replace("\x1b", "")
        files: dict[str, File | None] = {path: File(f"{text}\n".encode())}
        commit(repo, Change(files, author="codex <codex@example.org>", message=f"Add {text}\n"))
