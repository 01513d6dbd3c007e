"""The tests: a folder for each room of hkgit, and what they share in `support`."""

import pytest

pytest.register_assert_rewrite("tests.support")
