"""The tiers of the ladder, one module each; `registry.py` lists them."""
