"""Texts made to be slow are read, or refused, in time that grows in step with them."""

from __future__ import annotations

import json
import time

import pytest

from hkgit import dialects
from hkgit.errors import InvalidInput
from tests.support.properties import is_thorough

SIZE = 150_000 if is_thorough() else 50_000
BOUND = 60
"""Seconds, for a machine with much else to do; what is quadratic needs hours."""

LINE = "    return some_function(argument, 42)\n"
BLOCK = f"<<<<<<< SEARCH\n{LINE}=======\n>>>>>>> REPLACE\n"


def long(piece: str) -> str:
    return piece * (SIZE // len(piece))


@pytest.mark.sampled
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            json.dumps(
                {
                    "version": "1",
                    "operations": [{"op": "create_file", "path": "a", "new_text": long(LINE)}],
                }
            ),
            id="one long text",
        ),
        pytest.param(
            json.dumps(
                {
                    "version": "1",
                    "operations": [
                        {
                            "op": "insert_after",
                            "path": "a",
                            "after_line": 1,
                            "new_lines": ["x"] * (SIZE // 2),
                        }
                    ],
                }
            ),
            id="many lines",
        ),
        pytest.param(
            long('{"file": "a", "old_text": "b", "new_text": "c"}\n'), id="many documents"
        ),
        pytest.param('{"file": "' + long('\\"'), id="a string of quotes that never ends"),
        pytest.param('{"file": ' + long("[{"), id="brackets that never close"),
        pytest.param('{"file": ' + long("  "), id="blanks in JSON"),
        pytest.param("a.py\n" + long(BLOCK), id="many blocks"),
        pytest.param(f"a.py\n{BLOCK[:15]}{long('=======' + chr(10))}", id="many dividers"),
        pytest.param(long("<<<<<<< SEARCH\n"), id="many heads"),
        pytest.param(long("```sh\n"), id="many shell fences"),
        pytest.param(f"a.py\n{BLOCK[:15]}{long(chr(92))}\n=======\n", id="backslashes"),
        pytest.param(long("--- a/x\n+++ b/x\n"), id="many files without hunks"),
        pytest.param("--- a/x\n+++ b/x\n" + long("@@ -1 +1 @@\n-a\n+b\n"), id="many hunks"),
        pytest.param("--- a/x\n+++ b/x\n@@ @@\n" + long("-a\n\n"), id="many blank lines"),
        pytest.param(long("*** Begin Patch\n"), id="many patches that never end"),
        pytest.param("*** Begin Patch\n" + long("*** Update File: x\n@@ f\n-a\n"), id="many files"),
        pytest.param(long("<edit file='a'><old>b</old><new></new></edit>\n"), id="many elements"),
        pytest.param("<edit file='a'><old>" + long("<![CDATA["), id="many open sections"),
        pytest.param(long("<edit file='a'>"), id="many open elements"),
        pytest.param("<edit file='a'" + long(" a"), id="many attributes"),
        pytest.param(
            "a.py\n" + long(BLOCK + "--- a/x\n+++ b/x\n<edit file='a'>\n"), id="a mixture"
        ),
        pytest.param(long("\n"), id="blank lines"),
        pytest.param(long(" \t"), id="one blank line"),
    ],
)
def test_a_long_text_takes_bounded_time(text: str) -> None:
    start = time.process_time()
    for name in ("auto", *dialects.DIALECTS):
        try:
            dialects.parse(text, name)
        except InvalidInput:
            continue
    assert time.process_time() - start < BOUND
