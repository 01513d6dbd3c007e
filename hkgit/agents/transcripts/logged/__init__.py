"""What agents log of their readings and edits: one module a form, all listed in `reading`."""
