"""/livez: whether this process answers; /healthz: whether it can do its work; /readyz: whether the
arena can."""
