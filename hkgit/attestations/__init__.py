"""Signed verdicts: what a range was judged to be, for a host that makes other commits of it."""
