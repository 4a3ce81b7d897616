"""Inference of the other seats' hands from their moves."""

from time import monotonic

import numpy as np
import pytest

from arena.games.batch import BATCHES, batch_class
from arena.games.batch.chance import AS_IN_ARENA
from arena.games.batch.moves import Moves
from arena.games.batch.rounds import RETURN
from arena.games.batch.shedding import SheddingGames
from arena.games.decisions import Decisions
from arena.games.rules.cards import HAND
from arena.games.rules.lama import Lama
from arena.games.rules.view import View
from arena.value import policy_net
from arena.value.search.inference import Hands, Inference, cumulated
from arena.value.strategies import house_policy
from tests.lab.players import player
from tests.lockstep import SEED
from tests.tables import act
from tests.unit.games.test_batch_resumed import played, views_of
from tests.unit.games.test_sampling import dealt

HIDDEN = ["lama", "party", "kadabra"]  # games in which hands are


def seen_by(view: View) -> SheddingGames:
    """The game as seen by its deciding seat."""
    games = batch_class(view.game).resumed(Decisions.of([view]), bytes(16), moves=True)
    assert isinstance(games, SheddingGames)
    return games


def moved_on(name: str, seats: int, steps: int, count: int = 100) -> SheddingGames:
    """Matches of `stubborn`, whose rounds are long, that are still in the first round."""
    games = batch_class(name)(count, seats, bytes(16))
    assert isinstance(games, SheddingGames)
    games.keep_moves()
    stubborn, rng = house_policy("stubborn"), np.random.default_rng(steps)
    for _ in range(steps):
        games.step(stubborn(games, rng))
    return games.select(np.flatnonzero((games.round == 1) & (games.phase != RETURN)))


def inference(name: str, seats: int, candidates: int = 128) -> Inference:
    net = policy_net.find(name, seats)
    assert net
    return Inference(net, candidates)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("name", HIDDEN)
def test_a_round_that_was_taken_back_can_be_played_again(name: str, seats: int) -> None:
    """So all hands on the way allow the observed moves."""
    for steps in (1, 4, 9, 15, 22):
        # Given states that fit the views, taken back to the start of the round
        seen = moved_on(name, seats, steps)
        seen.determinize()
        again, rng = seen.copy(), np.random.default_rng(steps)
        assert seen.moves
        assert again.moves
        while len(among := np.flatnonzero(again.moves.counts)):
            again.take_back(among, rng.integers(0, 1 << 32, len(among), dtype=np.uint32))
        # Then all hold six cards, and the starters are on turn
        assert (again.sizes == HAND).all()
        assert (again.hands.sum(axis=2) == HAND).all()
        assert (again.seat == again.starter).all()
        assert again.active.all()
        assert (again.top == again.start).all()
        assert (again.discarded.sum(axis=1) == 1).all()
        assert (again.drawn == HAND * seats + 1).all()
        # And the same moves, all of them legal, lead to the same states
        again.begin_matches(np.arange(len(again)))  # the tokens are not taken back
        for step in range(int(seen.moves.counts.max())):
            going = np.flatnonzero(seen.moves.counts > step)
            some = again.select(going)
            assert (some.seat == seen.moves.seats[going, step]).all()
            some.step(seen.moves.actions[going, step])
            for array in again.state:
                getattr(again, array)[going] = getattr(some, array)
        for array in set(again.state) - {"decks", "legal_bits", "last_player"}:
            assert (getattr(again, array) == getattr(seen, array)).all(), array
        for game in range(len(seen)):
            pile = slice(seen.drawn[game], None)
            assert (again.decks[game, pile] == seen.decks[game, pile]).all()


@pytest.mark.parametrize("name", BATCHES)
def test_moves_that_were_kept_are_those_that_a_view_tells(name: str) -> None:
    games = batch_class(name)(20, 3, SEED, chance=AS_IN_ARENA)
    games.keep_moves()
    alone = [games.rules(3, games.seed_of(game)) for game in range(len(games))]
    stubborn, rng = house_policy("stubborn"), np.random.default_rng(1)
    for _ in range(25):
        actions = stubborn(games, rng)
        for game, action in zip(alone, actions.tolist(), strict=True):
            if not game.finished:
                game.apply(action)
        games.step(actions)
    going = np.flatnonzero(~games.finished)
    views = [alone[game].view("m", 1) for game in going]
    kept = games.select(going).moves
    resumed = batch_class(name).resumed(Decisions.of(views), SEED, moves=True)
    assert kept
    assert resumed.moves
    width = int(kept.counts.max())
    assert width > 3
    assert (kept.counts == resumed.moves.counts).all()
    assert (kept.seats[:, :width] == resumed.moves.seats[:, :width]).all()
    assert (kept.actions[:, :width] == resumed.moves.actions[:, :width]).all()


def test_there_is_room_for_many_moves() -> None:
    moves, both = Moves(2), np.array([0, 1])
    for number in range(100):
        moves.note(both, both, np.array([number, 2 * number]))
    moves.clear(np.array([1]))
    assert moves.counts.tolist() == [100, 0]
    seats, actions = moves.take_last(np.array([0]))
    assert (seats.tolist(), actions.tolist()) == ([0], [99])
    assert moves.select(np.array([0])).actions[0, :99].tolist() == list(range(99))


# Which hands are likely


def test_draw_makes_a_playable_card_unlikely() -> None:
    # Given seat 1, which drew after seat 0 had played a 4
    game = dealt(Lama, ["4 1 1 1 1 1", "2 2 2 6 6 6"], "4 6")
    act(game, "0 play 4", "1 draw")
    # When hands are drawn
    games = seen_by(game.view())
    found = inference("lama", 2, 1000).hands(games, np.random.default_rng(1))
    assert found
    drawn = found.drawn(np.array([0]), np.array([1000]), np.random.default_rng(1))
    # Then fewer of them have a 4 or 5 besides the card drawn, but one move proves little
    fours, fives = (Lama.kinds.index(card) for card in ("4", "5"))
    likely, any_hand = (
        (hands[:, 1, [fours, fives]].sum(axis=1) > 0).mean() for hands in (drawn, found.hands[0])
    )
    assert any_hand > 0.85
    assert likely < any_hand - 0.05
    assert (drawn[:, 1].sum(axis=1) == 7).all()
    assert (drawn[:, 0] == games.hands[0, 0]).all()


# What the search tries


@pytest.mark.parametrize("name", HIDDEN)
def test_states_with_likely_hands_fit_the_view(name: str) -> None:
    games = moved_on(name, 4, 9)
    seen, rng = games.observe(), np.random.default_rng(1)
    found = inference(name, 4).hands(games, rng)
    assert found
    everyone, counts = np.arange(len(games)), np.arange(len(games)) % 3 + 1
    states = games.select(np.repeat(everyone, counts))
    states.suppose(found.drawn(everyone, counts, rng))
    assert (states.observe() == np.repeat(seen, counts, axis=0)).all()
    assert (states.hands.sum(axis=2) == states.sizes).all()
    kinds = states.hands.shape[2]
    for game in range(len(states)):
        pile = np.bincount(states.decks[game, states.drawn[game] :], minlength=kinds)
        everything = states.hands[game].sum(axis=0) + states.discarded[game] + pile
        assert (everything == np.bincount(states.deck, minlength=kinds)).all()


@pytest.mark.long
@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_cards_do_not_change_the_choice_of_master(name: str) -> None:
    real, master = moved_on(name, 3, 7), player("master", name, 3, 24)
    other = real.copy()
    other.determinize()
    assert (other.hands != real.hands).any()
    chosen = master(real, np.random.default_rng(3))
    assert (chosen == master(other, np.random.default_rng(3))).all()
    naive = player("naive", name, 3, 24)
    assert (chosen != naive(real, np.random.default_rng(3))).any()


def test_the_clairvoyant_sees_hands_but_not_the_pile() -> None:
    real, clairvoyant = moved_on("lama", 3, 7), player("clairvoyant", "lama", 3, 24)
    chosen = clairvoyant(real, np.random.default_rng(3))
    shuffled, other = real.copy(), real.copy()
    shuffled.suppose(real.hands.copy())
    assert (shuffled.decks != real.decks).any()
    assert (clairvoyant(shuffled, np.random.default_rng(3)) == chosen).all()
    other.determinize()
    assert (clairvoyant(other, np.random.default_rng(3)) != chosen).any()


def test_hands_are_drawn_as_often_as_they_are_likely() -> None:
    hands = np.arange(8, dtype=np.uint8).reshape(2, 4, 1, 1)
    shares = np.array([[0.1, 0.2, 0.3, 0.4], [0.0, 0.5, 0.5, 0.0]])
    found = Hands(hands, shares.cumsum(axis=1))
    rng = np.random.default_rng(1)
    drawn = found.drawn(np.array([0, 1]), np.array([100, 7]), rng).ravel()
    often = np.bincount(drawn, minlength=8)
    assert (np.abs(often[:4] - 100 * shares[0]) < 1).all()
    assert (np.abs(often[4:] - 7 * shares[1]) < 1).all()
    assert found.drawn(np.array([1]), np.array([2]), rng).ravel().tolist() == [5, 6]


def test_where_no_hand_explains_anything_all_are_as_likely() -> None:
    nothing = -np.inf
    logs = np.array([[nothing] * 4, [nothing, -2000.0, nothing, -2000.0]])
    assert cumulated(logs).tolist() == [[0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0]]


def test_where_there_is_nothing_to_infer_hands_are_not_drawn() -> None:
    rng = np.random.default_rng(1)
    net = policy_net.find("dice", 3)
    assert net
    views = Decisions.of(views_of(played("dice", 3, 4)[1]))
    dice = batch_class("dice").resumed(views, SEED, moves=True)
    assert Inference(net).hands(dice, rng) is None
    judge, begun = (
        inference("lama", 3),
        seen_by(dealt(Lama, ["1 1 1 1 1 1", "2 2 2 2 2 2", "3 3 3 3 3 3"], "3").view()),
    )
    assert judge.hands(begun, rng) is None
    later = moved_on("lama", 3, 4)
    assert judge.hands(later, rng, until=monotonic()) is None
    later.moves = None
    assert judge.hands(later, rng) is None
