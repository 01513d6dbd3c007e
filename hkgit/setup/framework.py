"""framework.py: the gate as hooks of the pre-commit framework, whose configuration is YAML.

Lines are put in and taken out as text, between markers, so that the rest of the file keeps every
byte of its comments and layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent

from hkgit.edits import decoded, encoded
from hkgit.git.hooks import HOOKS, calls_gate
from hkgit.setup.steps import Action, Step, kept, read

CONFIG = ".pre-commit-config.yaml"
BEGIN = "# >>> hkgit init; `hkgit init --remove` takes these lines away"
END = "# <<< hkgit init"

# That nothing can be recorded stops no commit: whether it needs evidence, the gate knows.
_RECORD = """\
- id: hkgit-record
  name: hkgit record (changes)
  description: Adds the evidence of what sessions edited to the index.
  entry: sh -c 'if command -v hkgit >/dev/null; then hkgit record --staged || :; fi'
  language: {language}
  stages: [pre-commit]
  always_run: true
  pass_filenames: false
  require_serial: true
"""
_RECORD_MESSAGE = """\
- id: hkgit-record-message
  name: hkgit record (message)
  description: Names that evidence in the message, whose file is the one name passed.
  entry: >-
    sh -c 'if command -v hkgit >/dev/null; then hkgit record --message-file "$@" || :; fi' hkgit
  language: {language}
  stages: [prepare-commit-msg, commit-msg]
  always_run: true
  pass_filenames: true
  require_serial: true
"""
_RECORD_DONE = """\
- id: hkgit-record-done
  name: hkgit record (done)
  description: Lets sessions forget what is committed now.
  entry: sh -c 'if command -v hkgit >/dev/null; then hkgit record --committed || :; fi'
  language: {language}
  stages: [post-commit]
  always_run: true
  pass_filenames: false
  require_serial: true
"""
_CHANGES = """\
- id: hkgit-gate
  name: hkgit gate (changes)
  description: Judges the index that git is about to commit.
  entry: hkgit gate --staged
  language: {language}
  stages: [pre-commit, pre-merge-commit]
  always_run: true
  pass_filenames: false
  require_serial: true
"""
# A top-level `files` or `exclude` drops the name of the message too; then no argument follows, and
# the gate looks where git keeps the message.
_MESSAGE = """\
- id: hkgit-gate-message
  name: hkgit gate (message)
  description: Judges the commit together with its message, whose file is the one name passed.
  entry: hkgit gate --message-file
  language: {language}
  stages: [commit-msg]
  always_run: true
  pass_filenames: true
  require_serial: true
"""
_PUSH = """\
- id: hkgit-gate-push
  name: hkgit gate (push)
  description: Judges the one pushed ref that the framework tells of; a server or CI judges all.
  entry: hkgit gate --pre-push
  language: {language}
  stages: [pre-push]
  always_run: true
  pass_filenames: false
  require_serial: true
"""
Known = Mapping[str, Sequence[str]]
"""The items of each hook, in the order in which they run."""

_FOR: Known = {
    "pre-commit": (_RECORD, _CHANGES),
    "pre-merge-commit": (_CHANGES,),
    "prepare-commit-msg": (_RECORD_MESSAGE,),
    "commit-msg": (_RECORD_MESSAGE, _MESSAGE),
    "post-commit": (_RECORD_DONE,),
    "pre-push": (_PUSH,),
}
_PUSH_BEFORE = """\
  entry: >-
    sh -c '[ -z "$PRE_COMMIT_TO_REF" ]
    || git merge-base --is-ancestor "$PRE_COMMIT_TO_REF" "$PRE_COMMIT_FROM_REF"
    || exec hkgit gate --range "$PRE_COMMIT_FROM_REF..$PRE_COMMIT_TO_REF"'
"""
_FORMER: Known = {
    "pre-commit": (_CHANGES,),
    "pre-merge-commit": (_CHANGES,),
    "commit-msg": (_MESSAGE,),
    "pre-push": (_PUSH.replace("  entry: hkgit gate --pre-push\n", _PUSH_BEFORE),),
}
"""What an older hkgit wrote."""


def _hook_types(known: Known) -> str:
    return f"default_install_hook_types: [{', '.join(known)}]\n"


HOOK_TYPES = _hook_types(_FOR)

_REST = r"[ \t]*(?:#[^\r\n]*)?(?P<end>\r?\n)"
_REPOS = re.compile(
    rf"^repos:{_REST}(?=(?:[ \t]*(?:#.*)?\r?\n)*(?P<indent>[ \t]*)-\s)", re.MULTILINE
)
_EMPTY = re.compile(rf"^repos: \[\](?={_REST})", re.MULTILINE)
_BARE = re.compile(rf"^repos:{_REST}(?P<indent>)", re.MULTILINE)
_TYPES = re.compile(r"^default_install_hook_types:", re.MULTILINE)
_USES = re.compile(r"^[^#\n]*\bid:[ \t]*['\"]?hkgit-gate", re.MULTILINE)
_BLOCK = re.compile(
    rf"^(?P<indent>[ \t]*){re.escape(BEGIN)}\r?\n"
    rf"(?P<inner>(?s:.*?))^[ \t]*{re.escape(END)}\r?\n",
    re.MULTILINE,
)


def manifest() -> str:
    """The text of `.pre-commit-hooks.yaml`, for those who name this project as their `repo`."""
    return _rendered(HOOKS, "python")


def local_entry(hooks: Sequence[str], known: Known = _FOR) -> str:
    """The item of `repos` that runs the gate's hooks with the hkgit on PATH."""
    return "- repo: local\n  hooks:\n" + indent(_rendered(hooks, "system", known), "    ")


def _rendered(hooks: Sequence[str], language: str, known: Known = _FOR) -> str:
    texts = dict.fromkeys(text for name in known if name in hooks for text in known[name])
    return "".join(text.replace("{language}", language) for text in texts)


def install_command(hooks: Sequence[str]) -> str:
    """What makes the framework run the hooks: without `-t` it installs pre-commit alone."""
    return "pre-commit install " + " ".join(f"-t {name}" for name in hooks)


def install(root: Path, hooks: Sequence[str]) -> Step:
    """The configuration with the gate's lines in it, or what a person has to do."""
    path = root / CONFIG
    content = read(path) or b""
    text = _BLOCK.sub(lambda block: "" if _is_former(block) else block[0], decoded(content))
    if _USES.search(text) is not None or calls_gate(encoded(text)):
        return kept(path, "runs hkgit gate already")
    filled = _EMPTY.sub("repos:", text, 1)
    repos = (_REPOS if filled == text else _BARE).search(filled)
    if repos is None:
        entry = local_entry(hooks)
        return Step(path, Action.BLOCKED, f"has no list `repos:` to add to; add to it:\n{entry}")
    added = _block(local_entry(hooks), repos["indent"], repos["end"])
    new = filled[: repos.end()] + added + filled[repos.end() :]
    if _TYPES.search(text) is None:
        types = _block(HOOK_TYPES, "", repos["end"])
        new = new[: repos.start()] + types + new[repos.start() :]
    return Step(path, Action.WROTE, "the gate as a local hook", encoded(new))


def _block(text: str, indentation: str, line_end: str) -> str:
    """Lines between markers, which `remove` finds again."""
    marked = indent(f"{BEGIN}\n{text}{END}\n", indentation)
    return marked.replace("\n", line_end)


def remove(root: Path) -> Iterator[Step]:
    """The configuration without the lines that `install` added, where they are still so."""
    path = root / CONFIG
    text = decoded(read(path) or b"")
    left = _BLOCK.sub(lambda block: "" if _is_own(block) else block[0], text)
    if left != text:
        if _REPOS.search(left) is None:
            left = _BARE.sub(lambda bare: bare[0].replace("repos:", "repos: []", 1), left, 1)
        yield Step(path, Action.WROTE, "without the lines of hkgit init", encoded(left))
    if BEGIN in left:
        yield kept(path, "lines between its markers are yours: not as hkgit wrote them")


def _is_own(block: re.Match[str]) -> bool:
    """Whether a block is one that `install` writes, or once wrote, for whichever hooks."""
    return _is_written(block, _FOR) or _is_former(block)


def _is_former(block: re.Match[str]) -> bool:
    """Whether a block is one that only an older hkgit wrote."""
    return not _is_written(block, _FOR) and _is_written(block, _FORMER)


def _is_written(block: re.Match[str], known: Known) -> bool:
    found = block[0].replace("\r\n", "\n")
    lines = {line.strip() for line in found.splitlines()}
    hooks = [
        name
        for name, texts in known.items()
        if all(text.partition("\n")[0] in lines for text in texts)
    ]
    texts = (_hook_types(known), local_entry(hooks, known))
    return found in (_block(text, block["indent"], "\n") for text in texts)
