"""Commands for agents and hooks."""
