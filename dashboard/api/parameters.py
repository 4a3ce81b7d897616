"""What may stand in the query string of an address: described for the document, and read.

The schema that is published is the one that is enforced. What is not known is refused, rather
than a list that was not asked for being given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError
from werkzeug.datastructures import MultiDict

from arena.base.errors import InvalidRequest
from arena.games.match import FAULT_KINDS
from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from dashboard.urls import LARGEST, BotName

MOST = 1000  # lines in one page of a list


@dataclass(frozen=True, eq=False)
class Parameter:
    """One parameter. A value is what pydantic makes of a text as a `kind`, or is `among` some.

    `wants` ends the sentence that refuses a value: "give ...".
    """

    name: str
    about: str
    kind: Any = None
    wants: str = ""
    among: Collection[Any] = ()
    default: Any = None

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        usual = {} if self.default is None else {"default": self.default}
        return {**_known(self._kind)[1], **usual}

    def read(self, text: str) -> Any:
        """The value of a text. Raises InvalidRequest."""
        try:
            return _known(self._kind)[0].validate_python(text)
        except ValidationError:
            wants = self.wants or f"one of {', '.join(str(each).lower() for each in self.among)}"
            raise InvalidRequest(
                f'"{text[:40]}" is not a valid {self.name}: give {wants}.'
            ) from None

    @property
    def _kind(self) -> Any:
        """Its kind as of now: games can be added while the arena runs."""
        if self.kind:
            return self.kind
        reads = READS[type(next(iter(self.among)))]
        return Annotated[Literal[tuple(self.among)], BeforeValidator(reads)]


def read(known: Sequence[Parameter], given: MultiDict[str, str]) -> dict[str, Any]:
    """The value of each parameter, by name. Raises InvalidRequest.

    Names by hand: of a model, pydantic would not see one given twice, and tell all errors at once.
    """
    names = {parameter.name for parameter in known}
    for name, values in given.lists():
        if name not in names:
            raise InvalidRequest(_unknown(name, names))
        if len(values) > 1:
            raise InvalidRequest(f"{name} is given {len(values)} times: give it once.")
    return {
        each.name: each.read(given[each.name]) if each.name in given else each.default
        for each in known
    }


def _unknown(name: str, names: set[str]) -> str:
    if not names:
        return f'This address takes no parameters: leave out "{name[:40]}".'
    return f'"{name[:40]}" is not a parameter here. Parameters: {", ".join(sorted(names))}.'


def _whole(text: str) -> int:
    # pydantic would take "+1", " 1" and "1_0", too.
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ValueError(text)
    return int(text)


def _day(text: str) -> date:
    # pydantic would take seconds since 1970, too, and Python a day without hyphens.
    if text.count("-") != 2:
        raise ValueError(text)
    return date.fromisoformat(text)


# How a text in an address is read as a value of a type.
READS: dict[type, Callable[[str], Any]] = {
    str: str,
    int: _whole,
    bool: {"true": True, "false": False}.get,
}


@lru_cache(maxsize=256)
def _known(kind: Any) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    return (adapter := TypeAdapter(kind)), adapter.json_schema()


# Kinds of parameters


def number(
    name: str, about: str, lowest: int, highest: int = LARGEST, default: int | None = None
) -> Parameter:
    """A whole number."""
    kind = Annotated[int, Field(ge=lowest, le=highest), BeforeValidator(_whole)]
    wants = f"a whole number from {lowest} to {highest}"
    return Parameter(name, about, kind, wants, default=default)


def choice(name: str, about: str, among: Collection[Any], default: Any = None) -> Parameter:
    """One of several values of one type: texts, whole numbers or truth values."""
    return Parameter(name, about, among=among, default=default)


def text(name: str, about: str, wants: str, pattern: str, default: str | None = None) -> Parameter:
    """A text of some form."""
    kind = Annotated[str, Field(pattern=f"^{pattern}$", description=wants)]
    return Parameter(name, about, kind, wants, default=default)


def day(name: str, about: str) -> Parameter:
    """A day."""
    return Parameter(name, about, Annotated[date, BeforeValidator(_day)], "a day like 2026-11-24")


def limit(default: int) -> Parameter:
    """How many lines a page has at most."""
    return number("limit", "Lines in one page at most.", 1, MOST, default)


def after(pattern: str) -> Parameter:
    """Where a page begins."""
    about = 'The "next" of the page before; the Link header has the whole address.'
    return text("after", about, 'the "next" of the page before', f"({pattern})?", "")


# Those that several addresses take

GAME = choice("game", "The game; without it the first that has ratings.", GAMES)
SEATS = choice(
    "seats",
    "Ratings at tables of so many seats; 0: of any number.",
    (0, *range(FEWEST_SEATS, MOST_SEATS + 1)),
    0,
)
BOT = text("bot", "The name of a bot, in all its versions.", "a bot's name", BotName.regex)
TOURNAMENT = number("tournament", "The number of a tournament.", 1)
OPPONENT = text(
    "opponent",
    "Only matches of the bot against this one; without `bot` all matches of this one.",
    "a bot's name",
    BotName.regex,
)
ANY_GAME = choice("game", "Only matches of this game.", GAMES)
LOST = choice("lost", "Only matches that the bot did not win. Needs `bot`.", (False, True), False)
FAULTS = choice(
    "faults",
    "Only matches in which the bot had a fault, or anybody if no bot is named.",
    (False, True),
    False,
)
FAULT = choice(
    "fault",
    'Only matches in which the bot (or anybody) had a fault of this kind; "any" is the same as '
    "`faults`.",
    ("any", *FAULT_KINDS),
)
MARGIN = number(
    "margin",
    "Only matches that were won by at most so many points from the next; 0 are shared victories.",
    0,
    1000,
)
SINCE = day("since", "The first day on which the matches ended, in UTC.")
UNTIL = day("until", "The last day on which the matches ended, in UTC.")
WORST = choice(
    "worst",
    "The bot's worst matches, the worst first: its score was furthest below what the Elo of all at "
    "the table led to expect. Of the latest 2,000 that fit, in one page. Needs `bot`.",
    (False, True),
    False,
)
FORMAT = choice(
    "format",
    "csv: the table for a spreadsheet, as at the address that ends in .csv.",
    ("json", "csv"),
    "json",
)
AFTER = after("[0-9]{1,9}")  # no more than any database takes
AFTER_MATCH = after("[0-9]{1,18}")
AFTER_BOT = after(BotName.regex)
