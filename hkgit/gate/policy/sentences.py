"""Describe a policy in sentences: who may do what, and what happens otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.gate.policy.defaults import ATTEST, BREAK_GLASS, PROTECTED, SIGN, TEXT
from hkgit.gate.policy.model import Floors, Grant, Policy, Recovered, RefRules
from hkgit.matching.place import format_decimal
from hkgit.text.escape import count_noun

_MODES = {
    "enforce": "A commit that breaks a rule is rejected.",
    "warn": "A commit that breaks a rule is let through with a warning.",
    "report": "A commit that breaks a rule is let through and reported.",
}
_TEXT = {
    "bidi": "bidirectional control characters",
    "zero-width": "zero-width characters",
    "nul": "NULs",
    "lone-cr": "lone carriage returns",
}
_ROLES = {
    BREAK_GLASS: "may allow a rejected commit, with a signed tag break-glass/NAME on it",
    ATTEST: "may attest verdicts",
    SIGN: "may sign entries",
}


def describe_policy(policy: Policy) -> Iterator[str]:
    """Say what a policy asks for, a sentence a rule."""
    yield _MODES[policy.mode]
    yield from _describe_governed(policy)
    yield from _describe_floors(policy.floors, "Every edit")
    for floors in policy.paths:
        yield from _describe_floors(floors, f"An edit of {_join_words(floors.paths)} also")
    yield from _describe_entries(policy)
    yield from _describe_recovered(policy.recovered)
    if policy.assisted_by == "require":
        yield "The message of a commit names the agents of its entries as Assisted-by."
    elif policy.assisted_by == "forbid":
        yield "No message of a governed commit may have an Assisted-by line."
    yield f"These verdicts pass: {_join_words(policy.verdicts)}."
    yield from map(_describe_target, policy.targets)
    yield from _describe_refs(policy)
    yield from _describe_protected(policy)
    yield from map(_describe_grant, policy.manual)
    if policy.manual and "vouched" in policy.verdicts:
        yield (
            "Each of them may vouch for an agent's change without evidence, with a trailer"
            " Hkgit-Vouched-by that names them: it passes as vouched."
        )
    if any(grant.names for grant in policy.manual):
        yield (
            "Names in grants count only in clones: under --range and --ci and on a server, where"
            " anyone can write any name, only keys, principals and pushers do."
        )
    for role, principals in policy.roles.items():
        yield f"{_join_words(principals) or 'Nobody'} {_ROLES[role]}."
    if policy.attest_keys:
        yield f"Verdicts attested with {count_noun(len(policy.attest_keys), 'key')} count."
    yield f"A commit that takes more than {policy.max_seconds} s to judge is rejected."


def _describe_governed(policy: Policy) -> Iterator[str]:
    if policy.govern == "all":
        yield "The rules apply to every commit, whoever made it."
    else:
        count = count_noun(len(policy.agents), "glob")
        yield (
            "The rules apply to commits that carry ledger entries, and to those whose author,"
            f" committer or co-author is an agent ({count}). Others are counted, not proved:"
            " the rules do not apply to a commit that leaves the names out."
        )
    if policy.since is not None:
        yield f"Commits up to {policy.since} are not judged."


def _describe_floors(floors: Floors, what: str) -> Iterator[str]:
    if floors.accept == ():
        yield f"{what} is refused: no evidence is accepted."
    elif floors.accept is not None:
        yield f"{what} must have evidence of the kind {_join_words(floors.accept, 'or')}."
    if floors.tiers is not None:
        yield f"{what} must be placed by {_join_words(floors.tiers, 'or') or 'no tier at all'}."
    if floors.min_confidence:
        yield f"{what} must have a confidence of at least {format_decimal(floors.min_confidence)}."
    if floors.min_tightness:
        share = format_decimal(floors.min_tightness)
        yield f"{what} must change at least {share} of the lines that its file's edits name."


def _describe_entries(policy: Policy) -> Iterator[str]:
    if policy.min_threshold:
        least = format_decimal(policy.min_threshold)
        yield f"Entries must be applied with a threshold of at least {least}."
    if policy.entries_signed:
        yield f"Every entry must be signed by {_join_words(policy.roles.get(SIGN, ()), 'or')}."


def _describe_recovered(found: Recovered) -> Iterator[str]:
    what = "Entries that were recovered from a transcript"
    if not found.is_accepted:
        yield f"{what} are refused."
        return
    if found.min_confidence:
        yield f"{what} must have a confidence of at least {format_decimal(found.min_confidence)}."
    if found.min_tightness:
        yield f"{what} must have a tightness of at least {format_decimal(found.min_tightness)}."


def _describe_target(target: RefRules) -> str:
    clauses = [f"On {_join_words(target.refs)}"]
    if target.verdicts is not None:
        clauses.append(f"only {_join_words(target.verdicts) or 'nothing'} passes")
    if target.rewrites == "refuse":
        clauses.append("force pushes and deletions are refused")
    return ", ".join(clauses) + "."


def _describe_refs(policy: Policy) -> Iterator[str]:
    yield f"Pushes to {_join_words(policy.refs) or 'no ref'} are judged; to others they are not."
    if policy.rewrites == "refuse":
        yield "Force pushes to them, and deletions of them, are refused."
    else:
        yield "Force pushes to them are judged like others, unless they change the policy."


def _describe_protected(policy: Policy) -> Iterator[str]:
    more = [glob for glob in policy.protect if glob not in PROTECTED]
    kept = [glob for glob in PROTECTED if glob not in policy.unprotect]
    yield (
        "Only with a grant may a governed commit change this policy, links, submodules, and files"
        f" that decide what runs or who reviews ({count_noun(len(kept), 'glob')})"
        + (f", and {_join_words(more)}" if more else "")
        + "."
    )
    if policy.unprotect:
        yield f"Not protected are {_join_words(policy.unprotect)}."
    kinds = [_TEXT[kind] for kind in TEXT if kind in policy.reject_text]
    yield f"No governed commit may add {_join_words(kinds, 'or') or 'anything forbidden'}."


def _describe_grant(grant: Grant) -> str:
    who = [
        *(f"{name} (by name, only in clones)" for name in grant.names),
        *(f"the person who signs with {key.partition(' ')[0]} {key[-12:]}" for key in grant.keys),
        *(f"{principal} (who signed it)" for principal in grant.principals),
        *(f"{pusher} (who pushes it)" for pusher in grant.pushers),
    ]
    return f"By hand, {_join_words(who, 'or')} may change {_join_words(grant.paths)}."


def _join_words(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
