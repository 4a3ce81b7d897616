"""Validation of the form for a new tournament."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from werkzeug.datastructures import MultiDict

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES
from arena.games.rules.options import Option
from arena.service.control.start_time import check_start, read_start
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import authors
from arena.tournaments.formats import FORMATS, TournamentSpec, check_spec
from arena.tournaments.formats.checks import whole_cycles
from arena.tournaments.formats.series import EVERY, Recurrence, check_recurrence, read_date, zone
from arena.tournaments.formats.sign_up import SignUp, check_open
from dashboard.tournaments.create.form import (
    CHOICES,
    MATCHES_EACH,
    NUMBERS,
    TournamentForm,
    blank,
    roles,
)
from dashboard.tournaments.create.preview import laborious

SOUND = TournamentSpec(bots=("a", "b"), seats=2)


def read(
    sent: MultiDict[str, str],
    known: Mapping[str, RegisteredBot],
    owner: int,
    *,
    thorough: bool = True,
) -> TournamentForm:
    """Return the form sent by the account `owner`, checked. `known` are the bots that can be
    entered, by name. Without `thorough`, a schedule that takes long to compute is not checked."""
    form = blank()
    form.values.update({name: sent[name] for name in form.values if name in sent})
    form.bots = tuple(dict.fromkeys(sent.getlist("bots")))
    check(form, known, owner, thorough=thorough)
    return form


def check(
    form: TournamentForm, known: Mapping[str, RegisteredBot], owner: int, *, thorough: bool = True
) -> None:
    """Find all problems of the form, or set its `spec` if there are none."""
    numbers = _numbers(form)
    options = _options(form, "game", {name: game.known_options for name, game in GAMES.items()})
    of_format = _options(form, "format", {name: one.options for name, one in FORMATS.items()})
    with form.check("name"):
        check_spec(replace(SOUND, name=form.values["name"]))
    words = _choices(form)
    with form.check("starts_at"):
        text = form.values["starts_at"].strip()
        form.starts_at = check_start(read_start(text), instant.now()) if text else None
    _sign_up(form, numbers)
    _recurrence(form, numbers)
    bots = _bots(form, known)
    if form.problems:
        return
    entered = [known[name] for name in bots]
    given: dict[str, Any] = {**numbers, **words}
    spec = TournamentSpec(
        name=form.values["name"],
        game=form.values["game"],
        options=options,
        format=form.values["format"],
        bots=tuple(bots),
        format_options=of_format,
        trusted=bool(form.values["trusted"]),
        matches=given.pop(MATCHES_EACH.name, 0),
        repeats=given.pop("seed", None),
        salt="",
        authors=authors.of(form.values["format"], entered),
        **given,
    )
    try:
        authors.check_trusted(spec, entered, owner)
    except InvalidRequest as error:
        form.wrong["trusted"] = str(error).replace(authors.FLAG, "")
        return
    form.spec = _sound(form, whole_cycles(spec), thorough)


def _numbers(form: TournamentForm) -> dict[str, int]:
    numbers = {}
    for number in NUMBERS:
        with form.check(number.name):
            value = number.read(form.values[number.name])
            if value is not None:
                numbers[number.name] = value
    return numbers


def _options(
    form: TournamentForm, what: str, known: Mapping[str, Mapping[str, Option]]
) -> dict[str, str]:
    """Return the options of the chosen game or format in normal form."""
    chosen = form.values[what]
    if chosen not in known:
        form.wrong[what] = f'There is no {what} "{chosen[:40]}".'
        return {}
    options = {}
    for name, option in known[chosen].items():
        place = f"{what}.{chosen}.{name}"
        try:
            options[name] = option.normalize(form.values[place].strip())
        except ValueError as error:
            form.wrong[place] = f"This {error}."
    return options


def _sign_up(form: TournamentForm, numbers: dict[str, int]) -> None:
    """Read the sign-up, and remove its limits from `numbers`."""
    limits = {
        name: numbers.pop(name) for name in ("max_bots", "bots_per_author") if name in numbers
    }
    if form.values["open"]:
        form.sign_up = SignUp(**limits)
        if form.starts_at is None and "starts_at" not in form.wrong:
            form.missing["starts_at"] = "Enter a start time, at which the sign-up closes."


def _recurrence(form: TournamentForm, numbers: dict[str, int]) -> None:
    """Read when the tournament repeats, and remove its number from `numbers`."""
    counted, every = numbers.pop("counted", 0), form.values["every"]
    if not every:
        if any(form.values[name].strip() for name in ("zone", "until", "counted")):
            form.missing["every"] = "Choose an interval, or clear the other fields of the series."
        return
    if every not in EVERY:
        form.wrong["every"] = f'"{every[:40]}" is not an interval. Choose one of the list.'
        return
    if form.sign_up is None:
        form.missing["open"] = (
            "Open the sign-up, so that authors can enter a tournament that repeats."
        )
    with form.check("zone"):
        zone_ = zone(form.values["zone"].strip() or "UTC").key
    if "zone" in form.wrong:
        return
    with form.check("until"):
        until = read_date(form.values["until"])
        form.recurrence = Recurrence(EVERY[every], zone_, until, counted)
        if form.starts_at is not None:
            check_recurrence(form.recurrence, form.starts_at)


def _choices(form: TournamentForm) -> dict[str, str]:
    for term in CHOICES:
        with form.check(term.name):
            term.check(form.values[term.name])
    return {term.name: form.values[term.name] for term in CHOICES}


def _bots(form: TournamentForm, known: Iterable[str]) -> list[str]:
    """Return the bots in the order of entry: those with a role first."""
    names = {name.lower(): name for name in known}
    first = _first(form, names)
    gone = [bot for bot in form.bots if bot.lower() not in names]
    if gone:
        form.wrong["bots"] = f"{', '.join(gone)[:80]}: not registered, or retired. Leave it out."
    others = [names[bot.lower()] for bot in form.bots if bot.lower() in names]
    entered = list(dict.fromkeys([*first, *others]))
    if len(entered) < form.seats and not gone and form.sign_up is None:
        form.missing["bots"] = (
            f"A table has {form.seats} seats: choose {form.seats - len(entered)} more"
            + (f" ({len(entered)} so far)." if entered else ".")
        )
    return entered


def _first(form: TournamentForm, names: Mapping[str, str]) -> Iterable[str]:
    first: list[str] = []
    for part, label in roles(form.values["format"]):
        place = f"format.{form.values['format']}.{part}"
        bot = form.values[place]
        if not bot:
            form.missing[place] = f"Choose the {label.lower()}."
        elif bot.lower() not in names:
            form.wrong[place] = f'"{bot[:40]}" is not registered, or retired.'
        elif names[bot.lower()] in first:
            form.wrong[place] = "This bot is already the candidate. Choose another bot."
        else:
            first.append(names[bot.lower()])
    return first


def _sound(form: TournamentForm, spec: TournamentSpec, thorough: bool) -> TournamentSpec | None:
    """Return the tournament if the whole spec is valid."""
    if form.sign_up is not None:
        with form.check("open"):
            return check_open(spec, form.sign_up)
        return None
    with form.check("format"):
        FORMATS[spec.format].check(spec)
        if laborious(spec) and not thorough:
            return spec
        with form.check(MATCHES_EACH.name):  # only the number of matches is left to check
            return check_spec(spec)
    return None
