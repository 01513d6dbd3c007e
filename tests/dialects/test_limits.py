"""Texts made to be slow are read, or refused, in time that grows in step with them."""

import time

import pytest

from hkgit import dialects
from hkgit.edits import CreateFile, InsertAfter
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.notations import write
from tests.support.properties import is_thorough

SIZE = 150_000 if is_thorough() else 50_000
BOUND = 60
"""Seconds, for a machine with much else to do; what is quadratic needs hours."""

LINE = "    return some_function(argument, 42)\n"
BLOCK = f"<<<<<<< SEARCH\n{LINE}=======\n>>>>>>> REPLACE\n"


def long(piece: str) -> str:
    return piece * (SIZE // len(piece))


@pytest.mark.sampled
@cases(
    {
        "one long text": write("protocol", [CreateFile("a", long(LINE))]),
        "many lines": write("protocol", [InsertAfter("a", 1, ("x",) * (SIZE // 2))]),
        "many documents": long('{"file": "a", "old_text": "b", "new_text": "c"}\n'),
        "a string of quotes that never ends": '{"file": "' + long('\\"'),
        "brackets that never close": '{"file": ' + long("[{"),
        "blanks in JSON": '{"file": ' + long("  "),
        "many blocks": "a.py\n" + long(BLOCK),
        "many dividers": f"a.py\n{BLOCK[:15]}{long('=======' + chr(10))}",
        "many heads": long("<<<<<<< SEARCH\n"),
        "many shell fences": long("```sh\n"),
        "backslashes": f"a.py\n{BLOCK[:15]}{long(chr(92))}\n=======\n",
        "many files without hunks": long("--- a/x\n+++ b/x\n"),
        "many hunks": "--- a/x\n+++ b/x\n" + long("@@ -1 +1 @@\n-a\n+b\n"),
        "many blank lines": "--- a/x\n+++ b/x\n@@ @@\n" + long("-a\n\n"),
        "many patches that never end": long("*** Begin Patch\n"),
        "many files": "*** Begin Patch\n" + long("*** Update File: x\n@@ f\n-a\n"),
        "many elements": long("<edit file='a'><old>b</old><new></new></edit>\n"),
        "many open sections": "<edit file='a'><old>" + long("<![CDATA["),
        "many open elements": long("<edit file='a'>"),
        "many attributes": "<edit file='a'" + long(" a"),
        "a mixture": "a.py\n" + long(BLOCK + "--- a/x\n+++ b/x\n<edit file='a'>\n"),
        "blank lines": long("\n"),
        "one blank line": long(" \t"),
    },
)
def test_a_long_text_takes_bounded_time(text: str) -> None:
    start = time.process_time()
    for name in ("auto", *dialects.DIALECTS):
        try:
            dialects.parse(text, name)
        except InvalidInput:
            continue
    assert time.process_time() - start < BOUND
