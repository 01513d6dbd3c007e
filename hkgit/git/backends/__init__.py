"""Objects and refs from libgit2, or from the git program."""
