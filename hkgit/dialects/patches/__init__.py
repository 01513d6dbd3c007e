"""Hunks and names of files as unified diffs and apply-patch texts have them."""
