"""git: the only place that opens repositories or starts the git program."""
