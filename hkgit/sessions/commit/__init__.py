"""Make the ledger entries of a commit from the journals of a checkout."""
