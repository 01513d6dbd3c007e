"""The rules of the gate, one module each."""
