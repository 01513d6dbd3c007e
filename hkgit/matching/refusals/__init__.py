"""What a refusal tells the author of an edit."""
