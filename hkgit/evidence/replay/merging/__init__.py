"""Merges, by themselves and held against the ref that they land on."""
