"""Which bytes change at a place that is found."""
