"""edit.py: `python -m benchmarks.edit`: one edit of a file of 1,000 lines, in several ways.

As a process, all ways take turns, so that a noisy machine hits every one of them: `hkgit edit`
beside `sed -i` and `git apply`, and the bare interpreter, whose start is in every program written
in Python; CPU is that of the program alone. Then a read and an edit by a running server, and by
the library inside a process.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

from benchmarks.pairs import sh
from benchmarks.served import serving

LINES = 1000
LINE = 500
Way = Callable[[int], None]


def main() -> None:
    """Print the time of each way, and its ratio to that of the interpreter."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=30)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        sh(["git", "init", "-q", "."], root)
        print(processes(root, asked.runs))
        print()
        print(requests(root, asked.runs * 5))
        print()
        print(calls(asked.runs * 10))


def processes(root: Path, runs: int) -> str:
    """The table of the ways that start a program."""
    times = in_turns(ways(root), runs, _children)
    bare = median(cpu for _, cpu in times["python -c pass"])
    rows = [_process_row(name, each, bare) for name, each in times.items()]
    head = "| one edit, as a process | median ms | least ms | CPU ms | of the interpreter |"
    return "\n".join([head, "|---|---|---|---|---|", *rows])


def _children() -> float:
    """Seconds of CPU that programs started from here have used; a busy machine adds nothing."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _process_row(name: str, times: Sequence[tuple[float, float]], bare: float) -> str:
    wall = [1000 * seconds for seconds, _ in times]
    cpu = median(used for _, used in times)
    cells = (f"{median(wall):.1f}", f"{min(wall):.1f}", f"{1000 * cpu:.1f}", f"{cpu / bare:.2f}")
    return f"| {name} | {' | '.join(cells)} |"


def ways(root: Path) -> Mapping[str, Way]:
    """Each way by name; a way gets the number of the turn, so that every edit is another."""
    hkgit = [sys.executable, "-P", "-m", "hkgit"]
    text = "".join(f"line {number} of the file\n" for number in range(1, LINES + 1))

    def fresh() -> Path:
        place = root / "file.txt"
        place.write_text(text)
        return place

    def by_options(turn: int) -> None:
        old = f"line {LINE} of the file"
        fresh()
        sh([*hkgit, "edit", "--file", "file.txt", "--old", old, "--new", f"turn {turn}"], root)

    def by_stdin(turn: int) -> None:
        edit = {"file": "file.txt", "old_text": f"line {LINE} of the", "new_text": f"turn {turn}"}
        fresh()
        sh([*hkgit, "edit", "--stdin", "--json"], root, json.dumps(edit).encode())

    def by_sed(turn: int) -> None:
        sh(["sed", "-i", f"s/^line {LINE} of the file$/turn {turn}/", fresh().name], root)

    def by_git(turn: int) -> None:
        sh(["git", "apply", "-"], root, _patch(fresh().name, turn).encode())

    return {
        "sed -i": by_sed,
        "git apply": by_git,
        "python -c pass": lambda turn: _discard(fresh(), root),
        "hkgit edit --file --old --new": by_options,
        "hkgit edit --stdin --json": by_stdin,
        "hkgit --help": lambda turn: _discard(fresh(), root, *hkgit, "--help"),
    }


def _discard(place: Path, root: Path, *command: str) -> None:
    sh(command or [sys.executable, "-P", "-c", "pass"], root)


def _patch(name: str, turn: int) -> str:
    around = [f" line {number} of the file" for number in range(LINE - 3, LINE + 4)]
    around[3:4] = [f"-line {LINE} of the file", f"+turn {turn}"]
    head = f"--- a/{name}\n+++ b/{name}\n@@ -{LINE - 3},7 +{LINE - 3},7 @@\n"
    return head + "\n".join(around) + "\n"


def requests(root: Path, runs: int) -> str:
    """The table of what a running server takes, on the clock of the one who asks."""
    place = root / "served.txt"
    place.write_text("".join(f"line {number} of the file\n" for number in range(1, LINES + 1)))

    def edit(turn: int) -> None:
        old = f"turn {turn - 1}\n" if turn else f"line {LINE} of the file\n"
        text = json.dumps({"file": place.name, "old_text": old, "new_text": f"turn {turn}\n"})
        client.ask("edit", text=text)

    with serving(root) as client:
        found = in_turns(
            {
                "read 1,000 lines": lambda turn: _use(client.ask("read", path=place.name)),
                "edit, exact": edit,
            },
            runs,
            client.cpu,
        )
    rows = [
        f"{_call_row(name, [1000 * wall for wall, _ in each])} {_middle(each):.2f} |"
        for name, each in found.items()
    ]
    head = "| a running server | median ms | p99 ms | median ms of the processor |"
    return "\n".join([head, "|---|---|---|---|", *rows])


def _middle(times: Sequence[tuple[float, float]]) -> float:
    return 1000 * median(used for _, used in times)


def calls(runs: int) -> str:
    """The table of what the library takes inside a running process."""
    from hkgit import Edit, apply_edits, parse_edits, read_range

    text = "".join(f"line {number} of the file\n" for number in range(1, LINES + 1))
    old, new = f"line {LINE} of the file\n", "another line\n"
    spec = json.dumps({"file": "f", "old_text": old, "new_text": new})
    near = Edit("f", f"line {LINE - 1} of a file\n{old}line {LINE + 1} of the file\n", new)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "f"
        place.write_text(text)

        def on_disk(turn: int) -> None:
            # Every turn finds the text that the one before left.
            lines = (f"turn {turn - 1}\n" if turn else old), f"turn {turn}\n"
            assert apply_edits([Edit("f", *lines)], folder).ok

        found = in_turns(
            {
                "read 1,000 lines": lambda turn: _use(read_range(text)),
                "read 20 lines": lambda turn: _use(read_range(text, LINE, LINE + 19)),
                "edit in memory, exact": lambda turn: _use(
                    apply_edits(parse_edits(spec), {"f": text})
                ),
                "edit in memory, a word of context wrong": lambda turn: _use(
                    apply_edits([near], {"f": text})
                ),
                "edit on disk, exact": on_disk,
            },
            runs,
        )
    rows = [_call_row(name, [1000 * wall for wall, _ in each]) for name, each in found.items()]
    return "\n".join(["| in a running process | median ms | p99 ms |", "|---|---|---|", *rows])


def _call_row(name: str, wall: Sequence[float]) -> str:
    return f"| {name} | {median(wall):.2f} | {quantiles(wall, n=100)[98]:.2f} |"


def _use(value: object) -> None:
    assert value is not None


def in_turns(
    ways: Mapping[str, Way], runs: int, cpu: Callable[[], float] = process_time
) -> Mapping[str, Sequence[tuple[float, float]]]:
    """Seconds, on the clock and of CPU, of each run of each way.

    All of them run once before, and then in turn.
    """
    for way in ways.values():
        way(0)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for turn in range(1, runs + 1):
        for name, way in ways.items():
            start, used = perf_counter(), cpu()
            way(turn)
            times[name].append((perf_counter() - start, cpu() - used))
    return times


if __name__ == "__main__":
    main()
