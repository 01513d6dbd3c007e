"""One module for each kind of edit."""
