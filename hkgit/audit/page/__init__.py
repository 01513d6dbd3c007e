"""The audit page: facts of a range for a template, and the template's rendering."""
