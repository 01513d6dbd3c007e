"""Moved to tests/support/planning.py."""

from tests.support.planning import *  # noqa: F403
