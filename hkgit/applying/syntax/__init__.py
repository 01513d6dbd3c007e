"""Check that edits leave files in valid syntax."""
