"""Conflicts: what is kept of an edit that was refused as stale, until it lands or a person decides.

`records` are the values, `shelf` keeps them in the git directory, `history` finds who changed the
lines, `noting` writes them down, `meeting` ties the edit that lands to those it met, and
`consulting` asks a person where an edit is refused again and again.
"""
