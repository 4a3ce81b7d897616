"""A state of the table as a sentence, for screen readers."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.matches.detail.sheet import Move
from dashboard.matches.replay.states import State

SIGNS = {
    "+": " plus",
    "o": " that gives a token away",
    "#": " that makes the next one draw",
    "*": " that takes the magic token",
}


def describe(state: State) -> str:
    """ "Move 12. ada plays 4." """
    if state.move is None:
        return _scoring(state)
    sentence = f"{state.places[state.move.seat].bot} {action_in_words(state.move)}."
    if state.move.fault:
        sentence += f" Fault: {state.move.fault.kind}."
    elif state.move.forfeited:
        sentence += " Played by default: the bot has forfeited."
    return f"Move {state.move.number}. {sentence}"


def _scoring(state: State) -> str:
    held = ", ".join(f"{p.bot} {p.points} (plus {p.scored})" for p in state.places)
    end = f" The match is over: {_victory(state)}." if state.winners else ""
    return f"End of round {state.round}. Points: {held}.{end}"


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
