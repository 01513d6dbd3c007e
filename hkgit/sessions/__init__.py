"""Sessions: what an agent at work in a live checkout has read and edited, until it is committed.

`desk` is where it works; `journal` keeps what it did; `proposing` and `staging` make evidence of
that when somebody commits.
"""
