"""Limits the length of list pages."""

from __future__ import annotations

from arena.base.errors import InvalidRequest

MOST = 1000  # entries in a page


def checked_limit(requested: int, usual: int) -> int:
    """The length of a page; 0 requests the `usual` one. Raises InvalidRequest if it is too long."""
    if requested > MOST:
        raise InvalidRequest(
            f"limit is {requested}; it must be from 1 to {MOST}, or 0 for the default ({usual})."
        )
    return requested or usual
