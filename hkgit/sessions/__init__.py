"""Sessions: what an agent has read and edited in a checkout, until it is committed.

`edit_session` is what an agent works with, `call_journal` records what it did. `commit_entries`
turns the record into ledger entries when somebody commits, `stage` puts them there.
"""
