"""Pages for frames on other sites: a table to watch, a replay that plays by itself, ratings."""
