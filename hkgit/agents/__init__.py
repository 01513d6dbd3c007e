"""Agents: what a coding agent needs to work through hkgit; one module each, all listed here."""
