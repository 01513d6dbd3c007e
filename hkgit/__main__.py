"""`python -m hkgit` is `hkgit`."""

from hkgit.commands.main import run

run()
