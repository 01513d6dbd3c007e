"""framework_hooks.py: the items of hooks that hkgit writes, or once wrote, for the framework."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from hkgit.values import dataclass, replace


def _item(about: str, entry: str, stages: str, *, passes_names: bool = False) -> str:
    """An item of the manifest; `about` has its id, its name and its description, a line each."""
    id_, name, description = about.splitlines()
    return f"""\
- id: {id_}
  name: {name}
  description: {description}
  entry: {entry}
  language: {{language}}
  stages: [{stages}]
  always_run: true
  pass_filenames: {str(passes_names).lower()}
  require_serial: true
"""


# That nothing can be recorded stops no commit: whether it needs evidence, the gate knows.
_IF_HERE = "if command -v hkgit >/dev/null; then hkgit record {} || :; fi"
_RECORD = _item(
    "hkgit-record\nhkgit record (changes)\nAdds the evidence of what sessions edited to the index.",
    f"sh -c '{_IF_HERE.format('--staged')}'",
    "pre-commit",
)
_RECORD_MESSAGE = _item(
    "hkgit-record-message\n"
    "hkgit record (message)\n"
    "Names that evidence in the message, whose file is the one name passed.",
    ">-\n    sh -c '" + _IF_HERE.format('--message-file "$@"') + "' hkgit",
    "prepare-commit-msg, commit-msg",
    passes_names=True,
)
_RECORD_DONE = _item(
    "hkgit-record-done\nhkgit record (done)\nLets sessions forget what is committed now.",
    f"sh -c '{_IF_HERE.format('--committed')}'",
    "post-commit",
)
_CHANGES = _item(
    "hkgit-gate\nhkgit gate (changes)\nJudges the index that git is about to commit.",
    "hkgit gate --staged",
    "pre-commit, pre-merge-commit",
)
# A top-level `files` or `exclude` drops the name of the message too; then no argument follows, and
# the gate looks where git keeps the message.
_MESSAGE = _item(
    "hkgit-gate-message\n"
    "hkgit gate (message)\n"
    "Judges the commit together with its message, whose file is the one name passed.",
    "hkgit gate --message-file",
    "commit-msg",
    passes_names=True,
)
_PUSH = _item(
    "hkgit-gate-push\n"
    "hkgit gate (push)\n"
    "Judges the one pushed ref that the framework tells of; a server or CI judges all.",
    "hkgit gate --pre-push",
    "pre-push",
)
Known = Mapping[str, Sequence[str]]
"""The items of each hook, in the order in which they run."""

_PUBLISHED_BEFORE: Known = {
    "pre-commit": (_RECORD, _CHANGES),
    "pre-merge-commit": (_CHANGES,),
    "prepare-commit-msg": (_RECORD_MESSAGE,),
    "commit-msg": (_RECORD_MESSAGE, _MESSAGE),
    "post-commit": (_RECORD_DONE,),
    "pre-push": (_PUSH,),
}
_GONE = (
    'command -v hkgit >/dev/null || { echo "hkgit is not here: install it, or delete its lines from'
    ' .pre-commit-config.yaml" >&2; exit 1; }; exec'
)


@dataclass(frozen=True, slots=True)
class LocalHook:
    """A hook on one line; `command` is a line for a shell, in which `"$@"` is the message file."""

    id: str
    command: str
    stages: tuple[str, ...]

    @property
    def _entry(self) -> str:
        entry = f"sh -c {shlex.quote(self.command)} hkgit"
        return entry.replace("\\", "\\\\").replace('"', '\\"')

    def to_entry(self) -> str:
        """Write the line of a manifest that says what is run."""
        return f'  entry: "{self._entry}"\n'

    @property
    def _is_named(self) -> str:
        return "true" if '"$@"' in self.command else "false"

    def to_yaml(self) -> str:
        """Write the item of a list of hooks in `.pre-commit-config.yaml`."""
        head = f'- {{id: {self.id}, name: {self.id}, entry: "{self._entry}"'
        rest = f"language: system, always_run: true, pass_filenames: {self._is_named}"
        return f"{head}, stages: [{', '.join(self.stages)}], {rest}}}\n"

    def to_toml(self) -> str:
        """Write the item of a list of hooks in `prek.toml`."""
        stages = ", ".join(f'"{stage}"' for stage in self.stages)
        head = f'  {{ id = "{self.id}", name = "{self.id}", entry = "{self._entry}"'
        rest = f'language = "system", always_run = true, pass_filenames = {self._is_named}'
        return f"{head}, stages = [{stages}], {rest} }},\n"


# What nearly every commit is answered by, before Python starts: no edit waits to be recorded, and
# the judge has let such a commit pass (see `cli.question`).
_WAITS = (
    'p=${GIT_DIR:-.git}; [ -d "$p" ] || p=$(git rev-parse --git-dir);'
    ' [ -e "$p/hkgit/sessions/.waiting" ] || [ -e .hkgit/local/sessions/.waiting ] ||'
    ' [ -n "$HKGIT_STATE" ] || exit 0; '
)
_KNOWN = 'a=${GIT_DIR:-.git}/hkgit/ask; [ -f "$a" ] && (. "$a") && exit; '
_KNOWN_MESSAGE = _KNOWN.replace('(. "$a")', '(set -- message "$@"; . "$a")')

_L_RECORD = LocalHook("hkgit-record", _IF_HERE.format("--staged"), ("pre-commit",))
_L_RECORD_MESSAGE = LocalHook(
    "hkgit-record-message",
    _IF_HERE.format('--message-file "$@"'),
    ("prepare-commit-msg", "commit-msg"),
)
_L_RECORD_DONE = LocalHook("hkgit-record-done", _IF_HERE.format("--committed"), ("post-commit",))
_L_CHANGES = LocalHook(
    "hkgit-gate", f"{_GONE} hkgit gate --staged", ("pre-commit", "pre-merge-commit")
)
_L_MESSAGE = LocalHook(
    "hkgit-gate-message", f'{_GONE} hkgit gate --message-file "$@"', ("commit-msg",)
)
_L_PUSH = LocalHook("hkgit-gate-push", f"{_GONE} hkgit gate --pre-push", ("pre-push",))

_LOCAL_BEFORE: Mapping[str, Sequence[LocalHook]] = {
    "pre-commit": (_L_RECORD, _L_CHANGES),
    "pre-merge-commit": (_L_CHANGES,),
    "prepare-commit-msg": (_L_RECORD_MESSAGE,),
    "commit-msg": (_L_RECORD_MESSAGE, _L_MESSAGE),
    "post-commit": (_L_RECORD_DONE,),
    "pre-push": (_L_PUSH,),
}
_ASKS_FIRST = {
    "hkgit-record": _WAITS,
    "hkgit-record-message": _WAITS,
    "hkgit-record-done": _WAITS,
    "hkgit-gate": _KNOWN,
    "hkgit-gate-message": _KNOWN_MESSAGE,
    "hkgit-gate-push": "",
}


def _ask_first(hook: LocalHook) -> LocalHook:
    return replace(hook, command=_ASKS_FIRST[hook.id] + hook.command)


_SEPARATE: Mapping[str, Sequence[LocalHook]] = {
    name: tuple(map(_ask_first, hooks)) for name, hooks in _LOCAL_BEFORE.items()
}
"""Recording and judging as hooks of their own, as the manifest names them."""

# The framework asks git for all changes around every hook; so there is one at each stage, which
# records and judges in one process.
_GATE = LocalHook("hkgit-gate", f"{_KNOWN}{_GONE} hkgit gate --record --staged", ("pre-commit",))
_GATE_MERGE = LocalHook(
    "hkgit-gate-merge", f"{_KNOWN}{_GONE} hkgit gate --staged", ("pre-merge-commit",)
)
_GATE_MESSAGE = LocalHook(
    "hkgit-gate-message",
    f'{_KNOWN_MESSAGE}{_GONE} hkgit gate --record --message-file "$@"',
    ("commit-msg",),
)
_SHOW_MESSAGE = _ask_first(replace(_L_RECORD_MESSAGE, stages=("prepare-commit-msg",)))

LOCAL_HOOKS: Mapping[str, Sequence[LocalHook]] = {
    **_SEPARATE,
    "pre-commit": (_GATE,),
    "pre-merge-commit": (_GATE_MERGE,),
    "prepare-commit-msg": (_SHOW_MESSAGE,),
    "commit-msg": (_GATE_MESSAGE,),
}


def _to_yaml(known: Mapping[str, Sequence[LocalHook]]) -> Known:
    return {name: tuple(each.to_yaml() for each in hooks) for name, hooks in known.items()}


WRITTEN = _to_yaml(LOCAL_HOOKS)
"""What `install` writes: a line a hook."""


def _publish(text: str, hook: LocalHook) -> str:
    """An item of the manifest that runs the command of a local hook."""
    if not _ASKS_FIRST[hook.id]:
        return text
    return re.sub(r"  entry: (?s:.*?)(?=  language:)", lambda _: hook.to_entry(), text)


PUBLISHED: Known = {
    name: tuple(map(_publish, texts, _SEPARATE[name])) for name, texts in _PUBLISHED_BEFORE.items()
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
_LOCAL_FORMERS = (_LOCAL_BEFORE, _SEPARATE)
FORMERS: Sequence[Known] = (
    PUBLISHED,
    _PUBLISHED_BEFORE,
    _FORMER,
    *map(_to_yaml, _LOCAL_FORMERS),
)
"""What an older hkgit wrote."""
FORMER_HOOKS = tuple(each for known in _LOCAL_FORMERS for hooks in known.values() for each in hooks)
"""The same, as lines of `prek.toml`."""
