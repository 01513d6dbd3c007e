"""A policy as values: the rules of the gate, and who is granted what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from hkgit.applying.evidence import HASHED, KINDS, LATE
from hkgit.evidence.trailers import list_credited
from hkgit.gate.policy.defaults import (
    ACCEPTED,
    KNOWN_AGENTS,
    PROTECTED,
    TEXT,
    fits_any,
    matches,
    split_identities,
)
from hkgit.text.paths import fold_name
from hkgit.values import dataclass, field, replace

BUILT_IN = "built-in policy"


@dataclass(frozen=True)
class Grant:
    """Who may change which paths by hand.

    `names` are globs on `Name <email>` and count on clients only; `keys` are SSH public keys, and
    `principals` those of the allowed signers, that signed the commit; `pushers` are those that the
    server has authenticated.
    """

    paths: tuple[str, ...]
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    principals: tuple[str, ...] = ()
    pushers: tuple[str, ...] = ()

    def covers(self, paths: Sequence[str]) -> bool:
        """Whether every path is granted."""
        return all(any(fnmatchcase(path, glob) for glob in self.paths) for path in paths)


@dataclass(frozen=True)
class Floors:
    """What every edit of some paths must reach; numbers are per mille, None accepts all.

    Those that are for `recovered` hold for entries that were made from transcripts alone.
    """

    paths: tuple[str, ...] = ("*",)
    accept: tuple[str, ...] | None = None
    tiers: tuple[str, ...] | None = None
    min_confidence: int = 0
    min_tightness: int = 0
    recovered: bool = False

    def cover(self, *paths: str | None) -> bool:
        """Whether they hold for a file under one of its names, whatever the case of letters."""
        globs = at_any_depth(self.paths)
        return any(path is not None and any_glob(path, globs) for path in paths)


@dataclass(frozen=True)
class RefRules:
    """Stricter rules for some refs: the verdicts that pass there, and what a rewrite meets."""

    refs: tuple[str, ...]
    verdicts: tuple[str, ...] | None = None
    rewrites: str | None = None


@dataclass(frozen=True)
class Policy:
    """The rules of the gate (docs/policy.md); numbers are per mille but for `max_seconds`.

    `any_verdict` lets whatever is proved pass, as `verify` does. `source` says where it was
    read, `signers` is the text of the trusted side's allowed signers, `extends` names a policy
    that has not been followed yet. `table` is what its file says, `below` the same of those that
    it extends.
    """

    mode: str = "enforce"
    govern: str = "agents"
    agents: tuple[str, ...] = KNOWN_AGENTS
    accept: tuple[str, ...] = HASHED
    verdicts: tuple[str, ...] = ACCEPTED
    any_verdict: bool = False
    tiers: tuple[str, ...] | None = None
    min_confidence: int = 0
    since: str | None = None
    manual: tuple[Grant, ...] = ()
    refs: tuple[str, ...] = ("refs/heads/*", "refs/tags/*")
    rewrites: str = "judge"
    targets: tuple[RefRules, ...] = ()
    min_tightness: int = 0
    paths: tuple[Floors, ...] = ()
    protect: tuple[str, ...] = PROTECTED
    unprotect: tuple[str, ...] = ()
    reject_text: tuple[str, ...] = TEXT
    allowed_signers: str | None = None
    pusher_variable: str | None = None
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attest_keys: tuple[str, ...] = ()
    entries_signed: bool = False
    assisted_by: str = "allow"
    max_seconds: int = 60
    extends: str | None = None
    open: tuple[str, ...] = ()
    signers: str = ""
    source: str = BUILT_IN
    table: Mapping[str, object] | None = field(default=None, compare=False)
    below: tuple[Mapping[str, object] | None, ...] = field(default=(), compare=False)

    @property
    def floors(self) -> Floors:
        """What holds for the edits of every path."""
        return Floors(
            accept=self.accept,
            tiers=self.tiers,
            min_confidence=self.min_confidence,
            min_tightness=self.min_tightness,
        )

    def floors_of(self, *paths: str | None, recovered: bool = False) -> tuple[Floors, ...]:
        """List everything that an edit of a file must reach, under its old name and its new one."""
        asked = (each for each in self.paths if recovered or not each.recovered)
        return (self.floors, *(each for each in asked if each.cover(*paths)))

    def accepts_late(self, path: str) -> bool:
        """Whether what is read after a change of a file is evidence for its edits."""
        return all(each.accept is None or LATE in each.accept for each in self.floors_of(path))

    @property
    def needs_recomputing(self) -> bool:
        """Whether it sets a floor that only recomputing can show to be reached."""
        floors = (self.floors, *(each for each in self.paths if not each.recovered))
        return any(each.tiers is not None or each.min_confidence for each in floors)

    @property
    def asks_for_tightness(self) -> bool:
        """Whether it sets a floor of tightness for any path."""
        return any(floors.min_tightness for floors in (self.floors, *self.paths))

    def with_blind(self) -> Policy:
        """Accept any evidence: for what lands blind, and knowingly."""
        # Few commits need it, and every one waits for this module.
        paths = tuple(replace(floors, accept=None) for floors in self.paths)
        return replace(self, accept=KINDS, paths=paths)

    def protects(self, ref: str) -> bool:
        """Whether a push to this ref is judged."""
        return _fits_ref(ref, self.refs)

    def protects_path(self, path: str) -> bool:
        """Whether a governed commit needs a grant to change this file, whatever its content."""
        if path == self.allowed_signers:
            return True
        is_protected = any_glob(path, at_any_depth(self.protect))
        return is_protected and not any_glob(path, self.unprotect)

    def for_refs(self, names: Sequence[str]) -> Policy:
        """Tighten the policy for a ref, by every target that fits one of its names."""
        policy = self
        for target in self.targets:
            if any(_fits_ref(ref, target.refs) for ref in names):
                kept = policy.verdicts if target.verdicts is None else target.verdicts
                verdicts = tuple(each for each in policy.verdicts if each in kept)
                rewrites = "refuse" if target.rewrites == "refuse" else policy.rewrites
                policy = replace(policy, verdicts=verdicts, rewrites=rewrites)
        return policy

    @property
    def principals(self) -> tuple[str, ...]:
        """Everyone that it knows by a key of the allowed signers."""
        granted = (principal for grant in self.manual for principal in grant.principals)
        in_roles = (principal for listed in self.roles.values() for principal in listed)
        return tuple(dict.fromkeys((*granted, *in_roles)))

    def is_agent(self, identity: str) -> bool:
        """Whether a `Name <email>` is one of the agents."""
        return any(matches(each, self.agents) for each in split_identities(identity))

    def governing_name(self, identities: Sequence[str], message: bytes | None) -> str | None:
        """Find the first of author, committer, co-authors and others credited who is an agent."""
        named = list_credited(message or b"", "co-authored", "assisted", "generated")
        everyone = [*identities, *named]
        return next((name for name in everyone if self.is_agent(name)), None)


def _fits_ref(ref: str, globs: Sequence[str]) -> bool:
    """Whether a ref fits a glob: as it is, or as a server that ignores case stores it."""
    folded = fold_name(ref)
    return any(fnmatchcase(ref, g) or fnmatchcase(folded, fold_name(g)) for g in globs)


@lru_cache(64)
def at_any_depth(globs: tuple[str, ...]) -> tuple[str, ...]:
    """Add each glob again without its `**/`, which elsewhere matches no directory as well.

    For rules that keep something out: with them a file right below `src/` is one of `src/**/*`.
    """
    return (*globs, *(glob.replace("**/", "") for glob in globs if "**/" in glob))


@lru_cache(4096)  # the commits of a history change the same files
def any_glob(path: str, globs: tuple[str, ...]) -> bool:
    """Whether a path fits a glob on a file system that ignores case; `*` crosses `/` too."""
    return fits_any(fold_name(path), _fold_globs(globs))


@lru_cache(64)
def _fold_globs(globs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(fold_name, globs))
