"""Formats and ratings. Pure, without IO."""
