"""The tests: a folder for each room of hkgit, and what they share in `support`."""

import sys

import pytest

# Before pytest has compiled what the tests import, which it would do again in every run.
sys.dont_write_bytecode = False
pytest.register_assert_rewrite("tests.support")
