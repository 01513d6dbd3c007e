"""policy_file.py: the files under `.hkgit/` that a repository begins with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.edits import File, MappingSnapshot
from hkgit.ledger.entry import LEDGER
from hkgit.policy import BUILT_IN, CONFIG, PYPROJECT, read_policy
from hkgit.replay.added import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.setup.steps import Action, Step, kept, read

POLICY = b"""\
# What `hkgit gate` lets pass in this repository. It is read from the trusted side: from HEAD for a
# commit being made, from the target for a range or a push. So a change here binds later commits.
# A line that is commented out shows the default.

[gate]

# Who is held to the rules: "agents" (every commit that carries ledger entries, or whose author,
# committer or co-author is an agent), or "all".
# govern = "agents"

# Further agents, as globs on `Name <email>`; the known ones and *[bot]* are built in.
# agents = []

# What happens to a commit that breaks the rules: "enforce" rejects it, "warn" and "report" say so.
# mode = "enforce"

# The evidence that an edit needs; one without it is blind. Of: hash, receipt, quote, tag, none.
# accept = ["hash", "receipt"]

# The lowest confidence that an edit may have, from 0 to 1.
# min_confidence = 0

# The tiers of matching that may have placed an edit; without this line, every tier.
# tiers = ["exact", "whitespace", "range", "file"]

# This commit, by all its digits, and what came before it are left alone.
# since = "0000000000000000000000000000000000000000"

# Who may change which paths by hand although the rules hold for them. Repeat it for each grant.
# A name counts on clients only; a server or CI believes `keys`, public SSH keys that sign commits.
# [[gate.manual]]
# paths = ["docs/*"]
# names = ["Ada <ada@example.org>"]
# keys = ["ssh-ed25519 AAAA..."]

# More keys, and what each means: docs/policy.md; `hkgit policy check` says all of this in words.
"""


def install(root: Path) -> Iterator[Step]:
    """The policy, unless there is one, and the attributes of the ledger.

    Raises InvalidInput when the policy that is there cannot be read.
    """
    yield _install_policy(root)
    attributes = root / ATTRIBUTES_PATH
    content = read(attributes)
    if content is None:
        yield Step(attributes, Action.WROTE, "git keeps the ledger byte for byte", ATTRIBUTES)
    elif content == ATTRIBUTES:
        yield kept(attributes, "as it should be")
    else:
        shown = ATTRIBUTES.decode().strip()
        yield Step(attributes, Action.BLOCKED, f"it should hold this line alone: {shown}")


def _install_policy(root: Path) -> Step:
    files = {name: read(root / name) for name in (PYPROJECT, CONFIG)}
    found = {name: File(content) for name, content in files.items() if content is not None}
    source = read_policy(MappingSnapshot(found)).source
    if source != BUILT_IN:
        return kept(root / source, "the policy stands here already")
    if CONFIG in found:
        return kept(root / CONFIG, "has no [gate], so the built-in policy holds")
    return Step(root / CONFIG, Action.WROTE, "the policy: every default, explained", POLICY)


def remove(root: Path) -> Iterator[Step]:
    """What `install` wrote, where it is still so and nothing needs it."""
    policy, attributes = root / CONFIG, root / ATTRIBUTES_PATH
    if read(policy) == POLICY:
        yield Step(policy, Action.REMOVED)
    elif policy.exists():
        yield kept(policy, "it is yours: not as hkgit wrote it")
    if not attributes.exists():
        return
    if (root / LEDGER).exists():
        yield kept(attributes, "the ledger needs it")
    elif read(attributes) == ATTRIBUTES:
        yield Step(attributes, Action.REMOVED)
    else:
        yield kept(attributes, "it is yours: not as hkgit wrote it")
