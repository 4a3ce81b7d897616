"""Query parameters: their schemas, and reading them.

The published schema is the one that is enforced. Unknown parameters are errors, so that a typo
does not return an unfiltered list.
"""

import re
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
    """One parameter. Its values are texts parsed by pydantic as `kind`, or one of `among`. `wants`
    describes valid values in errors: "Give ..."."""

    name: str
    about: str
    kind: Any = None
    wants: str = ""
    among: Collection[Any] = ()
    default: Any = None

    @property
    def schema(self) -> dict[str, Any]:
        usual = {} if self.default is None else {"default": self.default}
        return {**_known(self._kind)[1], **usual}

    def read(self, text: str) -> Any:
        """The value of a text. Raises InvalidRequest."""
        try:
            return _known(self._kind)[0].validate_python(text)
        except ValidationError:
            wants = self.wants or f"one of {', '.join(str(each).lower() for each in self.among)}"
            raise InvalidRequest(
                f'"{text[:40]}" is not a valid {self.name}. Give {wants}.'
            ) from None

    @property
    def _kind(self) -> Any:
        """Its current type; games can be added while the arena runs."""
        if self.kind:
            return self.kind
        reads = READS[type(next(iter(self.among)))]
        return Annotated[Literal[tuple(self.among)], BeforeValidator(reads)]


def read(known: Sequence[Parameter], given: MultiDict[str, str]) -> dict[str, Any]:
    """Return the value of each parameter, by name. Raises InvalidRequest. This does not use a
    pydantic model, which would miss repeated parameters."""
    names = {parameter.name for parameter in known}
    for name, values in given.lists():
        if name not in names:
            raise InvalidRequest(_unknown(name, names))
        if len(values) > 1:
            raise InvalidRequest(f"{name} is given {len(values)} times. Give it once.")
    return {
        each.name: each.read(given[each.name]) if each.name in given else each.default
        for each in known
    }


def _unknown(name: str, names: set[str]) -> str:
    if not names:
        return f'This address has no parameters. Remove "{name[:40]}".'
    return f'"{name[:40]}" is not a parameter here. Parameters: {", ".join(sorted(names))}.'


def _whole(text: str) -> int:
    # Pydantic would also accept "+1", " 1" and "1_0".
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ValueError(text)
    return int(text)


def _day(text: str) -> date:
    # Pydantic would also accept Unix seconds, and Python weeks and days without hyphens.
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(text)
    return date.fromisoformat(text)


# Parsers of query values, by type.
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
    kind = Annotated[int, Field(ge=lowest, le=highest), BeforeValidator(_whole)]
    wants = f"a whole number from {lowest} to {highest}"
    return Parameter(name, about, kind, wants, default=default)


def choice(name: str, about: str, among: Collection[Any], default: Any = None) -> Parameter:
    """Return a parameter with a few values of one type: texts, integers or booleans."""
    return Parameter(name, about, among=among, default=default)


def text(name: str, about: str, wants: str, pattern: str, default: str | None = None) -> Parameter:
    kind = Annotated[str, Field(pattern=f"^{pattern}$", description=wants)]
    return Parameter(name, about, kind, wants, default=default)


def day(name: str, about: str) -> Parameter:
    return Parameter(name, about, Annotated[date, BeforeValidator(_day)], "a day like 2026-11-24")


def limit(default: int) -> Parameter:
    return number("limit", "Maximum number of lines per page.", 1, MOST, default)


def after(pattern: str) -> Parameter:
    about = "The `next` of the previous page. The Link header has the full address."
    return text("after", about, 'the "next" of the previous page', f"({pattern})?", "")


# Parameters of several addresses

GAME = choice("game", "The game. Default: the first that has ratings.", GAMES)
SEATS = choice(
    "seats",
    "Ratings at tables with this number of seats; 0 for all tables.",
    (0, *range(FEWEST_SEATS, MOST_SEATS + 1)),
    0,
)
BOT = text("bot", "The name of a bot, in all its versions.", "a bot's name", BotName.regex)
TOURNAMENT = number("tournament", "The number of a tournament.", 1)
OPPONENT = text(
    "opponent",
    "Only matches of the bot against this one. Without `bot`, all matches of this one.",
    "a bot's name",
    BotName.regex,
)
ANY_GAME = choice("game", "Only matches of this game.", GAMES)
LOST = choice("lost", "Only matches that the bot did not win. Needs `bot`.", (False, True), False)
FAULTS = choice(
    "faults",
    "Only matches in which the bot had a fault, or any bot if `bot` is not given.",
    (False, True),
    False,
)
FAULT = choice(
    "fault",
    "Only matches in which the bot (or any bot) had a fault of this kind. `any` is the same as "
    "`faults`.",
    ("any", *FAULT_KINDS),
)
MARGIN = number(
    "margin",
    "Only matches won by at most this number of points; 0 for shared victories.",
    0,
    1000,
)
SINCE = day("since", "The first day on which the matches ended, in UTC.")
UNTIL = day("until", "The last day on which the matches ended, in UTC.")
WORST = choice(
    "worst",
    "The bot's biggest underperformances relative to Elo, worst first, among the latest 2,000 "
    "matching matches, in one page. Needs `bot`.",
    (False, True),
    False,
)
FORMAT = choice(
    "format",
    "`csv` returns the table for a spreadsheet, like the address that ends in .csv.",
    ("json", "csv"),
    "json",
)
AFTER = after("[0-9]{1,9}")  # fits the integers of all databases
AFTER_MATCH = after("[0-9]{1,18}")
AFTER_BOT = after(BotName.regex)
