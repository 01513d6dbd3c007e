"""Commands: one module each, thin: parse, call, print (`main` lists them)."""
