"""Makes the output of untrusted programs safe to store and to show."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text without control characters other than line breaks and tabs."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text  # nearly always
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
