"""Warns of SQLite connections that stay open, as Python does from 3.13 on."""

import sqlite3
import sys
import warnings
from functools import partial
from typing import Any


class Connection(sqlite3.Connection):
    """A connection that warns when it is deleted while it is open."""

    _is_open = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._is_open = True

    def close(self) -> None:
        super().close()
        self._is_open = False

    def __del__(self) -> None:
        if self._is_open:
            said = f"unclosed database in {self!r}"
            warnings.warn(said, ResourceWarning, stacklevel=2, source=self)


def install() -> None:
    """Makes all new connections warn."""
    if sys.version_info < (3, 13):
        connect = partial(sqlite3.connect, factory=Connection)
        sqlite3.connect = sqlite3.dbapi2.connect = connect  # type: ignore[assignment]
