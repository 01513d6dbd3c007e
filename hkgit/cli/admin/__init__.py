"""Commands that set up and look after hkgit."""
