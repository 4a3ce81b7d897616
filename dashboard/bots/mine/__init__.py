"""One's own bots: making them, their tokens, connecting them, trying them out."""
