"""How long the pages of lists may be."""

from __future__ import annotations

from arena.base.errors import InvalidRequest

MOST = 1000  # lines in one page of a list


def checked_limit(requested: int, usual: int) -> int:
    """The length of a page; 0 asks for the `usual` one. Raises InvalidRequest for too long ones."""
    if requested > MOST:
        raise InvalidRequest(
            f"limit is {requested}; it must be from 1 to {MOST}, or 0 for {usual}."
        )
    return requested or usual
