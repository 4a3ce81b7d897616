"""The fields of the form for a tournament, and the form as filled in, kept as typed.

This does not use WTForms, because most fields are options of games and formats. A form class would
have to be built for each request, and would repeat the checks of each `Option` and of the spec.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.games.rules.options import Option, option_title
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import messages
from arena.service.control.messages import filled
from arena.service.control.messages import spec as spec_message
from arena.tournaments.formats import FORMATS, TournamentSpec, format_of
from arena.tournaments.formats.checks import MAX_BOTS
from arena.tournaments.formats.choices import OneOf
from arena.tournaments.formats.cycles import CYCLES, DUPLICATE, shares_deals
from arena.tournaments.formats.series import MOST_COUNTED, Recurrence
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS, SignUp
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
        """Return the number, or None for an optional empty field. Raises InvalidRequest."""
        digits = text.strip()
        if not digits and self.default is None:
            return None
        fits = digits.isascii() and digits.isdigit() and len(digits) <= len(str(self.most))
        if not (fits and self.least <= int(digits) <= self.most):
            span = f"{self.least:,} to {self.most:,}"
            raise InvalidRequest(f"{self.label}: enter a whole number from {span}.")
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
        OptionField(
            f"{prefix}.{name}",
            option_title(known, name),
            f"{of.about[:1].upper()}{of.about[1:]}.",
            of.default,
            of.normalize.words if isinstance(of.normalize, OneOf) else (),
        )
        for name, of in known.items()
    )


# Fields with the same name in a TournamentSpec.
SAME = [
    *("game", "format", "seats"),
    *(rule.name for rule in RULES if rule.name != "seed"),
    *(term.name for term in CHOICES),
]


@dataclass
class TournamentForm:
    """The form as filled in.

    `values` are texts by field, `bots` the selected names. `wrong` has a sentence for each invalid
    field, `missing` for each incomplete one. If both are empty, `spec` is the tournament.
    """

    values: dict[str, str]
    bots: tuple[str, ...] = ()
    wrong: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    spec: TournamentSpec | None = None
    starts_at: float | None = None  # Unix seconds
    sign_up: SignUp | None = None  # if authors may enter their bots until then
    recurrence: Recurrence | None = None  # if it repeats

    @property
    def problems(self) -> dict[str, str]:
        return {**self.missing, **self.wrong}

    @property
    def fields(self) -> list[str]:
        return [*self.values, "bots"]

    @property
    def seats(self) -> int:
        """The number of seats; the default if the field is invalid."""
        text = self.values["seats"]
        return SEATS_AT_TABLE.default or 0 if "seats" in self.wrong else int(text)

    @contextmanager
    def check(self, name: str) -> Iterator[None]:
        """Store an InvalidRequest in the context as what is wrong with a field."""
        try:
            yield
        except InvalidRequest as error:
            self.wrong[name] = str(error)

    def message(self) -> pb.TournamentSpec:
        assert self.spec is not None
        message = spec_message(self.spec)
        if self.starts_at is not None:
            message.starts_at = self.starts_at
        if self.sign_up is not None:
            message.sign_up.CopyFrom(filled(pb.SignUp, self.sign_up))
        if self.recurrence is not None:
            message.recurrence.CopyFrom(messages.recurrence(self.recurrence))
        return message


def blank() -> TournamentForm:
    values = {
        number.name: "" if number.default is None else str(number.default) for number in NUMBERS
    }
    options = [option for kind in (*games(), *formats()) for option in kind.options]
    in_roles = {name: "" for kind in formats() for name, _ in kind.roles}
    return TournamentForm(
        {
            "name": "",
            "game": next(iter(GAMES)),
            "format": next(iter(FORMATS)),
            "trusted": "",
            **{term.name: term.default for term in CHOICES},
            "starts_at": "",
            "open": "",
            **dict.fromkeys(("every", "zone", "until"), ""),
            **values,
            **{option.name: option.default for option in options},
            **in_roles,
        }
    )


def like(spec: TournamentSpec) -> TournamentForm:
    """Return the form filled in like another tournament, without its name and seed."""
    form = blank()
    form.values |= {name: str(getattr(spec, name)) for name in SAME}
    format_ = format_of(spec.format)
    shared = {"deals": DUPLICATE} if shares_deals(spec) else {}
    form.values[MATCHES_EACH.name] = str(format_.matches_each(spec))
    form.values["trusted"] = "yes" if spec.trusted else ""
    given = {f"game.{spec.game}.{name}": text for name, text in spec.options.items()}
    given |= {
        f"format.{spec.format}.{name}": text
        for name, text in {**spec.format_options, **shared}.items()
    }
    first = len(roles(spec.format))
    for (part, _), bot in zip(roles(spec.format), spec.bots, strict=False):
        given[f"format.{spec.format}.{part}"] = bot
    form.values.update({name: text for name, text in given.items() if name in form.values})
    form.bots = tuple(dict.fromkeys(spec.bots[first:]))
    return form
