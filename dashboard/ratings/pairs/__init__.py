"""How the bots of a rating table stand to each other, pair by pair."""
