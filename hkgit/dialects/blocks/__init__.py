"""What blocks of text share: headings, fences, dividers, tags."""
