"""Cells of CSV files that spreadsheets open as what they are.

A spreadsheet takes a text that begins with certain characters for a formula and runs it; whoever
may choose a name could so reach into the file of whoever opens the table.
"""

from __future__ import annotations

from typing import TypeAlias

Cell: TypeAlias = str | int | float | bool | None

# Numbers may begin with a minus; texts are marked as texts. The wide forms count as the plain ones.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: Cell) -> Cell:
    """The value as a cell: a text that would be a formula gets an apostrophe, a bool is 0 or 1."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
