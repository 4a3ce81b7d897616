"""The banner on every page while a part of the arena is unavailable."""
