"""The form as filled in, checked field by field and kept as typed.

This does not use WTForms, because most fields are options of games and formats. A form class would
have to be built for each request, and would repeat the checks of each `Option` and of the spec.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.games.rules import GAMES
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.conversion import filled
from arena.service.control.conversion import spec as spec_message
from arena.service.control.series import recurrence_message
from arena.tournaments.formats import FORMATS, TournamentSpec, format_of
from arena.tournaments.formats.cycles import DUPLICATE, shares_deals
from arena.tournaments.formats.series import Recurrence
from arena.tournaments.formats.sign_up import SignUp
from dashboard.tournaments.create.fields import (
    CHOICES,
    MATCHES_EACH,
    NUMBERS,
    RULES,
    SEATS_AT_TABLE,
    formats,
    games,
    roles,
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
        """All problems by field."""
        return {**self.missing, **self.wrong}

    @property
    def fields(self) -> list[str]:
        """All fields that can have a problem."""
        return [*self.values, "bots"]

    @property
    def seats(self) -> int:
        """The number of seats; the default if the field is invalid."""
        text = self.values["seats"]
        return SEATS_AT_TABLE.default or 0 if "seats" in self.wrong else int(text)

    def message(self) -> pb.TournamentSpec:
        """Return the tournament as a message of the Control API."""
        assert self.spec is not None
        message = spec_message(self.spec)
        if self.starts_at is not None:
            message.starts_at = self.starts_at
        if self.sign_up is not None:
            message.sign_up.CopyFrom(filled(pb.SignUp, self.sign_up))
        if self.recurrence is not None:
            message.recurrence.CopyFrom(recurrence_message(self.recurrence))
        return message


def blank() -> TournamentForm:
    """Return the form with its defaults."""
    values = {number.name: _field_text(number.default) for number in NUMBERS}
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


def _field_text(number: int | None) -> str:
    return "" if number is None else str(number)
