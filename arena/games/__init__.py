"""The four games: rules, matches, records, and batch simulation. Pure, without IO."""
