"""The review of a match, as a part of its replay: asking for it, showing it."""
