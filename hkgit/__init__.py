"""hkgit: from what a coding agent wants to change to a commit that anyone can derive again."""

__version__ = "0.1.0"
