"""What a session reads, and what it knows from it."""
