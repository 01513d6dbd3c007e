"""rules.py: what each rule of the gate is for, in one sentence."""

from __future__ import annotations

RULES = {
    "after": "An entry makes of a file what it says the file becomes.",
    "anchor": "On a moved base, each change has only one place where it fits.",
    "assisted-by": "The policy says whether a message names agents as having assisted.",
    "before": "A file is, before an entry, what the entry says it was.",
    "blind": "An edit needs evidence that its author had read what it changes.",
    "break-glass": "Who has the role may let one commit pass, by a signed record with a reason.",
    "budget": "No commit keeps the judge busy for longer than the policy allows.",
    "bytes": "Every byte that a commit changes is accounted for by one of its ledger entries.",
    "claimed": "Where the policy has floors for tiers or confidence, anyone computes them again.",
    "confidence": "An edit lands only where its place is sure enough for the policy.",
    "coverage": "Every recorded hunk is accounted for by an edit of its entry.",
    "decoy": "The text of a recorded spec says what its recorded hunks do.",
    "entry": "Ledger entries are added as hkgit wrote them and never altered.",
    "forged": "What an entry records is what anyone computes again.",
    "hash": "A recorded hash holds on the parent's files.",
    "hunk": "Recorded hunks follow one another within the lines of their file.",
    "ladder": "The policy says which versions of the matching ladder it accepts.",
    "merge": "A merge is what git makes of its parents by itself.",
    "mode": "A file's mode changes only as an entry says.",
    "moved": "What is moved to a path meets what the policy asks of edits there.",
    "path": "A path means the same file on every system.",
    "policy": "Who is held to the policy does not change it.",
    "protected": "Files that decide what runs or who reviews change only by grant.",
    "prune": "Ledger entries leave the tree only where the trusted side has them, with a list.",
    "recovered": "The policy says what evidence from a transcript must reach.",
    "reuse": "An entry is introduced once in a history.",
    "signature": "The policy says whose signature every entry needs.",
    "surplus": "An entry changes something.",
    "text": "No commit adds characters that show a reader another text than a machine gets.",
    "tier": "The policy says which tiers of matching it accepts.",
    "tightness": "An edit names the lines that it changes, not the whole file around them.",
    "trailer": "What a message says of hkgit is what the commit's entries say.",
    "unverifiable": "The history and objects that a judgement needs are here.",
    "verdict": "The policy says which verdicts it accepts.",
}


def describe_rule(rule: str) -> str:
    """Say what a rule is for."""
    return RULES.get(rule, f"The gate's rule {rule!r} holds.")
