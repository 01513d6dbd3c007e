"""Moved to tests/support/keys.py."""

from tests.support.keys import *  # noqa: F403
