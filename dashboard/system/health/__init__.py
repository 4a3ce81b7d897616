"""/healthz: whether this process can do its work."""
