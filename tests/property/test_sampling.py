"""States from a view, at every decision: they look the same, and the round could have led there."""

import random
from collections import Counter

import pytest
from hypothesis import given

from arena.games.rules import GAMES, Game
from arena.games.rules.dice import ROLL, Dice
from arena.games.rules.rows import match_bytes
from arena.games.rules.sampling import sample_states
from arena.games.rules.shedding import SheddingGame
from tests.property.play import (
    chances,
    choose,
    discarded,
    every_game,
    held,
    patiences,
    played_out,
    seats,
    seeds,
    states,
    unseen,
)
from tests.tables import state

OF_THE_SEED = {"seed", "rounds"}  # sampled games have another seed and no earlier rounds


def hidden(game: Game) -> Counter[int]:
    """The cards that the deciding seat has not seen: other hands and the pile, or those aside."""
    cards = Counter(unseen(game))
    if isinstance(game, SheddingGame):
        for seat, hand in enumerate(held(game)):
            if seat != game.seat:
                cards += hand
    return cards


@pytest.mark.long
@every_game
@given(seats, seeds, chances, patiences)
def test_sampled_states_look_like_the_true_one_to_the_seat(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if game.finished:
            return
        view = game.view("m", 3)
        (sampled,) = view.sample_states(1, chance)
        assert sampled.view("m", 3) == view
        assert sampled.packed(match_bytes("m"), 3) == game.packed(match_bytes("m"), 3)
        assert sampled.legal_actions == game.legal_actions
        assert hidden(sampled) == hidden(game)
        assert discarded(sampled) == discarded(game)
        assert sorted(sampled.log.deck) == sorted(game.make_deck())


@every_game
@given(seats, seeds, chances, patiences)
def test_sampled_states_are_played_to_the_end(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if not game.finished and chance.random() < 0.1:
            for sampled in game.view().sample_states(1, chance):
                assert played_out(sampled, chance, patience).finished


@pytest.mark.long
@every_game
@given(seats, seeds, chances, patiences)
def test_samples_depend_on_nothing_but_the_view_and_the_generator(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    for game in states(kind(n, seed), chance, patience):
        if not game.finished and chance.random() < 0.1:
            # A state with other hidden cards and another future, but the same view.
            (other,) = sample_states(game.view(), 1, chance)
            again = chance.randbytes(8)
            ours = sample_states(game.view(), 2, random.Random(again))
            theirs = sample_states(other.view(), 2, random.Random(again))
            assert [state(each) for each in ours] == [state(each) for each in theirs]
            assert ours[0].seed not in (game.seed, ours[1].seed)


@pytest.mark.long
@every_game
@given(seats, seeds, chances, patiences)
def test_the_round_leads_to_a_sampled_state_from_its_deck(
    kind: type[Game], n: int, seed: bytes, chance: random.Random, patience: float
) -> None:
    game = kind(n, seed)
    opening = game.clone()
    while not game.finished:
        if chance.random() < 0.1:
            (sampled,) = game.view().sample_states(1, chance)
            assert whole(replayed(opening, sampled)) == whole(sampled)
        game.apply(choose(game, chance, patience))
        if not game.finished and not game.log.moves:
            opening = game.clone()


def replayed(opening: Game, sampled: Game) -> Game:
    """The round from its beginning, with the deck of a sampled state and the dice as rolled."""
    game = opening.clone()
    game.log.deck = sampled.log.deck
    game.deal_cards(sampled.log.deck)
    game.begin_turn(game.log.starter)
    for (seat, action), told in zip(sampled.log.moves, sampled.history, strict=True):
        if isinstance(game, Dice) and action == ROLL:
            game.faces = tuple([(game.kinds.index(face),) * 6 for face in told.split(" ")[2:]])
        game.apply(action, seat)
    return game


def whole(game: Game) -> dict[str, str]:
    """A state without the parts that sampled states lack or that no longer matter."""
    found = {name: value for name, value in state(game).items() if name not in OF_THE_SEED}
    found["moves"] = repr((game.log.number, game.log.starter, game.log.deck, game.log.moves))
    del found["log"]  # a sampled one has no penalties
    if isinstance(game, Dice):
        del found["faces"]
    if game.phase in ("turn", "show"):
        del found["last_actor"]  # the deciding seat
    if isinstance(game, SheddingGame) and game.scored:
        # Others were paid for the true hands; shows and actions of that round are over.
        for name in ("points", "tokens", "armed", "last_card"):
            found.pop(name, None)
    return found


PHASES = {
    "lama": {"turn", "return"},
    "party": {"turn", "return"},
    "dice": {"turn", "discard", "take", "return"},
    "kadabra": {"turn", "show", "give", "return"},
}


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_these_tests_come_to_every_phase(name: str) -> None:
    chance, asked = random.Random(1), set[tuple[str, bool]]()
    for n in (2, 3, 4) * 10:
        for game in states(GAMES[name](n, chance.randbytes(16)), chance, 0.98):
            before = len(asked)
            asked.add((game.phase, game.scored))
            if len(asked) > before and not game.finished:
                assert game.view().sample_states(1, chance)[0].view() == game.view()
    assert {phase for phase, _ in asked if phase} == PHASES[name]
    assert {scored for phase, scored in asked if phase == "return"} >= {True}
