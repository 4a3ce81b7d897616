"""Finished matches: stored once each, listed, shown and exported."""
