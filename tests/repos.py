"""Moved to tests/support/repos.py."""

from tests.support.repos import *  # noqa: F403
