"""`python -m benchmarks.adoption`: explain slices of real edits, and hold each line to the truth.

Every slice becomes a repository, a change that is not committed, and the log of a session that
made it. Of two slices one is looked at while hkgit is worked on (`tune`), the other is kept back
(`report`).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

from benchmarks.adoption.modelling import FORMS, RealEdit, Session, model_session, write_session
from benchmarks.adoption.truth import BASE, HAND, LineTruth, split_text
from benchmarks.engines.real import real_cases, real_file
from hkgit.agents.transcripts.log_reader import Logs
from hkgit.git.repository import Repository
from hkgit.workflows.adoption import Adoption, adopt_tree, store_checkout

SLICES = 10


def main() -> None:
    """Print a line a slice, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=("tune", "report"), default="report")
    parser.add_argument("--slices", type=int, default=SLICES)
    parser.add_argument("--only", type=int, help="the number of one slice")
    parser.add_argument("--form", choices=FORMS, action="append")
    parser.add_argument("--show", action="store_true", help="say which lines are explained wrongly")
    asked = parser.parse_args()
    edits = read_edits(real_file())
    sums: dict[str, Counter[str]] = {}
    for number, chosen in enumerate(slice_edits(edits, asked.slices)):
        if number % 2 != ("tune", "report").index(asked.half):
            continue
        if asked.only is not None and number != asked.only:
            continue
        for form in asked.form or FORMS:
            for seed in (None, number):
                name = f"{form}{'' if seed is None else ', then changed by hand'}"
                found = measure(chosen, form, seed)
                sums.setdefault(name, Counter()).update(found.counts)
                print(f"slice {number}, {name}: {describe(found.counts)}", flush=True)
                for line in found.wrong if asked.show else ():
                    print(f"    {line}")
    for name, counts in sums.items():
        print(f"all, {name}: {describe(counts)}")


def read_edits(path: Path) -> list[RealEdit]:
    """The real edits of a file, in order."""
    return [
        RealEdit(
            path=case.path,
            old=case.old,
            new=case.new,
            is_all=case.replace_all,
            before=case.before.decode(),
            after=case.truth.ideal.decode(),
        )
        for case in real_cases(path)
    ]


def slice_edits(edits: Sequence[RealEdit], count: int) -> list[Sequence[RealEdit]]:
    """Edits in slices of one size, in their order."""
    size = -(-len(edits) // count)
    return [edits[at : at + size] for at in range(0, len(edits), size)]


@dataclass
class Findings:
    """Counts of lines, and the lines that are explained wrongly."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def measure(edits: Sequence[RealEdit], form: str, seed: int | None) -> Findings:
    """Count lines by what adopting says of them and whether it is true."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "repo"
        session = model_session(edits, form, str(root), seed)
        _write_files(root, session.before, "Before")
        for path, text in session.after.items():
            (root / path).write_bytes(text.encode())
        log = write_session(session, root.parent / "modelled.jsonl")
        repository = Repository.discover(root)
        logs = Logs([log], lambda place: (root, True) if place.is_relative_to(root) else None)
        start = process_time()
        tree = store_checkout(repository)
        done = adopt_tree(repository, logs, tree, keeps=False)
        spent = process_time() - start
        found = count_lines(session, edits, done, changed_lines(root))
        found.counts["ms"] = int(1000 * spent)
        found.counts["edits"] = len(edits)
        return found


def _write_files(root: Path, files: dict[str, str], message: str) -> None:
    for path, text in files.items():
        if text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
    root.mkdir(exist_ok=True)
    (root / ".gitattributes").write_text("* -text\n")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q", "."], ["add", "-A"], [*who, "commit", "-q", "-m", message]):
        subprocess.run(["git", *words], cwd=root, check=True)


def changed_lines(root: Path) -> set[tuple[str, int]]:
    """The lines of the checkout that git's own diff shows as added."""
    words = ["git", "diff", "-U0", "--no-renames", "--no-color", "--no-ext-diff", "HEAD"]
    subprocess.run(["git", "add", "-N", "."], cwd=root, check=True)
    done = subprocess.run(words, cwd=root, check=True, capture_output=True)
    found: set[tuple[str, int]] = set()
    path = ""
    for line in done.stdout.decode().split("\n"):
        if line.startswith("+++ b/"):
            path = line.removeprefix("+++ b/")
        elif (head := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)) is not None:
            first, count = int(head[1]), int(head[2] or 1)
            found |= {(path, number) for number in range(first, first + count)}
    return found


def count_lines(
    session: Session, edits: Sequence[RealEdit], done: Adoption, changed: set[tuple[str, int]]
) -> Findings:
    """How many changed lines the edits wrote, how many of them are explained, and what is wrong."""
    found = Findings()
    by: dict[tuple[str, int], int] = {}
    for each in done.explanation.explained:
        step = done.step(each.unit)
        assert step is not None
        told = int(step.call.removeprefix("edit-"))
        by.update(((each.path, line), told) for line in range(each.first, each.last + 1))
    for path, truth in session.truths.items():
        for at, line in enumerate(truth, 1):
            is_written = line.author >= 0 and (path, at) in changed
            call = by.get((path, at))
            found.counts["written"] += is_written
            found.counts["explained"] += is_written and call is not None
            if call is not None and call != line.author:
                kind = judge_line(session, edits, path, line, call)
                found.counts[kind] += 1
                shown = f"{path}:{at} told {call}, true {line.author}: {line.text[:70]!r}"
                found.wrong += [shown] * kind.startswith("wrong")
    return found


def judge_line(
    session: Session, edits: Sequence[RealEdit], path: str, line: LineTruth, told: int
) -> str:
    """What it means that a line is told to be of an edit that is not its author."""
    if told in line.again:
        return "in that edit's text, as it was before"
    if line.author >= 0 and line.text in split_text(edits[line.author].old):
        return "only moved since"
    past = (each for truth in session.earlier.get(path, ()) for each in truth)
    if any(each.text == line.text and each.author == told for each in past):
        return "written by that edit, and later once more"
    if edits[told].path == path and line.text in split_text(edits[told].new):
        if line.author >= 0:
            return "written alike by that edit"
        if line.again:
            return "one of equal lines that were replaced together"
    return _name_author(line.author) + ("" if line.text.strip() else ", blank")


def _name_author(author: int) -> str:
    return {BASE: "wrong: of the base", HAND: "wrong: by hand"}.get(author, "wrong: another edit")


def describe(counts: Counter[str]) -> str:
    """The counts of a slice in one line."""
    known = {"written", "explained", "ms", "edits"}
    share = 100 * counts["explained"] / max(counts["written"], 1)
    rest = ", ".join(
        f"{kind} {count}" for kind, count in sorted(counts.items()) if kind not in known
    )
    seconds = counts["ms"] / 1000
    return (
        f"{counts['edits']} edits, {counts['written']} lines, {share:.1f} % explained,"
        f" {seconds:.1f} s; {rest or 'nothing wrong'}"
    )


if __name__ == "__main__":
    main()
