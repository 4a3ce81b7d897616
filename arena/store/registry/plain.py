"""What strangers' programs print, as it is kept."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text as it can be stored, and shown on a terminal."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text  # as nearly all is
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
