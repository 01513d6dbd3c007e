"""What git makes of a file in the work tree, and of its name elsewhere."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, File
from hkgit.errors import InvalidInput
from hkgit.git.facts import ask_git, find_shared
from hkgit.text.paths import fold_name, quote_path
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:  # an edit in a session asks for attributes, and for no repository
    from hkgit.git.objects import TreeSnapshot
    from hkgit.git.repository import Repository

FOREIGN = ("filter", "working-tree-encoding")
"""The attributes by which the text in the work tree is another one than git stores."""

_FILE = ".gitattributes"
_SYSTEM = Path("/etc")


def _speak_of(names: Collection[str], contents: Iterable[bytes]) -> bool:
    return any(name.encode() in content for content in contents for name in names)


def _attribute_files(paths: Iterable[str]) -> set[str]:
    """Where attribute files of a tree would lie that refer to paths."""
    parents = {parent for path in paths for parent in PurePosixPath(path).parents}
    return {str(parent / _FILE) for parent in parents}


def _places_beside(common_dir: Path, named: Path | str | None) -> Iterator[Path]:
    """Where git looks for the attributes of the repository, of the user and of the machine."""
    yield common_dir / "info" / "attributes"
    yield Path(named) if named else _user_folder() / "attributes"
    if os.environ.get("GIT_ATTR_NOSYSTEM") is None:
        yield _SYSTEM / "gitattributes"


def _home() -> Path:
    return Path(os.environ.get("HOME", "/"))


def _user_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home() / ".config") / "git"


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""


@dataclass(frozen=True)
class Unedited:
    """Tells which files of a checkout are not edited in place, and why."""

    root: Path
    git_dir: Path

    def expect_plain(self, path: str) -> None:
        """Raise InvalidInput where git stores another text than is in the work tree."""
        asked = ("check-attr", "-z", *FOREIGN, "--", path)
        output = ask_git(*asked, root=str(self.root))
        if not output:  # a repository that git does not open has files all the same
            near = (_read(self.root / name) for name in _attribute_files([path]))
            if not self._is_foreign_anywhere and not _speak_of(FOREIGN, near):
                return
            from hkgit.git.program import Git  # it says why

            output = os.fsdecode(Git(self.root)(*asked).stdout)
        driver, encoding = output.split("\0")[2:6:3]
        expect_unfiltered(path, driver, encoding)

    def expect_checked_out(self, path: str) -> None:
        """Raise InvalidInput for a tracked file that a sparse checkout leaves out."""
        if not (self.git_dir / "info" / "sparse-checkout").exists():
            return
        from hkgit.git.program import Git

        args = ("--literal-pathspecs", "ls-files", "-z", "-t", "--", path)
        if f"S {path}" in Git(self.root)(*args, check=False).words:
            what = "is tracked, but not in this sparse checkout"
            fix = "Add its directory (git sparse-checkout add), or read it with --rev HEAD and"
            raise InvalidInput(path, what, f"{fix} use `hkgit apply`, which edits commits.")

    @cached_property
    def _is_foreign_anywhere(self) -> bool:
        """Whether attributes that hold for every path may name a filter, or settings of git name
        a file of attributes or other settings."""
        common, user = Path(find_shared(self.git_dir)), _user_folder()
        if _speak_of(FOREIGN, map(_read, _places_beside(common, None))):
            return True
        named = Path(os.environ.get("GIT_CONFIG_GLOBAL") or _home() / ".gitconfig")
        settings = (common / "config", named, user / "config", _SYSTEM / "gitconfig")
        return _speak_of(("attributesfile", "[include"), (_read(each).lower() for each in settings))


def expect_unfiltered(path: str, driver: str, encoding: str) -> None:
    """Raise InvalidInput where what attributes say makes another text of a file."""
    fix = "No evidence can describe it: edit it with another tool, and let a person commit it."
    if driver not in ("unspecified", "unset"):
        what = f"goes through the filter {driver}: git stores a different text"
        raise InvalidInput(path, what, fix)
    if encoding not in ("unspecified", "unset", "set") and encoding.lower() != "utf-8":
        raise InvalidInput(path, f"is {encoding} in the work tree, and UTF-8 in git", fix)


_LINE_ENDS = ("text", "eol", "crlf", "binary")
_IDENT = rb"\$Id:[^$\n]*\$"
_ODD = bytes({*range(32), 127} - set(b"\b\t\n\f\r\33"))


@dataclass(frozen=True)
class Content:
    """New content of a file; `before` is the blob that the index has at its path, if any."""

    data: bytes
    before: bytes | None = None


@dataclass(frozen=True)
class Conversion:
    """Converts content as `git add` does, under the attributes of a commit.

    The methods raise GitRefused when git cannot be asked.
    """

    repository: Repository
    files: TreeSnapshot

    def expect_stored(self, contents: Mapping[str, Content]) -> None:
        """Raise InvalidInput for a path where git would store something else than the content."""
        for refusal in self.why_foreign(contents).values():
            raise refusal
        for path, content in contents.items():
            if self.convert(path, content) != content.data:
                what = "git would not store this content as it is: it changes line ends or $Id$"
                fix = (
                    "Write a whole file with LF; normalize any other (git add --renormalize), and "
                    "commit that."
                )
                raise InvalidInput(quote_path(path), what, fix)

    def convert(self, path: str, content: Content) -> bytes:
        """Convert content to the blob that `git add` makes of it, filters and encodings aside."""
        data = content.data
        if self.stores_lf(path, content.data, content.before):
            data = data.replace(b"\r\n", b"\n")
        if (
            re.search(_IDENT, data)
            and self._ask_attributes([path], ("ident",))[path]["ident"] == "set"
        ):
            data = re.sub(_IDENT, b"$Id$", data)
        return data

    def stores_lf(self, path: str, data: bytes, before: bytes | None = None) -> bool:
        """Whether CRLF becomes LF in new content of a path that the index has as it is `before`."""
        if b"\r\n" not in data:
            return False
        action = _action(self._ask_attributes([path], _LINE_ENDS)[path])
        if action is None and self._acts_on_line_ends:
            action = "auto"
        if action == "auto":
            old = before or b""
            return not _is_binary(data) and (b"\r\n" not in old or _is_binary(old))
        return action == "text"

    @cached_property
    def _acts_on_line_ends(self) -> bool:
        """Whether `core.autocrlf` acts on the way in: as `input`, or as any word for true."""
        is_input = (self.repository.config("core.autocrlf") or "").lower() == "input"
        return is_input or self.repository.is_on("core.autocrlf")

    def why_foreign(self, paths: Collection[str]) -> dict[str, InvalidInput]:
        """Map each file of which git stores another text than the work tree has to its refusal."""
        refusals = {}
        for path, values in self._ask_attributes(paths, FOREIGN).items():
            try:
                expect_unfiltered(quote_path(path), *(values[name] for name in FOREIGN))
            except InvalidInput as refusal:
                refusals[path] = refusal
        return refusals

    def _ask_attributes(
        self, paths: Collection[str], names: Collection[str]
    ) -> dict[str, dict[str, str]]:
        """Ask git for attributes of paths: path -> name -> set, unset, unspecified, or a value.

        The attribute files are those of the commit, of the repository and of the user; what
        somebody has changed in a work tree does not count, and links among them git ignores.
        """
        named = self.repository.config("core.attributesfile")
        beside = _places_beside(self.repository.common_dir, named and Path(named).expanduser())
        above = {name: self.files.entry(name) for name in _attribute_files(paths)}
        stored = {
            name: entry
            for name, entry in above.items()
            if entry is not None and entry.mode in (REGULAR, EXECUTABLE)
        }
        contents = (self.files.read_blob(entry.id) for entry in stored.values())
        if not _speak_of(names, [*contents, *map(_read, beside)]):
            return {path: dict.fromkeys(names, "unspecified") for path in paths}
        import tempfile  # few attributes are asked of git

        with tempfile.TemporaryDirectory(prefix="hkgit-attributes-") as folder:
            env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            if self.repository.work_tree is None:  # check-attr wants one, but does not look there
                env["GIT_WORK_TREE"] = folder
            git = self.repository.git.over(env)
            listed = (f"{entry.mode:o} {entry.id}\t{name}\0" for name, entry in stored.items())
            index = ("update-index", "-z", "--add", "--index-info")
            git(*index, stdin=os.fsencode("".join(listed)))
            asked = os.fsencode("".join(f"{path}\0" for path in paths))
            words = git("check-attr", "--cached", "-z", "--stdin", *names, stdin=asked).words
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=True):
            found[path][name] = value
        return found


def _action(values: dict[str, str]) -> str | None:
    """`text`, `auto` or `binary`, as git_path_check_crlf and convert_attrs of git's convert.c.

    None where the configuration decides.
    """
    kinds = {"set": "text", "unset": "binary", "input": "text", "auto": "auto"}
    action = kinds.get(values["text"]) or kinds.get(values["crlf"])
    if action is None and values["eol"] in ("lf", "crlf"):
        return "text"
    return action


def _is_binary(data: bytes) -> bool:
    """As convert_is_binary of git's convert.c: a lone CR, a NUL, or much that is not printable."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    body = data.removesuffix(b"\x1a")
    odd = len(body) - len(body.translate(None, _ODD))
    breaks = body.count(b"\r\n") + body.count(b"\n")
    return (len(body) - odd - breaks) >> 7 < odd


def expect_no_collisions(files: TreeSnapshot, changed: Mapping[str, File | None]) -> None:
    """Raise InvalidInput where a changed file's name collides with another one.

    Only the directories in which a name is new are looked at.
    """
    for new, old in find_collisions(files, changed):
        raise refuse_collision(new, old)


def refuse_collision(new: str, old: str) -> InvalidInput:
    """Build the error for a path that collides with another."""
    fix = "Choose a name that differs in more than case and accents."
    what = f"is the same name as {quote_path(old)} on some file systems"
    return InvalidInput(quote_path(new), what, fix)


def find_collisions(
    files: TreeSnapshot, changed: Mapping[str, File | None]
) -> Iterator[tuple[str, str]]:
    """Yield the new paths among changed files that collide with another, each with that one."""
    for directory, names in _new_names(files, changed).items():
        known = {fold_name(name): name for name in names}
        listed = _entries(files, directory)
        pairs = [(known.get(fold_name(name)), name) for name in (*listed, *names)]
        for new, old in pairs:
            if new is not None and new != old and _stays(files, directory + old, changed):
                yield directory + new, directory + old


def _new_names(files: TreeSnapshot, changed: Mapping[str, File | None]) -> dict[str, list[str]]:
    """By directory (with its slash, the root is empty), the names that it does not have yet."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for path in (path for path, file in changed.items() if file is not None):
        parts = path.split("/")
        for depth, name in enumerate(parts):
            directory = "".join(f"{part}/" for part in parts[:depth])
            if files.entry(directory + name) is None:
                found[directory][name] = None
    return {directory: list(names) for directory, names in found.items()}


def _entries(files: TreeSnapshot, directory: str) -> Iterator[str]:
    tree = files.tree_id
    if directory:
        entry = files.entry(directory.removesuffix("/"))
        if entry is None or entry.mode != DIRECTORY:
            return
        tree = entry.id
    yield from files.trees.entries(tree)


def _stays(files: TreeSnapshot, path: str, changed: Mapping[str, File | None]) -> bool:
    """Whether a name is still there when everything is changed."""
    kept = (name for name, file in changed.items() if file is not None)
    if any(f"{name}/".startswith(f"{path}/") for name in kept):
        return True
    entry = files.entry(path)
    if entry is None or entry.mode != DIRECTORY:
        return entry is not None and path not in changed
    inside = (f"{path}/{name}" for name, _ in files.trees.walk(entry.id))
    return any(name not in changed for name in inside)
