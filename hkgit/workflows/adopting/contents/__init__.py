"""What files said before and after a logged call, as the log or its words tell."""
