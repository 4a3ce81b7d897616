"""The infrastructure of all pages: server, health, errors, headers, metrics, caches."""
