"""Moved to tests/support/commands.py."""

from tests.support.commands import *  # noqa: F403
