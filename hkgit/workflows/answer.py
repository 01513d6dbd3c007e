"""answer.py: commit the answer to a CONSULT: one file, or nothing where git refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hkgit.applying.files.directory import DirectorySnapshot, write_files
from hkgit.edits import File, encode_text
from hkgit.gate.conflicts.consulting import Consult, consult_bytes
from hkgit.git.repository import Repository


def commit_answer(repository: Repository, work_tree: Path, consult: Consult) -> None:
    """Commit an answered CONSULT; whatever else is staged stays staged. Raises GitRefused."""
    assert consult.answer is not None
    subject = f"Answer CONSULT {consult.id}: {consult.answer.decision}"
    text = f"{subject}\n\n{consult.answer.message}".rstrip() + "\n"
    message = text.encode("utf-8", "replace")
    files = {consult.path: File(consult_bytes(consult))}
    with _restore_after(repository, work_tree, files):
        write_files(work_tree, files)
        repository.git("add", "--force", "--", *files)
        repository.git("commit", "--quiet", "--only", "-F", "-", "--", *files, stdin=message)


@contextmanager
def _restore_after(
    repository: Repository, work_tree: Path, files: Mapping[str, File]
) -> Iterator[None]:
    """Put files and their entries in the index back where no commit is made of them."""
    before = {path: DirectorySnapshot(work_tree).get(path) for path in files}
    staged = repository.git("ls-files", "--stage", "-z", "--", *files).stdout
    try:
        yield
    except BaseException:
        write_files(work_tree, before)
        gone = b"".join(b"0 " + b"0" * 40 + b"\t" + encode_text(path) + b"\0" for path in files)
        repository.git("update-index", "-z", "--index-info", stdin=gone + staged)
        raise
