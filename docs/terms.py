"""terms.py: the words of hkgit's own, each in a sentence: the glossary is made of them."""

from __future__ import annotations

from collections.abc import Mapping

TERMS: Mapping[str, str] = {
    "edit": "one requested change to one file, as an agent wrote it",
    "dialect": (
        "the notation that an edit is written in, such as `search-replace` or `unified-diff`"
    ),
    "spec": "a document with one or more edits, all in one dialect",
    "base": "the commit whose files the edits were written against",
    "ladder": "the ordered list of matchers; the first that finds any place decides",
    "tier": "one rung of the ladder, such as `exact` or `fuzzy`",
    "repair": (
        "a normalisation of an edit's text before matching, such as undoing doubled backslashes"
    ),
    "range hash": "the SHA-256 of some lines of a file, line ends left out",
    "reading": "lines that somebody asked for, with their range hash",
    "receipt": "the record that a session has read some lines, with their range hash",
    "evidence": (
        "what ties an edit to content that was read: `hash`, `receipt`, `quote`, `tag` or `none`;"
        " `late` is what was read after the change"
    ),
    "weak": (
        "said of what an agent may have written unseen: on a quote or less, in a commit without"
        " evidence, or in lines that no entry explains"
    ),
    "blind": "said of an edit whose evidence the policy does not accept",
    "tightness": (
        "how many of the lines that the edits of a file name, by their place or by a hash that they"
        " give, they really change"
    ),
    "confidence": "how surely the place and the result are what the author meant, between 0 and 1",
    "ledger": "the entries under `.hkgit/ledger/`, one file each",
    "ledger entry": "the JSON record of one applied spec, part of the commit that it describes",
    "net hunk": "what the edits of an entry change in a file, in lines of the base",
    "replay": "deriving a commit's tree again from its parent's tree and its entries",
    "verdict": (
        "what replay says of a commit, such as `strict` or `fail` ([verdicts.md](verdicts.md))"
    ),
    "reanchored": (
        "the verdict on recorded hunks found at their only place on a base that has moved"
    ),
    "gate": "the judge of commits, at every point where they arrive",
    "policy": "what a repository lets pass, read from the trusted side",
    "trusted side": "the commit that is there already: HEAD, the old tip, or the target of a merge",
    "governed": "said of a commit that is held to the rules of the policy",
    "break-glass": "a record by which a person lets one rejected commit pass",
    "CONSULT": "what an edit that is refused again and again asks a person",
    "session": "what one agent has read and edited in a checkout since the last commit",
    "batch": "a spec with refused edits, kept until their corrections come",
}
