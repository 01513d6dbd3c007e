"""Moved to tests/support/commits.py."""

from tests.support.commits import *  # noqa: F403
