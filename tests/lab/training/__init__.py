"""How the nets are made: self-play, fitting, measuring. Only `train` imports it."""
