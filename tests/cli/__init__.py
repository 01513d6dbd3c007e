"""The installed commands, driven as a user drives them, on repositories of real sources."""

import pytest

pytest.register_assert_rewrite("tests.cli.running")
