"""Writing a single-file Python bot in the browser."""
