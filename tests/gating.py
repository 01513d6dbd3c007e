"""Moved to tests/support/gating.py."""

from tests.support.gating import *  # noqa: F403
