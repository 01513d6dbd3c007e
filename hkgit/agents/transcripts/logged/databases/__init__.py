"""Logs that lie in databases, and the files that OpenCode kept before it had one."""
