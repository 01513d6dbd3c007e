"""What unified diffs and apply-patch texts share."""
