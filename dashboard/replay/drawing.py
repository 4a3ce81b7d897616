"""States as JSON, and drawn: pieces of HTML, each sent once, by the macros that the page uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from flask import get_template_attribute

from dashboard.replay.states import State
from dashboard.replay.words import said

PARTS = "replay/parts.html"


def told(states: Sequence[State], eyes: int | None, drawn: bool) -> dict[str, Any]:
    """The states of a round. A drawn state names its pieces by their places in `pieces`."""
    if not drawn:
        return {"states": [_plain(state) for state in states]}
    pieces: dict[str, int] = {}
    rows = [{**_plain(state), "drawn": _drawn(state, pieces)} for state in states]
    moves = str(get_template_attribute(PARTS, "moves")(states, eyes))
    return {"states": rows, "pieces": list(pieces), "moves": moves}


def _plain(state: State) -> dict[str, Any]:
    """A state as data. Of a move what stands in a record, and what was drawn."""
    told = asdict(state)
    move = state.move
    told["said"] = said(state)
    del told["action"]
    told["move"] = move and {
        "number": move.number,
        "seat": move.seat,
        "action": state.action,
        "dice": list(move.dice),
        "drawn": list(move.drawn),
        "latency_us": move.latency_us,
        "fault": move.fault and {"kind": move.fault.kind, "reason": move.fault.reason},
        "forfeited": move.forfeited,
    }
    return told


def _drawn(state: State, pieces: dict[str, int]) -> dict[str, int]:
    """Which piece stands where; what is not there yet joins the pieces."""
    html = {
        f"seat-{seen.seat}": get_template_attribute(PARTS, "seen")(seen, state)
        for seen in state.places
    }
    html["middle"] = get_template_attribute(PARTS, "middle")(state)
    html["decision"] = get_template_attribute(PARTS, "decision")(state)
    return {where: pieces.setdefault(str(text), len(pieces)) for where, text in html.items()}


def lifted(hand: Sequence[str], action: str) -> list[tuple[str, bool]]:
    """The cards of a hand, and of each whether it is about to leave with this action."""
    verb, _, what = action.partition(" ")
    going = what.split() if verb in ("play", "discard") else []
    out = []
    for card in hand:
        out.append((card, card in going))
        if card in going:
            going.remove(card)
    return out
