"""States as sentences for screen readers, as JSON with its schema, and as pieces of HTML.

The pieces come from the page's macros, and each is sent once. The page's script gets frames: the
pieces and the sentence of each state.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from re import compile as pattern
from typing import Any

from flask import get_template_attribute
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from arena.games.match import FaultKind
from arena.games.rules.game import MOST_SEATS
from dashboard.api.parameters import choice, number
from dashboard.api.shape import Many, Shape
from dashboard.matches.detail.sheet import Move
from dashboard.matches.replay.states import State

PARTS = "matches/replay/parts.html"
SPACE = pattern(r"\s+")
SIGNS = {
    "+": " plus",
    "o": " that gives a token away",
    "#": " that makes the next one draw",
    "*": " that takes the magic token",
}


class ReplayFault(TypedDict):
    """A fault. The reason is empty if it would reveal something that the seat cannot know."""

    kind: FaultKind
    reason: str


class ReplayMove(TypedDict):
    """A move. `drawn` are the visible cards that came from the pile.

    `latency_us` is null for forced moves, and where it must stay secret.
    """

    number: int
    seat: int
    action: str
    dice: list[str]
    drawn: list[str]
    latency_us: int | None
    fault: ReplayFault | None
    forfeited: bool


STATE = Shape(
    "ReplayState",
    State,
    hidden=("action", "judged", "note"),
    sometimes=("drawn",),
    more={"move": ReplayMove | None, "said": str, "drawn": dict[str, int]},
)
REPLAY = Shape(
    "Replay",
    about=(
        "The states of one of the `rounds`. `eyes` is the seat that sees them, or null for all"
        " seats. `drawn` refers to pieces of HTML by their index in `pieces`."
    ),
    sometimes=("pieces", "moves"),
    more={
        "match": str,
        "game": str,
        "seats": list[str],
        "eyes": int | None,
        "round": int,
        "rounds": int,
        "states": Many(STATE),
        "pieces": list[str],
        "moves": str,
    },
)
ROUND = number("round", "A round of the match. 404 if it was not played.", 1, default=1)
SEAT = number(
    "seat",
    "Show only information that this seat has. Default: everything. 404 for an unknown seat.",
    0,
    MOST_SEATS - 1,
)
DRAWN = choice("drawn", "1: include the HTML that the replay shows.", (0, 1), 0)


def describe(state: State) -> str:
    """ "Move 12. ada plays 4." """
    if state.move is None:
        held = ", ".join(f"{p.bot} {p.points} (plus {p.scored})" for p in state.places)
        end = f" The match is over: {_victory(state)}." if state.winners else ""
        return f"End of round {state.round}. Points: {held}.{end}"
    sentence = f"{state.places[state.move.seat].bot} {action_in_words(state.move)}."
    if state.move.fault:
        sentence += f" Fault: {state.move.fault.kind}."
    elif state.move.forfeited:
        sentence += " Played by default: the bot has forfeited."
    return f"Move {state.move.number}. {sentence}"


def _victory(state: State) -> str:
    names = [state.places[seat].bot for seat in state.winners]
    return f"{names[0]} wins" if len(names) == 1 else f"{' and '.join(names)} share the win"


def action_in_words(move: Move) -> str:
    """The action and its result, without the bot: "draws llama"."""
    words = move.words
    parts = [words.verb, _cards(words.cards), words.token and f"a {words.token}", words.more]
    if move.dice:
        parts.append(f"and it shows {_cards(move.dice)}")
    if move.drawn:
        parts.append(
            _cards(move.drawn) if words.verb == "draws" else f"drawn: {_cards(move.drawn)}"
        )
    return " ".join(part for part in parts if part)


def _cards(names: Sequence[str]) -> str:
    return ", ".join(card_in_words(name) for name in names)


def card_in_words(name: str) -> str:
    """A card in words: "3 that makes the next one draw"."""
    return name[:-1] + SIGNS[name[-1]] if name[-1:] in SIGNS and name[:-1].isdigit() else name


def serialize_states(states: Sequence[State], eyes: int | None, drawn: bool) -> dict[str, Any]:
    """The states of a round. `drawn` refers to pieces by their index in `pieces`."""
    if not drawn:
        return {"states": [_plain(state) for state in states]}
    pieces: dict[str, int] = {}
    drawings = _drawn(states, pieces)
    rows = [{**_plain(s), "drawn": drawing} for s, drawing in zip(states, drawings, strict=True)]
    moves = str(get_template_attribute(PARTS, "moves")(states, eyes))
    return {"states": rows, "pieces": list(pieces), "moves": moves}


def frames(states: Sequence[State], eyes: int | None) -> dict[str, Any]:
    """A round for the page's script. `where` names the places on the table; each frame has the
    index of the piece at each place."""
    pieces: dict[str, int] = {}
    drawings = list(_drawn(states, pieces))
    where = list(drawings[0])
    rows = [
        {
            "key": state.key,
            "said": describe(state),
            "fault": bool(state.move and state.move.fault),
            "drawn": [drawing[place] for place in where],
        }
        for state, drawing in zip(states, drawings, strict=True)
    ]
    moves = str(get_template_attribute(PARTS, "moves")(states, eyes))
    texts = [SPACE.sub(" ", piece).strip() for piece in pieces]
    return {"where": where, "frames": rows, "pieces": texts, "moves": SPACE.sub(" ", moves)}


def _plain(state: State) -> dict[str, Any]:
    """A state as data. A move has its fields of the record, and the drawn cards."""
    payload = asdict(state)
    move = state.move
    payload["said"] = describe(state)
    del payload["action"], payload["judged"], payload["note"]
    payload["move"] = move and {
        "number": move.number,
        "seat": move.seat,
        "action": state.action,
        "dice": list(move.dice),
        "drawn": list(move.drawn),
        "latency_us": move.latency_us,
        "fault": move.fault and {"kind": move.fault.kind, "reason": move.fault.reason},
        "forfeited": move.forfeited,
    }
    return payload


def _drawn(states: Sequence[State], pieces: dict[str, int]) -> Iterator[dict[str, int]]:
    """For each state, the index of the piece at each place; adds new pieces to `pieces`."""
    seen, middle, decision = (
        get_template_attribute(PARTS, part) for part in ("seen", "middle", "decision")
    )
    before, stands = None, dict[str, int]()
    for state in states:
        html = {"middle": middle(state), "decision": decision(state)}
        for place in state.places:
            if before is None or not _drawn_alike(place.seat, before, state):
                html[f"seat-{place.seat}"] = seen(place, state)
        new = {where: pieces.setdefault(str(text), len(pieces)) for where, text in html.items()}
        before, stands = state, {**stands, **new}
        yield stands


def _drawn_alike(seat: int, before: State, state: State) -> bool:
    place = state.places[seat]
    return (
        place == before.places[seat]
        and not place.to_act  # a different card is lifted
        and state.magic == before.magic
        and state.seat is not None
    )


def lifted(hand: Sequence[str], action: str) -> list[tuple[str, bool]]:
    """The cards of a hand, each with whether this action plays or discards it."""
    verb, _, what = action.partition(" ")
    going = what.split() if verb in ("play", "discard") else []
    out = []
    for card in hand:
        out.append((card, card in going))
        if card in going:
            going.remove(card)
    return out
