"""What serves all pages: health, errors, headers, slow requests, warm caches."""
