"""Sessions: what an agent has read and edited in a checkout, until it is committed.

`session` is what an agent works with, `storage.journal` records what it did. `commit` turns the
record into ledger entries when somebody commits.
"""
