"""transcripts: what agents have logged of their calls, as steps that `adopt` replays."""
