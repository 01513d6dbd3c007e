"""Evidence from transcripts: what hooks missed, replayed from what the agent itself has logged."""
