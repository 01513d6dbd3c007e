"""Hashes without OpenSSL are those that OpenSSL gives."""

import hashlib
import subprocess
import sys

import pytest

from hkgit.text import hashes

SCRIPT = """\
import sys
from hkgit.text.hashes import sha256
sha256(b"x" * int(sys.argv[1]))
print("hashlib" in sys.modules)
"""


@pytest.mark.parametrize("name", ["sha1", "sha256", "sha512"])
@pytest.mark.parametrize("hashed", [0, hashes._FEW_BYTES], ids=["first", "late"])
def test_every_way_gives_the_same_hash(
    name: str, hashed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashes, "_hashed", hashed)
    begun = hashes.start_hash(name, b"one ", more=3)
    begun.update(b"two")
    assert begun.hexdigest() == hashlib.new(name, b"one two").hexdigest()


@pytest.mark.parametrize(("size", "loads"), [(1000, "False"), (1 << 20, "True")])
def test_openssl_is_loaded_for_what_is_large(size: int, loads: str) -> None:
    command = [sys.executable, "-S", "-c", SCRIPT, str(size)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    said = subprocess.check_output(command, text=True, env=environment)
    assert said.strip() == loads
