"""The tiers of the ladder, one module each."""
