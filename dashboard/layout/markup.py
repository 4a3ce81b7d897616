"""Small pieces of HTML and SVG for templates, such as links to bots, cards and tokens.

Links are cached, because lists have hundreds of them. The stylesheet draws cards and tokens;
unknown cards are text in a frame.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from flask import request
from markupsafe import Markup, escape

from arena.base.text import plural, together
from arena.store.matches.matches import MatchRow
from arena.store.matches.rows import SeatRow
from arena.store.registry.names import GUEST
from dashboard.events.topics import LivePart
from dashboard.layout.avatar import avatar

COMMAND = re.compile(r"`([^`]+)`")
DRAWN = {"llama": "card-llama", "pink": "card-llama card-pink"}
NAMES = {
    "llama": "Llama: costs 10",
    "pink": "Pink llama: goes on any card; llamas in a hand with it cost 20",
}
# Kadabra's cards with two values.
DOUBLE = re.compile(r"([1-9])/([1-9])", re.ASCII)
# Numbers, some with a sign: + of the Party Edition, o, # and * of Kadabra.
NUMBER = re.compile(r"([1-9])([+o#*]?)", re.ASCII)
SIGNS = {"+": "+", "o": "○", "#": "□", "*": "★"}
MEANINGS = {
    "+": "the player goes again",
    "o": "the player gives a token away",
    "#": "makes the next player draw a card",
    "*": "the player takes the magic token",
}


def ticked(sentence: str) -> Markup:
    """Return a sentence, escaped, with its commands in backticks as code."""
    return Markup(COMMAND.sub(r"<code>\1</code>", str(escape(sentence))))  # noqa: S704


def share_bar(share: float) -> Markup:
    return Markup(  # noqa: S704
        '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="share-all" width="100" height="8"/>'
        f'<rect width="{100 * share:.1f}" height="8"/>'
        '<rect class="share-half" x="49.5" width="1" height="8"/></svg>'
    )


def live_from(part: LivePart, address: str, every: int = 1) -> Markup:
    """Return the attributes of a live fragment.

    `live.js` fetches it again from `address` when its mark is outdated, at most once in `every`
    seconds: `<section id="..." {{ live_from(part, url_for("..."), 2) }}>`.
    """
    return Markup(
        'data-live="{}" data-mark="{}" data-every="{}" hx-get="{}" hx-trigger="live"'
        ' hx-swap="morph" hx-ext="morph"'
    ).format(part.topic, part.mark, every, address)


def select_options(entries: Iterable[tuple[object, str]], chosen: object) -> Markup:
    """Return an option for each value and text; the chosen one is selected, ignoring case."""
    options, places = _options(tuple(entries))
    at = places.get(str(chosen).lower())
    if at is None:
        return Markup(options)  # noqa: S704
    return Markup(f"{options[:at]} selected{options[at:]}")  # noqa: S704


@lru_cache(maxsize=32)  # the list of all bots is on many pages
def _options(entries: tuple[tuple[object, str], ...]) -> tuple[str, dict[str, int]]:
    """Options, and by value in lower case the place for an attribute."""
    options, places = "", dict[str, int]()
    for value, words in entries:
        options += f'<option value="{escape(value)}"'
        places[str(value).lower()] = len(options)
        options += f">{escape(words)}</option>"
    return options, places


def bot_link(name: str) -> Markup:
    """Return a link to the page of a bot, given as NAME or NAME@VERSION. People have no link."""
    return _linked(name, request.script_root)


def avatar_link(name: str) -> Markup:
    return avatar(name) + bot_link(name)


def contest(ranked: Sequence[SeatRow]) -> str:
    """Return the bots of a match, best first: "ada against bo, cy"."""
    first, *others = [seat.bot for seat in ranked]
    return f"{first} against {', '.join(others)}"


def outcome(match: MatchRow) -> str:
    """Return the result of a match: "ada won by 9 points"."""
    winners = [seat.bot for seat in match.ranked if seat.rank == 1 and not seat.forfeited]
    if not winners:
        return "No player won"
    if len(winners) > 1:
        return f"{together(winners)} share the victory"
    if match.margin is None:
        return f"{winners[0]} won: all others forfeited"
    return f"{winners[0]} won by {plural(match.margin, 'point')}"


@lru_cache(maxsize=4096)
def _linked(name: str, root: str) -> Markup:
    # A person in a casual game, see `guests.table_name`, or the name of one in its records.
    if " " in name or name.startswith(GUEST):
        return Markup('<span class="bot">{}</span>').format(name)
    # Not with `url_for`, which is slow.
    return Markup('<a class="bot" href="{}/bots/{}">{}</a>').format(
        root, name.partition("@")[0], name
    )


@lru_cache(maxsize=256)
def card(text: str, extra: str = "") -> Markup:
    """Return a card by its name in notation, such as "3", "llama" or "2*". Special cards have a
    tooltip with their meaning."""
    number, double = NUMBER.fullmatch(text), DOUBLE.fullmatch(text)
    if number and number[2]:
        sign = Markup("{}<i>{}</i>").format(number[1], SIGNS[number[2]])
        tip = f"{number[1]}: {MEANINGS[number[2]]}"
        return _drawn(f"card-{number[1]}", extra, sign, tip, spoken=tip)
    if double:
        both = f"Double card: a {double[1]} and a {double[2]}"
        return _drawn(f"card-{double[1]} card-double to-{double[2]}", extra, text, both)
    kind = f"card-{text}" if number else DRAWN.get(text, "card-other")
    return _drawn(kind, extra, text, NAMES.get(text, ""))


def _drawn(kind: str, extra: str, label: str, tip: str, spoken: str = "") -> Markup:
    title = Markup(' title="{}"').format(tip) if tip else Markup("")
    if spoken:
        title += Markup(' role="img" aria-label="{}"').format(spoken)
    return Markup('<span class="{}"{}><span>{}</span></span>').format(
        f"card {kind} {extra}".strip(), title, label
    )


def cards(texts: Iterable[str]) -> Markup:
    """Return a hand, with spaces between the cards for screen readers and copying."""
    return Markup('<span class="hand">{}</span>').format(Markup(" ").join(map(card, texts)))


def token(points: str) -> Markup:
    """Return a token by its points: white ones count 1, black ones 10, others are pink."""
    kind = {"1": "token-1", "10": "token-10"}.get(points, "token-other")
    worth = "1 point" if points == "1" else f"{points} points"
    return Markup(
        '<span class="token {0}" title="{1}" role="img" aria-label="token of {1}">{2}</span>'
    ).format(kind, worth, points)
