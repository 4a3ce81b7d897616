"""Checks that a tournament can be played as the organiser asks for it."""

import re
from dataclasses import replace

from arena.base.errors import InvalidRequest
from arena.games.rules import game_class
from arena.games.rules.options import complete_options
from arena.tournaments.formats.cycles import CYCLES, shares_deals
from arena.tournaments.formats.formats import SITTING, format_of
from arena.tournaments.formats.secret import SALT_BYTES
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.terms import MAX_MATCHES, MOST_SEED, TERMS, check_limits

MAX_BOTS = 1_000
MAX_NAME = 120
MAX_NAME_OF_TABLE = 400  # the arena makes it from the names of up to six people


def check_spec(spec: TournamentSpec, *, sitting: bool = False) -> TournamentSpec:
    """Returns the tournament, checked, with complete options and a name.

    `sitting` allows the single match of a game against people. Whether the bots are registered
    is not checked here. Raises InvalidRequest with a message that says what to change.
    """
    format_ = format_of(spec.format)
    if spec.format == SITTING and not sitting:
        raise InvalidRequest(
            "The format sitting is for games against people. Start one on the dashboard, at Play."
        )
    game = game_class(spec.game)
    game.check_seats(spec.seats)
    checked = replace(
        spec,
        options=game.check_options(spec.options),
        format_options=complete_options(
            format_.options, spec.format_options, f"the format {spec.format}", InvalidRequest
        ),
        name=_check_name(spec, MAX_NAME_OF_TABLE if sitting else MAX_NAME),
        authors=spec.authors if len(spec.authors) == len(spec.bots) else (),
    )
    _check_bots(checked)
    for term in TERMS:
        term.check(term.of(checked))
    check_limits("seed", checked.seed, 0, MOST_SEED)
    _check_salt(checked)
    checked = whole_cycles(checked)
    format_.check(checked)
    planned = format_.count(checked)
    if planned > MAX_MATCHES:
        raise InvalidRequest(
            f"This makes {planned:,} matches. A tournament has at most {MAX_MATCHES:,}. "
            "Enter fewer bots, or play fewer matches at each table."
        )
    return checked


def whole_cycles(spec: TournamentSpec) -> TournamentSpec:
    """Rounds `matches` (or `deals`, if deals are shared) up to whole cycles; the other becomes 0.
    The options must be complete. Raises InvalidRequest for `deals` if deals are not shared."""
    length = format_of(spec.format).cycle_length(spec)
    whole = -(-spec.matches // length) or CYCLES
    if shares_deals(spec):
        if spec.deals and spec.matches:
            raise InvalidRequest("Give the number of deals or of matches, not both.")
        return replace(spec, deals=spec.deals or whole, matches=0)
    if spec.deals:
        raise InvalidRequest(
            "A number of deals needs shared deals (the format option deals=duplicate). Here every "
            f"match has its own deal. Give the number of matches, as in --matches "
            f"{spec.deals * length}."
        )
    return replace(spec, matches=whole * length)


def _check_name(spec: TournamentSpec, most: int) -> str:
    name = spec.name.strip()
    if not name:
        return f"{spec.game} {spec.format}, {len(spec.bots)} bots, {spec.seats} seats"
    if len(name) > most or not name.isprintable():
        raise InvalidRequest(
            f"A tournament's name must be one line of at most {most} printable characters."
        )
    return name


def _check_bots(spec: TournamentSpec) -> None:
    if len(spec.bots) > MAX_BOTS:
        raise InvalidRequest(
            f"{len(spec.bots):,} bots are entered. A tournament has at most {MAX_BOTS:,}."
        )
    entered: set[str] = set()
    for bot in spec.bots:
        if bot.lower() in entered:
            raise InvalidRequest(f'Bot "{bot[:60]}" is entered twice. Enter each bot once.')
        entered.add(bot.lower())
    if len(spec.bots) < spec.seats:
        raise InvalidRequest(
            f"A table has {spec.seats} seats, but only {len(spec.bots)} bots are entered. "
            "Enter more bots or choose fewer seats."
        )


def _check_salt(spec: TournamentSpec) -> None:
    if spec.salt and spec.repeats is None:
        raise InvalidRequest("The salt has no seed. A repeatable tournament needs both. Add one.")
    if spec.salt and not re.fullmatch(f"[0-9a-f]{{{2 * SALT_BYTES}}}", spec.salt):
        raise InvalidRequest(
            f'The salt is "{spec.salt[:40]}". It must have {2 * SALT_BYTES} hexadecimal digits, '
            "in lower case. Copy it from the original tournament."
        )
