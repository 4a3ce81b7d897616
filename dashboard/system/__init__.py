"""What serves all pages: health, errors, headers, metrics, slow requests, warm caches."""
