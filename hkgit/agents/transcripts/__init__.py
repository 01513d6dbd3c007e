"""transcripts: what agents logged of their edits, run against hkgit.

A reader turns the lines of a log into events, `knowing` finds out what a file said when it was
edited, `replaying` runs the edit and holds the result against the log.
"""
