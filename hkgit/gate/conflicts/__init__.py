"""Records of edits that were refused as stale, kept until the edit lands or a person decides.

`records` are the values, `store` keeps them in the git directory, `history` finds who changed the
lines, `noting` records a refusal, `resolution` finds the conflicts that a landing edit resolves,
and `consulting` asks a person when an edit is refused again and again.
"""

PLACE = "hkgit/conflicts"
"""Where a git directory keeps the open ones (see `store`); what needs none loads no more."""
