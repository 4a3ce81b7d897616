"""A bot's notes about its decisions. They stay in this process until their match is over."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from arena.games.rules.view import View

# The gateway has the same limits for a note and for the notes of a match.
LONGEST = 1_000  # characters of a note
MOST_BYTES = 64 * 1024  # of the notes of a match, in UTF-8
MOST_MATCHES = 256  # matches in play with notes; the oldest are dropped first

NOT_TAKEN = "A note was ignored. Set takes_notes = True in the class of the bot to keep its notes."
FULL = (
    "A note was dropped, because the notes of its match have reached the limit of 64 kB. Write "
    "shorter notes."
)
MANY = f"Notes were dropped, because more than {MOST_MATCHES} matches in play have notes."

_told: set[str] = set()


def tell_once(sentence: str) -> None:
    """Prints a sentence, once in the life of this process."""
    if sentence not in _told:
        _told.add(sentence)
        sys.stderr.write(f"{sentence}\n")


class SeatNotes(NamedTuple):
    """The notes of one seat in a match, by number of the decision."""

    match: str
    seat: int
    texts: Mapping[int, str]


@dataclass(slots=True)
class _Page:
    texts: dict[int, str] = field(default_factory=dict)
    size: int = 0  # bytes


class Notebook:
    """The notes of the matches in play. Thread-safe, because bots may think in threads."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, int], _Page] = {}
        self._lock = Lock()

    def add(self, view: View, text: str) -> None:
        """Adds a text to the note about a decision, and cuts it to LONGEST characters."""
        # A language model's JSON may have half a surrogate pair, which is not valid UTF-8.
        said = str(text).encode(errors="replace").decode().strip()
        if not said:
            return
        with self._lock:
            page = self._page(view.match, view.seat)
            before = page.texts.get(view.number, "")
            said = _cut(f"{before}\n{said}" if before else said)
            size = page.size + len(said.encode()) - len(before.encode())
            if size > MOST_BYTES:
                tell_once(FULL)
            else:
                page.texts[view.number], page.size = said, size

    def take(self, match: str) -> list[SeatNotes]:
        """Removes and returns the notes of a match."""
        with self._lock:
            keys = [key for key in self._pages if key[0] == match]
            return [SeatNotes(*key, self._pages.pop(key).texts) for key in keys]

    def _page(self, match: str, seat: int) -> _Page:
        if (match, seat) not in self._pages and len(self._pages) >= MOST_MATCHES:
            tell_once(MANY)
            del self._pages[next(iter(self._pages))]
        return self._pages.setdefault((match, seat), _Page())


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
