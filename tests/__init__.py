"""The tests: a folder for each room of hkgit, and what they share in `support`."""

import os
import sys

import pytest

# Before pytest has compiled what the tests import, which it would do again in every run.
sys.dont_write_bytecode = False
pytest.register_assert_rewrite("tests.support")
os.environ["HYPOTHESIS_NO_PLUGINS"] = "1"  # trio's would load trio in every process of a run
