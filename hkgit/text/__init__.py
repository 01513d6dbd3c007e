"""Text: files as lines, diffs, strict JSON, and text made harmless; values in, values out."""
