"""Moved to tests/support/running.py."""

from tests.support.running import *  # noqa: F403
