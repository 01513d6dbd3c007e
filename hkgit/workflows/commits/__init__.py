"""Plan specs, make commits of them in a temporary worktree, and land those on a branch."""
