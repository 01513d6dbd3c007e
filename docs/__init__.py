"""docs: the documentation, and the scripts that write parts of it from the code."""
