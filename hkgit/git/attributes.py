"""attributes.py: read gitattributes(5) of files under one commit.

git itself is asked, but only where an attribute file in its sight says one of the words in
question: most do not, and a process costs more than the planning of an edit.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from hkgit.edits import EXECUTABLE, REGULAR
from hkgit.git.objects.objects import TreeSnapshot
from hkgit.git.objects.trees import TreeEntry
from hkgit.git.repository import Repository

UNSPECIFIED = "unspecified"

_FILE = ".gitattributes"
_SYSTEM = Path("/etc/gitattributes")


def ask_attributes(
    repository: Repository, files: TreeSnapshot, paths: Collection[str], names: Collection[str]
) -> dict[str, dict[str, str]]:
    """Ask git for attributes of paths: path -> name -> set, unset, unspecified, or a value.

    The attribute files are those of a commit, of the repository and of the user; what somebody
    has changed in a work tree does not count. Raises GitRefused.
    """
    above = dict(_files_above(files, paths))
    if not _speak_of(names, [*_stored(files, above), *_contents(_beside(repository))]):
        return {path: dict.fromkeys(names, UNSPECIFIED) for path in paths}
    return _check_attributes(repository, above, paths, names)


def may_convert(
    repository: Repository, files: TreeSnapshot, paths: Collection[str], names: Collection[str]
) -> bool:
    """Whether a checkout may heed one of the attributes; one that is only taken away it does not.

    The attribute files are those of the work tree, of a commit, of the repository and of the user.
    """
    assert repository.work_tree is not None
    here = [repository.work_tree / name for name in _attribute_files(paths)]
    stored = _stored(files, dict(_files_above(files, paths)))
    contents = [*stored, *_contents([*here, *_beside(repository)])]
    for name in names:
        contents = [content.replace(b"-" + name.encode(), b"") for content in contents]
    return _speak_of(names, contents)


def _speak_of(names: Collection[str], contents: Iterable[bytes]) -> bool:
    return any(name.encode() in content for content in contents for name in names)


def _stored(files: TreeSnapshot, above: Mapping[str, TreeEntry]) -> list[bytes]:
    return [files.read_blob(entry.id) for entry in above.values()]


def _files_above(files: TreeSnapshot, paths: Iterable[str]) -> Iterator[tuple[str, TreeEntry]]:
    """The attribute files of the directories that paths lie in; git heeds no links among them."""
    for name in _attribute_files(paths):
        entry = files.entry(name)
        if entry is not None and entry.mode in (REGULAR, EXECUTABLE):
            yield name, entry


def _attribute_files(paths: Iterable[str]) -> set[str]:
    """Where attribute files of a tree would lie that speak of paths."""
    parents = {parent for path in paths for parent in PurePosixPath(path).parents}
    return {str(parent / _FILE) for parent in parents}


def _beside(repository: Repository) -> Iterator[Path]:
    """Where git looks for the attributes of the repository, of the user and of the machine."""
    yield repository.common_dir / "info" / "attributes"
    named = repository.quick_config("core.attributesfile")
    home = Path(os.environ.get("HOME", "/"))
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    yield Path(named).expanduser() if named is not None else config / "git" / "attributes"
    if os.environ.get("GIT_ATTR_NOSYSTEM") is None:
        yield _SYSTEM


def _contents(paths: Iterable[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths if path.is_file()]


def _check_attributes(
    repository: Repository,
    above: Mapping[str, TreeEntry],
    paths: Iterable[str],
    names: Iterable[str],
) -> dict[str, dict[str, str]]:
    """What `git check-attr` says with an index that holds the attribute files alone."""
    import tempfile  # few attributes are asked of git

    with tempfile.TemporaryDirectory(prefix="hkgit-attributes-") as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if repository.work_tree is None:  # check-attr wants one, though it does not look there
            env["GIT_WORK_TREE"] = folder
        listed = "".join(f"{entry.mode:o} {entry.id}\t{name}\0" for name, entry in above.items())
        index = ("update-index", "-z", "--add", "--index-info")
        repository.git(*index, stdin=os.fsencode(listed), env=env)
        check = ("check-attr", "--cached", "-z", "--stdin", *names)
        asked = os.fsencode("".join(f"{path}\0" for path in paths))
        words = os.fsdecode(repository.git(*check, stdin=asked, env=env).stdout).split("\0")
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path, name, value in zip(words[:-1:3], words[1::3], words[2::3], strict=True):
        found[path][name] = value
    return found
