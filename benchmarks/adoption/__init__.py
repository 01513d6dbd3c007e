"""How much of what a real session's edits wrote `hkgit adopt` explains, and whether truly."""
