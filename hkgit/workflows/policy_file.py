"""The files under `.hkgit/` that a repository begins with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.edits import File, MappingSnapshot, decode_text
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, LEDGER
from hkgit.gate.policy.model import BUILT_IN
from hkgit.gate.trusted_policy import CONFIG, PYPROJECT, read_policy
from hkgit.text.hashes import add_stamp, is_stamped
from hkgit.workflows.setup_steps import Action, SetupStep, keep_file, read

POLICY = add_stamp("""\
# What `hkgit gate` accepts in this repository. It is read from the trusted side: from HEAD for a
# commit being made, from the target for a range or a push. So a change here applies to later
# commits.
# A line that is commented out shows the default.

[gate]

# Which commits the rules apply to: "agents" (every commit that carries ledger entries, or whose
# author,
# committer or co-author is an agent), or "all".
# govern = "agents"

# Further agents, as globs on `Name <email>`; the known ones and *[bot]* are built in.
# agents = []

# What happens to a commit that breaks the rules: "enforce" rejects it, "warn" and "report" say so.
# mode = "enforce"

# The evidence that an edit needs; one without it is blind. Of: hash, receipt, quote, tag, none,
# and late, which was read after the change.
# accept = ["hash", "receipt"]

# The lowest confidence that an edit may have, from 0 to 1.
# min_confidence = 0

# The tiers of matching that may have placed an edit; without this line, every tier.
# tiers = ["exact", "whitespace", "range", "file"]

# This commit, by all its digits, and what came before it are not judged.
# since = "0000000000000000000000000000000000000000"

# Who may change which paths by hand although the rules hold for them. Repeat it for each grant.
# A name counts on clients only; a server or CI believes `keys`, public SSH keys that sign commits.
# [[gate.manual]]
# paths = ["docs/*"]
# names = ["Ada <ada@example.org>"]
# keys = ["ssh-ed25519 AAAA..."]

# Bots (Dependabot, Renovate, pre-commit.ci, release bots) are agents by their names, *[bot]*. Grant
# each the paths that it is there for. Anybody may write a bot's name, so names count in clones
# alone; what binds is the key that signs its commits, or who pushes to a server that says so.
# [[gate.manual]]                       # Dependabot, Renovate: lock files
# paths = ["package-lock.json", "yarn.lock", "poetry.lock", "uv.lock", "Cargo.lock", "go.sum"]
# names = ["dependabot[[]bot] <*", "renovate[[]bot] <*"]
# keys = ["ssh-ed25519 AAAA..."]        # the key that signs its commits
# pushers = ["dependabot[bot]"]         # with pusher_variable, on a server
# [[gate.manual]]                       # pre-commit.ci: what its formatters write
# paths = ["src/*", ".pre-commit-config.yaml"]
# names = ["pre-commit-ci[[]bot] <*"]
# keys = ["ssh-ed25519 AAAA..."]
# [[gate.manual]]                       # a release bot
# paths = ["CHANGELOG.md", "version.txt"]
# names = ["github-actions[[]bot] <*", "release-please[[]bot] <*"]
# keys = ["ssh-ed25519 AAAA..."]

# More keys, and what each means: docs/policy.md; `hkgit policy check` says all of this in words.
""").encode()


def install(root: Path) -> Iterator[SetupStep]:
    """Plan the policy, unless there is one, and the attributes of the ledger.

    Raises InvalidInput when the policy that is there cannot be read.
    """
    yield _install_policy(root)
    attributes = root / ATTRIBUTES_PATH
    content = read(attributes)
    if content is None:
        yield SetupStep(attributes, Action.WROTE, "git keeps the ledger byte for byte", ATTRIBUTES)
    elif _normalize(content) == ATTRIBUTES:
        yield keep_file(attributes, "as it should be")
    else:
        shown = ATTRIBUTES.decode().strip()
        yield SetupStep(attributes, Action.BLOCKED, f"it should contain only this line: {shown}")


def _install_policy(root: Path) -> SetupStep:
    files = {name: read(root / name) for name in (PYPROJECT, CONFIG)}
    found = {name: File(content) for name, content in files.items() if content is not None}
    source = read_policy(MappingSnapshot(found)).source
    if source == CONFIG and _is_earlier(found[CONFIG].data):
        return SetupStep(root / CONFIG, Action.WROTE, "renewed: another hkgit wrote it", POLICY)
    if source != BUILT_IN:
        return keep_file(root / source, "the policy is here already")
    if CONFIG in found:
        return keep_file(root / CONFIG, "has no [gate], so the built-in policy applies")
    return SetupStep(root / CONFIG, Action.WROTE, "the policy: every default, explained", POLICY)


def _is_earlier(content: bytes) -> bool:
    """Whether a policy is as another version of hkgit wrote it."""
    return is_stamped(decode_text(content)) and _normalize(content) != POLICY


def remove(root: Path) -> Iterator[SetupStep]:
    """Plan to remove what `install` wrote, where it is still so and nothing needs it."""
    policy, attributes = root / CONFIG, root / ATTRIBUTES_PATH
    if is_stamped(decode_text(read(policy) or b"")):
        yield SetupStep(policy, Action.REMOVED)
    elif policy.exists():
        yield keep_file(policy, "it is yours, not what hkgit wrote")
    if not attributes.exists():
        return
    if (root / LEDGER).exists():
        yield keep_file(attributes, "the ledger needs it")
    elif _normalize(read(attributes) or b"") == ATTRIBUTES:
        yield SetupStep(attributes, Action.REMOVED)
    else:
        yield keep_file(attributes, "it is yours, not what hkgit wrote")


def _normalize(content: bytes) -> bytes:
    """A file that hkgit wrote as git stores it: a checkout with core.autocrlf has CRLF."""
    return content.replace(b"\r\n", b"\n")
