"""The points where refs move, and how each asks the gate: a server, a push, a branch at home."""
