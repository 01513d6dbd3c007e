"""The installed commands, driven as a user drives them, on repositories of real sources."""
