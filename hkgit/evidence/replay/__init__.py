"""Replay: what a commit is, derived again from its parents and its entries (`judging.replay`)."""
