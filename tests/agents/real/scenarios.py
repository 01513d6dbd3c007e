"""What each agent is driven through, and what has to come of it."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from hkgit.agents.setup.installer import list_user_wide
from hkgit.text.hashes import compute_tag
from tests.agents.real.programs import CLAUDE, Program
from tests.agents.real.sandbox import PROJECT
from tests.agents.real.steps import Create, Edit, Ours, Read, Script, Search, Shell, Step, say_ours


def _number(name: str, count: int, words: str = "") -> str:
    return "".join(f'{name}_{n} = "{words}{n}"\n' for n in range(1, count + 1))


HELO, HELLO = '    print("Helo, " + name)\n', '    print("Hello, " + name)\n'
GREETING = f'def greet(name):\n{HELO}\n\ngreet("you")\n'
MANY = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(1, 31))
WIDE = "".join(f'v{number} = "{"wide " * 12}{number}"\n' for number in range(1, 2401))
LOOKED_AT = ("tail", "one", "two", "grep", "awk", "below", "fails")
WIDELY = ("beginning", "middle", "end")
MANY_AT_ONCE = ("many_a", "many_b")
SEEN = {f"seen/{name}.py": _number(name, 60) for name in (*LOOKED_AT, *MANY_AT_ONCE)}
SEEN |= {f"seen/{name}.py": _number(name, 2400, "wide " * 12) for name in WIDELY}
"""Files of which shell commands show a part, each with words of its own."""
FILES = {
    ".gitattributes": "* -text\n",
    **SEEN,
    "greet.py": GREETING,
    "other.py": MANY,
    "shelled.py": MANY,
    "twice.py": MANY,
    "patched.py": MANY,
    "wide.py": WIDE,
    "sub/inner.py": "x = 1\ny = 2\nz = 3\n",
}
FORMATTER = f"{shlex.quote(sys.executable)} {PROJECT}/tests/agents/real/formatter.py greet.py"

STRICT, BLIND = "strict", "refused: blind"
ACP = "acp"
"""The mode in which an editor starts the agent, and nothing is set up for it."""


@dataclass(frozen=True)
class Commit:
    """Files that are committed together, and what the gate has to say of that."""

    name: str
    paths: tuple[str, ...]
    wanted: str = STRICT
    """`edited` where it is enough that the agent's own tools have changed the files."""
    heard: str = ""
    """What the model has to be told for it."""
    entries: int = 0
    """How many entries it has, if that matters: an edit that is told twice is one."""
    unless_seen: str = ""
    """Text of a file; where the model was shown it, the edit is not blind."""


@dataclass(frozen=True)
class Scenario:
    """One start of an agent."""

    name: str
    turns: Sequence[Sequence[Step]]
    commits: Sequence[Commit]
    mode: str = "record"
    is_asking: bool = False
    """Whether the agent runs without the options that let it do everything."""
    directory: str = "."
    beside: str = ""
    hkgit: str = "there"
    """`absent`, `failing` or `hanging` while the agent runs."""
    has_hooks: bool = False
    """Whether the agent's own hooks record as well, where an editor starts it."""
    is_attaching: bool = False
    """Whether its prompt shows `greet.py`."""
    is_scripted: bool = False
    """Whether its model calls tools from scripts."""
    is_committing: bool = False
    """Whether the agent itself commits."""
    has_user_hooks: bool = False
    """Whether the user has its hooks for all repositories as well."""


MEND: list[list[Step]] = [[Read("greet.py")], [Edit("greet.py", HELO, HELLO)]]


def _edit(path: str, old: int, new: int) -> Edit:
    return Edit(path, f"    return {old}\n", f"    return {new}\n")


RECORD = Scenario(
    "record",
    [
        *MEND,
        [_edit("other.py", 7, 700)],
        [Shell("sed -n 1,20p shelled.py")],
        [_edit("shelled.py", 2, 200)],
        [Read("twice.py")],
        [_edit("twice.py", 3, 300), _edit("twice.py", 9, 900)],
        [Create("notes.txt", "Greets.\n")],
        [Read("wide.py")],
        [Edit("wide.py", WIDE.splitlines(keepends=True)[1199], "v1200 = 0\n")],
        [Shell("cat patched.py")],
        [Shell("sed -i s/return.11$/return.1100/ patched.py")],
    ],
    [
        Commit("read, edit", ("greet.py",)),
        Commit("blind edit", ("other.py",), wanted=BLIND, heard="other.py"),
        Commit("shell, edit", ("shelled.py",)),
        Commit("two edits", ("twice.py",)),
        Commit("new file", ("notes.txt",)),
        Commit("cut reading", ("wide.py",), wanted=BLIND, unless_seen='wide 1200"'),
        Commit("edit by shell", ("patched.py",)),
    ],
)
ONE_ANSWER = Scenario(
    "one-answer",
    [[Read("greet.py"), Edit("greet.py", HELO, HELLO)]],
    [Commit("read and edit in one answer", ("greet.py",), wanted=BLIND)],
)
COMMIT = Scenario(
    "commit",
    [*MEND, [Shell("git add -A && git commit -qm Work")], [Shell("$MEND")]],
    [Commit("its own commit", ("greet.py",))],
    is_committing=True,
)
COMMIT_AT_ONCE = Scenario(
    "commit-at-once",
    [
        [Shell("cat greet.py")],
        [Shell("sed -i s/Helo/Hello/ greet.py && git commit -qam Work")],
        [Shell("$MEND")],
    ],
    [Commit("edit and commit in one command", ("greet.py",))],
    is_committing=True,
)
_EDITS_FIRST = "GIT_SEQUENCE_EDITOR='sed -i 1s/^pick/edit/'"
REBASE = Scenario(
    "rebase",
    [
        [
            Shell(
                "git commit -q --allow-empty -m Notes && "
                f"{_EDITS_FIRST} git rebase -i --keep-empty HEAD~1"
            )
        ],
        *MEND,
        [Shell("git add -A && git commit -qm Work")],
        [Shell("$MEND")],
        [Shell("git rebase --continue")],
    ],
    [Commit("its own commit in a rebase", ("greet.py",))],
    is_committing=True,
)
ATTACHED = Scenario(
    "attached",
    [[Edit("greet.py", HELO, HELLO)]],
    [Commit("a file in the prompt", ("greet.py",))],
    is_attaching=True,
)
_READ = 'const r = await tools.exec_command({{cmd: "{}"}}); text({});'
_GREET = r"-    print(\"Helo, \" + name)\n+    print(\"Hi, \" + name)\n"
_PATCH = r'await tools.apply_patch("*** Begin Patch\n*** Update File: {}\n@@\n{}*** End Patch\n");'
SCRIPTS = Scenario(
    "scripts",
    [
        [Script(_READ.format("sed -n 1,3p greet.py", "r.output"))],
        [Script(_PATCH.format("greet.py", _GREET))],
        [Script(_READ.format("cat other.py", '"read"'))],
        [Script(_PATCH.format("other.py", r"-    return 7\n+    return 700\n"))],
    ],
    [
        Commit("parts read by a script", ("greet.py",)),
        Commit("not shown by a script", ("other.py",), wanted=BLIND),
    ],
    is_scripted=True,
)
SEARCH = Scenario(
    "search",
    [
        [Search("Helo")],
        [Edit("greet.py", HELO, HELLO)],
        [Shell("sed -n 5,6p twice.py")],
        [_edit("twice.py", 2, 200)],
        [_edit("twice.py", 3, 300)],
    ],
    [
        Commit("search, edit", ("greet.py",)),
        Commit("edit, edit below", ("twice.py",), wanted=BLIND, unless_seen="def f3"),
    ],
)


def _change_in_shell(*places: tuple[str, int], end: str = ":") -> list[Step]:
    each = (f"sed -i 's/_{line} = .*/_{line} = 0/' seen/{name}.py" for name, line in places)
    # Qwen Code takes a `sed -i` alone for an edit, and asks to read with its own tool.
    return [Shell("; ".join([*each, end]))]


SHELL_READINGS = Scenario(
    "looks",
    [
        [Shell("tail -n 3 seen/tail.py")],
        [Shell("head -n 2 seen/one.py seen/two.py")],
        [Shell("grep -n -C 1 grep_7 seen/grep.py")],
        [Shell("awk 'NR>=30 && NR<=32' seen/awk.py")],
        [Shell("(cd seen && cat below.py)")],
        _change_in_shell(
            ("one", 1), ("tail", 59), ("two", 2), ("grep", 8), ("awk", 31), ("below", 60)
        ),
        [Shell("cat seen/many_*.py")],
        _change_in_shell(("many_a", 60), ("many_b", 1)),
        [Shell("cat seen/fails.py; false")],
        _change_in_shell(("fails", 5), end="false"),
        *([Shell(f"cat seen/{name}.py")] for name in WIDELY),
        _change_in_shell(("beginning", 2), ("middle", 1200), ("end", 2399)),
    ],
    [
        Commit(
            "parts read in a shell",
            tuple(f"seen/{name}.py" for name in ("one", "tail", "two", "grep", "awk", "below")),
        ),
        Commit("files of a pattern", tuple(f"seen/{name}.py" for name in MANY_AT_ONCE)),
        Commit("by commands that fail", ("seen/fails.py",)),
        *(
            Commit(f"{name} of a long output", (f"seen/{name}.py",), BLIND, unless_seen=words)
            for name, words in (
                ("beginning", "beginning_2 ="),
                ("middle", "middle_1200 ="),
                ("end", "end_2399 ="),
            )
        ),
    ],
)
FORMATTED = Scenario(
    "formatter",
    [*MEND, [Shell("sleep 2")]],
    [Commit("formatter", ("greet.py",))],
    beside=FORMATTER,
)
SUBDIRECTORY = Scenario(
    "subdirectory",
    [[Read("sub/inner.py")], [Edit("sub/inner.py", "y = 2\n", "y = 20\n")]],
    [Commit("subdirectory", ("sub/inner.py",))],
    directory="sub",
)
BELOW_FOR_USER = Scenario(
    "below-for-user",
    SUBDIRECTORY.turns,
    [Commit("the same, hooks of the user", ("sub/inner.py",))],
    directory="sub",
    has_user_hooks=True,
)
ROOT_FOR_USER = Scenario(
    "root-for-user",
    MEND,
    [Commit("root, hooks of both", ("greet.py",), entries=1)],
    has_user_hooks=True,
)
COMMIT_BELOW = Scenario(
    "commit-below",
    [
        *SUBDIRECTORY.turns,
        [Shell("git add -A && git commit -qm Work")],
        [Shell('test -z "$(git status -s)" || { hkgit adopt --staged; git commit -qm Work; }')],
    ],
    [Commit("commit below", ("sub/inner.py",))],
    directory="sub",
    is_committing=True,
)
ABSENT = Scenario("absent", MEND, [Commit("hkgit absent", ("greet.py",), "edited")], hkgit="absent")
FAILING = Scenario(
    "failing", MEND, [Commit("hkgit failing", ("greet.py",), "edited")], hkgit="failing"
)
HANGING = Scenario(
    "hanging", MEND, [Commit("hkgit hanging", ("greet.py",), "edited")], hkgit="hanging"
)
BLOCK = f"greet.py\n<<<<<<< SEARCH\n{HELO}=======\n{HELLO}>>>>>>> REPLACE\n"
BELOW = "twice.py\n<<<<<<< SEARCH\n    return 3\n=======\n    return 300\n>>>>>>> REPLACE\n"
WAIT: list[list[Step]] = [[Shell("sleep 8")]]
"""Most agents do not wait for their servers to start."""
FOLLOWED: list[list[Step]] = [
    *WAIT,
    *MEND,
    [Ours("follow", {})],
    [Create("notes.txt", "Greets.\n")],
    [Ours("follow", {})],
]
STEERED = (Commit("steer", ("greet.py", "notes.txt")),)
STEER = Scenario("steer", FOLLOWED, STEERED, mode="steer")
STEER_ASKING = Scenario(
    "steer-asking",
    FOLLOWED,
    (Commit("steer, asking", ("greet.py", "notes.txt")),),
    mode="steer",
    is_asking=True,
)
TAG = compute_tag(HELO.rstrip("\n").encode())
STEER_TO_TAGS = Scenario(
    "tags",
    [
        [Ours("read_tags", {"path": "greet.py"})],
        [
            Ours(
                "change_file",
                {"path": "greet.py", "hash_start": TAG, "hash_stop": TAG, "content": HELLO},
            )
        ],
        [Ours("change_file", {"path": "notes.txt", "content": "Greets.\n"})],
    ],
    STEERED,
    mode="steer",
)
SERVER = Scenario(
    "server",
    [
        *WAIT,
        [Ours("read", {"path": "greet.py"})],
        [Ours("edit", {"text": BLOCK})],
        [Ours("status", {})],
    ],
    [Commit("MCP", ("greet.py",))],
)

DELEGATED = [
    Ours("read", {"path": "greet.py"}),
    Ours("read", {"path": "twice.py"}),
    Ours("edit", {"text": BLOCK}),
]
SUB_AGENT = Scenario(
    "sub-agent",
    [
        *WAIT,
        [Ours("delegate", {"steps": [[say_ours(step)] for step in DELEGATED]})],
        [Ours("edit", {"text": BELOW})],
    ],
    [
        Commit("MCP, sub-agent", ("greet.py",)),
        Commit("MCP, what a sub-agent read", ("twice.py",), wanted=BLIND),
    ],
)


def build_sub_reading(program: Program) -> Scenario:
    """A sub-agent that reads and edits with the agent's own tools."""
    own: list[Step] = [Read("greet.py"), _edit("twice.py", 3, 300), Edit("greet.py", HELO, HELLO)]
    own += [Read("sub/inner.py")]
    return Scenario(
        "sub-reading",
        [
            [Read("twice.py")],
            [Ours("delegate", {"steps": [[program.say(step)] for step in own]})],
            [Edit("sub/inner.py", "y = 2\n", "y = 20\n")],
        ],
        [
            Commit("a sub-agent's own reading", ("greet.py",)),
            Commit("a sub-agent, what its agent read", ("twice.py",), wanted=BLIND),
            Commit("an agent, what its sub-agent read", ("sub/inner.py",), wanted=BLIND),
        ],
    )


THROUGH: list[list[Step]] = [
    *MEND,
    [_edit("other.py", 7, 700)],
    [Read("twice.py")],
    [_edit("twice.py", 3, 300), _edit("twice.py", 9, 900)],
]
EDITOR = Scenario(
    "editor",
    THROUGH,
    [
        Commit("through an editor", ("greet.py",)),
        Commit("the same, blind", ("other.py",), wanted=BLIND),
        Commit("the same, two edits", ("twice.py",)),
    ],
    mode=ACP,
)
EDITOR_AND_HOOKS = Scenario(
    "editor-hooks",
    THROUGH,
    [
        Commit("an editor and hooks", ("greet.py",), entries=1),
        Commit("both, blind", ("other.py",), wanted=BLIND),
        Commit("both, two edits", ("twice.py",)),
    ],
    mode=ACP,
    has_hooks=True,
)

FOR_USER = (BELOW_FOR_USER, ROOT_FOR_USER)
ALONE = (
    RECORD,
    ONE_ANSWER,
    ATTACHED,
    SCRIPTS,
    SEARCH,
    SHELL_READINGS,
    COMMIT,
    COMMIT_AT_ONCE,
    REBASE,
    FORMATTED,
    SUBDIRECTORY,
    COMMIT_BELOW,
    ABSENT,
    FAILING,
    HANGING,
)
THROUGH_EDITORS = (EDITOR, EDITOR_AND_HOOKS)
DELEGATED_TO = (SUB_AGENT, build_sub_reading(CLAUDE))
SCENARIOS = (*ALONE, *FOR_USER, STEER, STEER_ASKING, SERVER, *DELEGATED_TO, *THROUGH_EDITORS)


def find_scenarios(program: Program) -> tuple[Scenario, ...]:
    """What an agent can be driven through at all."""
    stopped = (STEER, STEER_ASKING) if program.is_stopped else ()
    more = (*stopped, SERVER) if program.has_servers else (STEER_TO_TAGS,)
    delegating = [SUB_AGENT] if program.has_sub_agents else []
    delegating += [build_sub_reading(program)] if program.is_delegating else []
    for_user = FOR_USER if program.name in list_user_wide() else ()
    through = THROUGH_EDITORS if program.acp else ()
    alone = [each for each in ALONE if program.attached or not each.is_attaching]
    alone = [each for each in alone if program.scripting or not each.is_scripted]
    return (*alone, *for_user, *more, *delegating, *through)
