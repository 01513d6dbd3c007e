"""Commands that edit: read, apply, edit, undo."""
