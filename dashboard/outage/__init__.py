"""What every page says while a part of the arena is away."""
