"""/healthz: whether this process can do its work; /readyz: whether the arena can."""
