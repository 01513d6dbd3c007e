"""Evidence: ledger entries and trailers, and their replay from the repository."""
