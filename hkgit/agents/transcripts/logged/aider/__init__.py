"""The two histories that aider writes, and the formats of its answers."""
