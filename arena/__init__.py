"""A tournament and bot arena for the L.A.M.A. family of games."""

from arena.base import compiled as compiled  # first: it decides what other modules are loaded from

__version__ = "0.1.0"
