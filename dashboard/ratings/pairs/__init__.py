"""The bots of a leaderboard, pair by pair."""
