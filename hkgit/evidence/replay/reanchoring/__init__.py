"""Entries replayed on files that have moved on."""
