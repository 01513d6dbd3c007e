"""Commands that judge: gate, verify, policy, attest, consult, ledger."""
