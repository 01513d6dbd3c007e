"""What calls answer, whatever carries them: the next step, sessions, and where work may be done."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.servers.connection import Connection
from hkgit.agents.servers.replies import Reply
from hkgit.agents.servers.server_calls import CALLS
from hkgit.errors import InvalidInput
from hkgit.text.hashes import compute_tag
from hkgit.workflows.arguments import LONGEST_TEXT, schema
from tests.agents.streaming import GREETING
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard


def replacing(old: str, new: str, path: str = "greet.py") -> dict[str, str]:
    """An edit in the notation of seed harnesskit."""
    return {"file": path, "old_text": old, "new_text": new}


MEND = replacing('"Helo, "', '"Hello, "')


def edited(session: Connection, *edits: dict[str, str]) -> Reply:
    """What becomes of edits."""
    return session.answer("edit", {"text": json.dumps({"edits": edits})})


def next_of(session: Connection, reply: Reply) -> Reply:
    """What becomes of the call that a reply names as the next one."""
    return session.answer(reply.document["next"]["tool"], reply.document["next"]["arguments"])


def test_a_refusal_names_the_call_that_mends_it(greeting: Repo) -> None:
    session = Connection(greeting.path, None)
    refused = edited(session, replacing('    print("Helo " + name)', "    pass"))
    mended = next_of(session, refused)
    assert refused.is_error is True
    assert mended.document["status"] == "applied"


def test_advice_names_hkgit_by_a_path_and_lines_stay_as_they_are(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(Path(sys.executable).with_name("hkgit"))
    monkeypatch.delenv("CI", raising=False)
    repo.commit({"greet.py": GREETING, "run.md": b"First hkgit apply spec.json\n"})
    session = Connection(repo.path, None)
    shown = session.answer("read", {"path": "run.md"})
    blind = edited(session, MEND)
    refused = session.answer("undo", {"call": "no such call"})
    assert "First hkgit apply spec.json" in shown.text
    assert f"{path} read" in blind.document["blind"][0]["read"]
    assert f"{path} undo --list" in refused.document["error"]["fix"]
    assert f"{path} undo --list" in refused.text


def test_what_is_said_of_a_blind_edit_leads_to_a_commit_that_passes(greeting: Repo) -> None:
    guard(greeting)
    session = Connection(greeting.path, None)
    blind = edited(session, MEND)
    assert blind.document["blind"][0]["lines"] == [2, 2]
    assert "undo, read those lines, and make the edit again" in blind.text
    undone = next_of(session, blind)
    next_of(session, undone)
    assert "blind" not in edited(session, MEND).text
    greeting.git("commit", "-qam", "Mend the greeting")
    assert run("gate", "--range", "HEAD~1..HEAD", cwd=greeting.path).code == 0


def test_what_is_said_of_a_blind_commit_leads_to_one_that_lands(greeting: Repo) -> None:
    guard(greeting)
    session = Connection(greeting.path, None)
    refused = session.answer("apply", {"text": MEND})
    assert "Fix: read those lines in this session, then make this call again." in refused.text
    next_of(session, refused)
    assert session.answer("apply", {"text": MEND}).document["status"] == "applied"


def test_edits_of_which_one_is_refused_are_to_be_sent_again(greeting: Repo) -> None:
    session = Connection(greeting.path, None)
    right = replacing('greet("you")', 'greet("us")')
    refused = edited(session, right, replacing('    print("Helo " + name)', "    pass"))
    assert "Send all edits again, with 2 corrected." in refused.text
    assert greeting.read("greet.py") == GREETING


def test_a_long_file_names_the_call_that_reads_on(repo: Repo) -> None:
    repo.commit({"long.txt": b"line\n" * 3000})
    session = Connection(repo.path, None)
    rest = next_of(session, session.answer("read", {"path": "long.txt"})).document
    assert (rest["start_line"], rest["end_line"]) == (2001, 3000)


@cases(
    "name, evidence", {"of the same name": ("shared", "receipt"), "without a name": (None, "none")}
)
def test_what_another_connection_has_read(greeting: Repo, name: str | None, evidence: str) -> None:
    Connection(greeting.path, name).answer("read", {"path": "greet.py"})
    reply = edited(Connection(greeting.path, name), MEND)
    assert reply.document["edits"][0]["evidence"] == evidence


@pytest.fixture
def two_checkouts(make_repo: Callable[..., Repo]) -> tuple[Repo, Repo]:
    """Two repositories with a file of the same name."""
    first, second = make_repo("first"), make_repo("second")
    first.commit({"name.txt": b"first\n", "inner/name.txt": b"inner\n"})
    second.commit({"name.txt": b"second\n"})
    return first, second


def offered(start: Path, *roots: Path) -> Connection:
    """A session of a client that offers roots."""
    session = Connection(start, None)
    session.offer([root.as_uri() for root in roots])
    return session


def read(session: Connection, **arguments: Any) -> str:
    """The first line of a file, or of a refusal."""
    reply = session.answer("read", arguments)
    return reply.text.splitlines()[0] if reply.is_error else reply.document["range_lines"][0]


def test_a_call_may_choose_among_the_roots(two_checkouts: tuple[Repo, Repo]) -> None:
    first, second = two_checkouts
    session = offered(first.path, first.path, second.path)
    assert read(session, path="name.txt", root=str(second.path)) == "second"


def test_the_next_call_stays_in_the_root_and_the_session_that_were_chosen(
    two_checkouts: tuple[Repo, Repo],
) -> None:
    first, second = two_checkouts
    session = offered(first.path, first.path, second.path)
    place = {"root": str(second.path), "session": "chosen"}
    second.write("name.txt", b"This is the second of the files.\n")
    old = "This is teh second of the files."
    typo = {"text": {"file": "name.txt", "old_text": old, "new_text": "2nd"}}
    refused = session.answer("edit", typo | place)
    assert f"and root {second.path} and session chosen" in refused.text
    assert not next_of(session, refused).is_error
    assert (first.read("name.txt"), second.read("name.txt")) == (b"first\n", b"2nd\n")
    assert session.answer("status", place).document["uncommitted"] == 1


def test_in_a_root_of_many_checkouts_it_is_that_of_the_start(
    two_checkouts: tuple[Repo, Repo],
) -> None:
    first, second = two_checkouts
    assert read(offered(second.path, first.path.parent), path="name.txt") == "second"


def test_a_root_that_was_not_offered_is_refused(two_checkouts: tuple[Repo, Repo]) -> None:
    first, second = two_checkouts
    refused = read(offered(first.path, first.path), path="name.txt", root=str(second.path))
    assert refused == "argument root: is not one of the roots"


@cases(
    "tool, arguments",
    {
        "read": ("read", {"path": "name.txt"}),
        "edit": ("edit", {"text": replacing("first", "1st", "name.txt")}),
        "apply": ("apply", {"text": replacing("first", "1st", "name.txt")}),
    },
)
def test_only_what_is_below_a_root_inside_a_checkout_is_open(
    two_checkouts: tuple[Repo, Repo], tool: str, arguments: dict[str, Any]
) -> None:
    first, _ = two_checkouts
    session = offered(first.path, first.path / "inner")
    assert read(session, path="inner/name.txt") == "inner"
    refused = session.answer(tool, arguments).document["error"]
    assert refused["what"] == "is outside the roots that the client allows"


def test_a_loose_name_leads_to_nothing_outside_a_root(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo("loose")
    repo.commit({"inner/a.txt": b"a\n", "deep/inner/only.txt": b"one\n"})
    text = "inner/only.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
    reply = offered(repo.path, repo.path / "inner").answer("edit", {"text": text})
    assert reply.document["error"]["what"] == "is outside the roots that the client allows"


@cases(
    "uri",
    {
        "no directory": "file:///nonexistent/gone",
        "not on a disk": "https://example.org/",
        "on another machine": "file://elsewhere/tmp",
        "a NUL": "file:///tmp/%00",
        "out of reach": f"file:///{'a' * 300}",
        "no address": "file://[/tmp",
        "nothing": "",
    },
)
def test_roots_that_are_no_directories_are_refused(greeting: Repo, uri: str) -> None:
    session = Connection(greeting.path, None)
    with pytest.raises(InvalidInput, match="none of them is a directory here"):
        session.offer([uri])


LINES = "".join(f"line {number}\n" for number in range(1, 31))
PIXEL = b"\x89PNG\r\n\x1a\n" + b"\0" * 16


@pytest.fixture
def numbered(tmp_path: Path) -> Connection:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(LINES)
    (tmp_path / "dot.png").write_bytes(PIXEL)
    return Connection(tmp_path, "task")


def test_a_reading_with_offset_and_limit_says_where_to_go_on(numbered: Connection) -> None:
    asked = {"path": "a.py", "offset": 5, "limit": 3, "hashline": True}
    read = numbered.answer("read", asked).document
    following = {"path": "a.py", "start_line": 8, "hashline": True, "limit": 3}
    assert (read["start_line"], read["end_line"]) == (5, 7)
    assert read["next"]["arguments"] == following


def test_a_refused_edit_of_tags_is_mended_by_a_reading_with_tags(numbered: Connection) -> None:
    name = compute_tag(b"nowhere")
    text = {"path": "a.py", "hash_start": name, "hash_stop": name, "content": "x"}
    refused = numbered.answer("edit", {"text": text, "format": "hashline"})
    assert refused.document["next"]["arguments"]["hashline"] is True


def test_after_an_edit_of_tags_is_undone_its_lines_are_read_with_tags(numbered: Connection) -> None:
    name = compute_tag(b"line 2")
    text = {"path": "a.py", "hash_start": name, "hash_stop": name, "content": "x"}
    blind = numbered.answer("edit", {"text": text, "format": "hashline"})
    assert blind.document["next"]["tool"] == "undo"
    undone = numbered.answer("undo", blind.document["next"]["arguments"])
    assert undone.document["next"]["arguments"] == {"path": "a.py", "hashline": True}


def test_an_empty_search_may_stand_for_the_end(numbered: Connection, tmp_path: Path) -> None:
    text = "a.py\n<<<<<<< SEARCH\n=======\nlast\n>>>>>>> REPLACE\n"
    reply = numbered.answer("edit", {"text": text, "empty_search": "append"})
    assert not reply.is_error, reply.text
    assert (tmp_path / "a.py").read_text() == f"{LINES}last\n"


def test_an_image_is_there_to_be_looked_at(numbered: Connection) -> None:
    reply = numbered.answer("read", {"path": "dot.png"})
    assert reply.image == PIXEL
    assert reply.document["mime"] == "image/png"


@pytest.mark.parametrize("is_object", [False, True], ids=["a string", "an object"])
def test_a_text_that_is_too_long_is_refused_in_either_form(
    numbered: Connection, is_object: bool
) -> None:
    spec = {"path": "a.py", "old_text": "line 1\n", "new_text": "x" * LONGEST_TEXT}
    reply = numbered.answer("edit", {"text": spec if is_object else json.dumps(spec)})
    assert reply.is_error
    assert "argument text: is longer than 16777216 characters" in reply.text


def test_a_text_may_be_an_object() -> None:
    allowed = schema(CALLS["edit"].arguments)["properties"]["text"]["anyOf"]
    assert [each["type"] for each in allowed] == ["string", "object", "array"]
