"""Pages about ratings: leaderboards, pairs, and explanations."""
