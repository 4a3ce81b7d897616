"""The fields of the form for a tournament: names, limits and hints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.games.rules.options import Option, option_title
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.checks import MAX_BOTS
from arena.tournaments.formats.choices import OneOf
from arena.tournaments.formats.cycles import CYCLES
from arena.tournaments.formats.series import MOST_COUNTED
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS
from arena.tournaments.formats.terms import MAX_MATCHES, TERMS

SEATS = 4


@dataclass(frozen=True)
class NumberField:
    """A field for a whole number; `default` is None if it may be empty."""

    name: str
    label: str
    hint: str
    least: int
    most: int
    default: int | None

    def read(self, text: str) -> int | None:
        """Return the number, or None for an optional empty field. Raises ValueError."""
        digits = text.strip()
        if not digits and self.default is None:
            return None
        fits = digits.isascii() and digits.isdigit() and len(digits) <= len(str(self.most))
        if not (fits and self.least <= int(digits) <= self.most):
            span = f"{self.least:,} to {self.most:,}"
            raise ValueError(f"{self.label}: enter a whole number from {span}.")
        return int(digits)


SEATS_AT_TABLE = NumberField("seats", "Seats at a table", "", FEWEST_SEATS, MOST_SEATS, SEATS)
# Not "matches": a field of that name would hide the DOM method `matches` of the form.
MATCHES_EACH = NumberField(
    "table_matches",
    "Matches per table",
    "Rounded up, so that every bot plays each seat equally often. With Versus: matches in a block.",
    1,
    MAX_MATCHES,
    CYCLES * SEATS,
)
RULES = tuple(
    NumberField(term.name, term.label, term.hint, *term.limits, term.default)
    for term in TERMS
    if term.label and term.limits
)
CHOICES = tuple(term for term in TERMS if term.label and term.words)
# For a tournament that is open for sign-up.
PLACES = (
    NumberField("max_bots", "Places for bots", "", FEWEST_SEATS, MAX_BOTS, MOST_BOTS),
    NumberField("bots_per_author", "Bots per author", "", 1, MAX_BOTS, BOTS_PER_AUTHOR),
)
COUNTED = NumberField(
    "counted", "Results that count", "Leave empty for all.", 1, MOST_COUNTED, None
)
NUMBERS = (SEATS_AT_TABLE, MATCHES_EACH, *PLACES, COUNTED, *RULES)


def roles(format_: str) -> list[tuple[str, str]]:
    """Return name and label of a field for each role of a format."""
    known = FORMATS.get(format_)
    return [(title.lower(), title) for title in (known.roles if known else ())]


@dataclass(frozen=True)
class OptionField:
    """An option of a game or a format; `words` are its choices, if it has few."""

    name: str
    label: str
    about: str
    default: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A game or a format with its options."""

    name: str
    title: str
    about: str
    options: tuple[OptionField, ...]
    roles: tuple[tuple[str, str], ...] = ()  # field and label


def games() -> list[Kind]:
    return [
        Kind(name, game.title, "", _options(f"game.{name}", game.known_options))
        for name, game in GAMES.items()
    ]


def formats() -> list[Kind]:
    return [
        Kind(
            name,
            format_.title,
            format_.about,
            _options(f"format.{name}", format_.options),
            tuple((f"format.{name}.{part}", label) for part, label in roles(name)),
        )
        for name, format_ in FORMATS.items()
    ]


def _options(prefix: str, known: Mapping[str, Option]) -> tuple[OptionField, ...]:
    return tuple(
        _field(f"{prefix}.{name}", option_title(known, name), option)
        for name, option in known.items()
    )


def _field(name: str, label: str, of: Option) -> OptionField:
    words = of.normalize.words if isinstance(of.normalize, OneOf) else ()
    return OptionField(name, label, f"{of.about[:1].upper()}{of.about[1:]}.", of.default, words)
