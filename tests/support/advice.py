"""Do what a message advises, to the letter."""

from __future__ import annotations

import re
import shlex

from tests.support.running import Bench


def follow_advice(bench: Bench, err: str) -> list[str]:
    """Run the commands that advice names but for the last words, which are options.

    Return these options, each HASH replaced by what `hkgit read` printed for that place.
    """
    *commands, options = re.findall(r"`([^`]+)`", err.partition("Fix: ")[2])
    known = {}
    for command in commands:
        program, *words = shlex.split(command)
        if program == "git":
            bench.repo.git(*words)
            continue
        assert (program, words[0]) == ("hkgit", "read")
        done = bench.run(*words)
        assert done.code == 0, done.err
        known[words[1]] = done.out.split("\n", 1)[0].split("  ")[1]
    return [
        re.sub(r"(.*)=HASH$", lambda place: f"{place[1]}={known[place[1]]}", word)
        for word in shlex.split(options)
    ]
