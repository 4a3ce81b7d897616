"""/api: what there is as JSON."""
