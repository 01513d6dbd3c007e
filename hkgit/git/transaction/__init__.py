"""The transaction that moves a branch: see docs/transaction.md."""
