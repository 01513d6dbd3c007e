"""The ledger: entries that record applied specs, as values, as canonical bytes and as trailers."""
