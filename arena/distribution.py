"""Which of the two wheels a module is in.

lama-arena           what a bot and its author need: the rooms below
lama-arena-server    the rest of `arena`, `workers`, `dashboard`
"""

from __future__ import annotations

# They need gRPC and protobuf; `batch`, `value` and a part of `rating` need NumPy, too, and `learn`
# the extra of that name.
AUTHORS = {
    *("__init__", "batch", "blas_threads", "bots", "compiled", "distribution", "durations"),
    *("errors", "folder", "game_guides", "hosted", "jail", "keepalive", "kit", "learn", "match"),
    *("pairing", "protocol", "rating", "record", "rules", "sdk", "submission", "tracing", "value"),
    "words",
}


def is_authors(module: str) -> bool:
    """Whether a module or package is in the authors' wheel."""
    package, _, rest = module.partition(".")
    return package == "arena" and (rest.partition(".")[0] or "__init__") in AUTHORS
