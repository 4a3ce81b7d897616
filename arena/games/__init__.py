"""The four games: rules, matches, records, and many games at once. Pure, without IO."""
