"""recovery: a simulated model is driven through refusals until its edits land.

Model and rules are described in `model.py`; `python -m benchmarks.recovery` prints what comes of
it with and without what hkgit's refusals hold.
"""
