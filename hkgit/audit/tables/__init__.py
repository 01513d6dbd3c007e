"""Evidence as tables that any engine reads: their columns, rows, files, and questions to them."""
