"""Moved to tests/support/specs.py."""

from tests.support.specs import *  # noqa: F403
