"""What a release is made of: one version, its notes, and a source distribution without a date."""

import io
import runpy
import tarfile
import tomllib
from pathlib import Path

import pytest

import hkgit
from tests.docs.console import ROOT

CI = ROOT / ".ci"


def test_the_version_is_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == hkgit.__version__


def test_the_notes_are_the_section_of_the_version() -> None:
    notes_of = runpy.run_path(str(CI / "notes.py"))["notes_of"]
    text = "# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0 (today)\n\n- b\n\n## 0.1.0\n\n- a\n"
    assert [notes_of(each, text) for each in ("0.2.0", "0.1.0")] == ["- b\n", "- a\n"]
    with pytest.raises(LookupError, match=r"0\.3\.0"):
        notes_of("0.3.0", text)


def test_the_same_files_make_the_same_source_distribution(tmp_path: Path) -> None:
    repack = runpy.run_path(str(CI / "repack.py"))["repack"]
    made = []
    for owner, date, names in ((1, 5, "ab"), (2, 9, "ba")):
        path = tmp_path / f"{owner}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name in names:
                member = tarfile.TarInfo(name)
                member.size, member.mtime, member.uid = 1, date, owner
                archive.addfile(member, io.BytesIO(name.encode()))
        repack(path, 1_700_000_000)
        made.append(path.read_bytes())
    assert made[0] == made[1]
    with tarfile.open(tmp_path / "1.tar.gz") as archive:
        assert archive.extractfile("b").read() == b"b"  # type: ignore[union-attr]  # is a file
