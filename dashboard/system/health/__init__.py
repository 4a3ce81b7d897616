"""/livez: the process answers. /healthz: the dashboard works. /readyz: the arena works."""
