"""Signed verdicts, for hosts that squash what was judged into other commits; signed entries."""
