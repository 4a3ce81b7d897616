"""Cells of CSV files that are safe to open in a spreadsheet.

Spreadsheets run a text that starts with certain characters as a formula. So a chosen name could
attack users who open the file.
"""

from __future__ import annotations

from typing import TypeAlias

Cell: TypeAlias = str | int | float | bool | None

# Only texts are marked, so numbers may start with a minus. The last four are full-width forms.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: Cell) -> Cell:
    """The cell for a value. A text that would be a formula gets an apostrophe; a bool is 0 or 1."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
