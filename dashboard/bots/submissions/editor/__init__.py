"""Writing a bot of a single Python file in the browser."""
