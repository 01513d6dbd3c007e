"""Moved to tests/support/serving.py."""

from tests.support.serving import *  # noqa: F403
