"""How the nets are made: self-play, fitting, measuring. Only `arena train` imports it."""
