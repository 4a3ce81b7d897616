"""Clones are independent, as searchers need them."""

import random

from hypothesis import given

from arena.games.rules import GAMES, Game
from tests.property.play import chances, choose, every_game, patiences, played_out, seats, seeds
from tests.tables import state


def some_way_on(game: Game, chance: random.Random, patience: float) -> Game:
    """The game after some decisions, not over yet."""
    for _ in range(chance.randrange(80)):
        before = game.clone()
        game.apply(choose(game, chance, patience))
        if game.finished:
            return before
    return game


@every_game
@given(seats, seeds, chances, patiences)
def test_a_clone_is_all_that_the_game_is(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = some_way_on(kind(n, seed), chance, patience)
    clone = game.clone()
    assert state(clone) == state(game)
    assert clone.view("m", 1) == game.view("m", 1)


@every_game
@given(seats, seeds, chances, patiences)
def test_game_and_clone_change_nothing_in_each_other(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = some_way_on(kind(n, seed), chance, patience)
    before, clone = state(game), game.clone()
    played_out(clone, chance, patience)
    assert state(game) == before
    at_its_end = state(clone)
    played_out(game, chance, patience)
    assert state(clone) == at_its_end


@every_game
@given(seats, seeds, chances, patiences)
def test_the_same_moves_lead_both_to_the_same_end(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = some_way_on(kind(n, seed), chance, patience)
    clone, again = game.clone(), random.Random()
    again.setstate(chance.getstate())
    assert state(played_out(game, chance, patience)) == state(played_out(clone, again, patience))


def test_options_are_those_of_the_game() -> None:
    specials = "1o:2 6#:1"
    game = GAMES["kadabra"](3, bytes(16), {"kadabra.specials": specials, "max_rounds": "7"})
    clone = game.clone()
    assert clone.options == game.options
    assert (clone.max_rounds, clone.make_deck()) == (7, game.make_deck())


def test_a_game_is_of_its_own_class_only() -> None:
    games = [kind(2, bytes(16)) for kind in GAMES.values()]
    of = {
        game.name: [kind.name for kind in GAMES.values() if isinstance(game, kind)]
        for game in games
    }
    assert of == {name: [name] for name in GAMES}
