"""Commits made in a worktree and landed, all or nothing (docs/transaction.md)."""
