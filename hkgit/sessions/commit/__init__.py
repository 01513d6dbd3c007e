"""From the journals of a checkout to the ledger entries of a commit."""
