"""What repositories are called, whatever address somebody cloned them from."""

import pytest

from hkgit.audit.tables.rows import identify, name_url, normalise_url, quote_name
from hkgit.errors import InvalidInput
from tests.support.hostile import CORPUS
from tests.support.objects import open_repository
from tests.support.repos import Repo

APP = "example.org/acme/app"
ADDRESSES = [
    ("https://example.org/acme/app", APP),
    ("https://example.org/acme/app.git/", APP),
    ("https://mara:s3cret@Example.ORG:443/acme/app.git", APP),
    ("https://s3cret@part@example.org/acme/app", APP),
    ("https://example.org/acme/app.git?private_token=s3cret#s3cret", APP),
    ("http://example.org:80/acme//app", APP),
    ("ssh://git@example.org:22/acme/app.git", APP),
    ("git+ssh://example.org/acme/app", APP),
    ("git://example.org:9418/acme/app", APP),
    ("git@example.org:acme/app.git", APP),
    ("example.org:/acme/app", APP),
    ("mara:s3cret@example.org:acme/app", APP),
    ("https://example.org:8443/acme/app", "example.org:8443/acme/app"),
    ("ssh://git@[2001:DB8::1]:22/acme/app", "[2001:db8::1]/acme/app"),
    ("[2001:db8::1]:acme/app", "[2001:db8::1]/acme/app"),
    ("https://example.org/acme/../etc/app", "example.org/etc/app"),
    ("file:///srv/git/app.git", "file:///srv/git/app"),
    ("/srv/git/app.git/", "file:///srv/git/app"),
    ("../app.git", "file:///home/app"),
]
HIDDEN = [
    "ext::sh -c 's3cret' %S",
    "codecommit::eu-west-1://s3cret@app",
    "https://mara:s3/cret@example.org/acme/app",
    "https:///acme/s3cret",
]


@pytest.mark.parametrize(("address", "name"), ADDRESSES)
def test_every_way_to_write_an_address_gives_one_name(address: str, name: str) -> None:
    url = normalise_url(address, "/home/mara")
    assert name_url(url) == name
    assert "s3cret" not in url
    assert normalise_url(url) == url


@pytest.mark.parametrize("address", HIDDEN)
def test_what_may_hold_a_password_is_named_by_its_hash(address: str) -> None:
    assert normalise_url(address).startswith("other:")
    assert "cret" not in normalise_url(address)


@pytest.mark.parametrize("text", [*CORPUS, "../..", ".", "a/../../b", "é" * 300, "x" * 300])
def test_a_name_is_one_part_of_a_path(text: str) -> None:
    quoted = quote_name(name_url(normalise_url(f"https://example.org/{text}")))
    assert len(quoted) <= 200
    assert not {*"/\\:<>|*?\"' \n"} & {*quoted}


def test_without_a_remote_the_first_commits_name_it(repo: Repo) -> None:
    repo.commit({"a.txt": "one\n"}, "Begin")
    first = identify(open_repository(repo), repo.head)
    repo.commit({"a.txt": "two\n"}, "Go on")
    assert identify(open_repository(repo), repo.head) == first
    assert first.name.startswith("root-")
    assert first.roots == (repo.git("rev-list", "--max-parents=0", "HEAD"),)
    repo.git("remote", "add", "upstream", "git@example.org:acme/app.git")
    repo.git("remote", "add", "origin", "git@example.org:mara/app.git")
    assert identify(open_repository(repo), repo.head).name == "example.org/mara/app"


def test_a_shallow_clone_without_a_remote_has_no_name(repo: Repo) -> None:
    repo.commit({"a.txt": "one\n"}, "Begin")
    repo.commit({"a.txt": "two\n"}, "Go on")
    (repo.path / ".git/shallow").write_text(f"{repo.head}\n")
    with pytest.raises(InvalidInput, match="git fetch --unshallow"):
        identify(open_repository(repo), repo.head)
