"""Signed verdicts, for a host that makes other commits of what was judged; signed entries."""
