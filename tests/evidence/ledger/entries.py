"""Moved to tests/support/entries.py."""

from tests.support.entries import *  # noqa: F403
