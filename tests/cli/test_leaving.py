"""How a command's process ends: at once, but not before all is said and done."""

from __future__ import annotations

import subprocess
import sys

from tests.support.cases import cases

SAID = """\
import atexit, sys, threading
from hkgit.cli.runner import leave
atexit.register(lambda: print("at the end", file=sys.stderr))
sys.stdout.write("no line end")
"""
THREAD = """\
started = threading.Event()
def work():
    started.wait()
    sys.stderr.write("thread done, ")
threading.Thread(target=work).start()
threading.Timer(0.05, started.set).start()
"""


@cases(
    "more, told",
    {"alone": ("", "at the end\n"), "a thread is at work": (THREAD, "thread done, at the end\n")},
)
def test_output_and_whatever_waits_for_the_end_come_before_it(more: str, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{SAID}{more}leave(3)"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "no line end", told)


def test_an_interrupt_while_modules_are_loaded_is_no_traceback() -> None:
    loading = """\
import sys
class Interrupted:
    def __getattr__(self, name):
        raise KeyboardInterrupt
sys.modules["hkgit.cli.runner"] = Interrupted()
from hkgit.cli.start import run
run()
"""
    done = subprocess.run([sys.executable, "-c", loading], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "hkgit: interrupted\n")
