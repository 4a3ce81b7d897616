"""The proto files of the public contract, for those who write bots in other languages."""

from __future__ import annotations

from pathlib import Path

# In a wheel they lie beside their stubs; in a checkout they are at the top.
PLACES = (Path(__file__).with_name("v1"), Path(__file__).parents[2] / "proto/arena/v1")
NAMES = ("play.proto", "control.proto", "submissions.proto")


def contract(name: str) -> str:
    """The text of one of NAMES. Raises FileNotFoundError where an installation lacks it."""
    for place in PLACES:
        if (place / name).is_file():
            return (place / name).read_text()
    raise FileNotFoundError(f"This installation of lama-arena has no {name}.")
