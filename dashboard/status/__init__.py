"""How the arena is, for who runs it: what is wrong, what to do, and the numbers."""
