"""`python -m hkgit` is `hkgit`."""

from hkgit.cli.start import run

run()
