"""A view in plain words: `view.text()`."""

from collections.abc import Iterator
from random import Random

import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES, View, game_class
from arena.games.rules.wording import ASKS


def views(game: str) -> Iterator[View]:
    """The decisions of a few matches with random players."""
    rng = Random(game)
    for number in range(8):
        seats = tuple(Seat(f"bot{seat}") for seat in range(2 + number % 5))
        match = Match(MatchSetup("m", game, rng.randbytes(16), seats))
        while (view := match.decision) is not None:
            yield view
            others = [action for action in view.actions if action not in ("quit", "draw")]
            match.answer(rng.choice(others or view.actions))


@pytest.mark.parametrize("game", GAMES)
def test_text_names_all_that_the_seat_knows(game: str) -> None:
    asks = set()
    for view in views(game):
        asks.add(view.ask)
        text = view.text()
        lines = text.splitlines()
        assert lines[-1] == f"{ASKS[view.ask]} Legal actions: {', '.join(view.actions)}"
        assert f": {', '.join(view.hand) or 'no cards'}. It costs {view.penalty} now." in text
        assert view.moves in text
        assert f"You have seat {view.seat}; the seats are 0 to {view.seats - 1}." in lines[0]
        for seat in range(view.seats):
            (line,) = [line for line in lines if line.startswith(f"Seat {seat}")]
            assert f": {view.points[seat]} points" in line
            assert line.endswith("has quit.") == (not view.active[seat])
            assert ("(you)" in line) == (seat == view.seat)
            if view.whites:
                assert f"{view.whites[seat]} white and {view.blacks[seat]} black" in line
        if view.rows:
            assert f"Llama row: {', '.join(view.llama_row)}" in text
        else:
            assert f"Top card: {view.top}. Cards in the draw pile: {view.pile}." in text
    assert asks == set(game_class(game).phases)


def test_text_names_options_with_their_meaning() -> None:
    match = Match(MatchSetup("m", "lama", bytes(16), (Seat("a"), Seat("b")), {"max_rounds": "7"}))
    assert match.decision is not None

    assert "Option max_rounds=7: Rounds after which" in match.decision.text()
