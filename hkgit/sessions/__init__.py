"""sessions: an agent at work in a live checkout: what it has read, what it has edited, and how
that becomes evidence when somebody commits."""
