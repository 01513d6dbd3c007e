"""Options declared once: read without Click where they are plain, and by Click elsewhere."""
