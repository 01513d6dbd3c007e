"""Text: files as lines, diffs, strict JSON, and escaping; values in, values out."""
