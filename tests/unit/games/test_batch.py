"""Many games at once: beginning, stepping, refusing, restarting, copying."""

import numpy as np
import pytest

from arena.games.batch import Games, batch_class, observe
from arena.games.batch.chance import AS_IN_ARENA, SPLIT_MIX
from arena.games.batch.errors import BadBatch
from arena.games.batch.shedding import SheddingGames
from arena.games.rules import GAMES, Game, game_class
from arena.games.rules.errors import (
    BadDeck,
    BadOption,
    BadSeats,
    IllegalAction,
    OutOfTurn,
    UnknownGame,
)
from arena.games.rules.shuffles import shuffled
from arena.sdk import Decisions

SEED = bytes(range(16))
QUIT, DRAW = 0, 1


def played_out(games: Games, seed: int = 1) -> Games:
    rng = np.random.default_rng(seed)
    while not games.finished.all():
        games.step(games.random_actions(rng))
    return games


def decks(games: Games) -> np.ndarray:
    assert isinstance(games, SheddingGames)
    return games.decks


def same(one: Games, other: Games) -> bool:
    pair = one.offered(), other.offered()
    return all(np.array_equal(*(getattr(games, name) for games in pair)) for name in one.state)


# Beginning


@pytest.mark.parametrize("name", GAMES)
def test_all_games_begin_with_seat_0_in_the_first_round(name: str) -> None:
    games = batch_class(name)(5, 3, SEED)
    assert len(games) == 5
    assert games.seat.tolist() == games.starter.tolist() == [0] * 5
    assert games.round.tolist() == [1] * 5
    assert games.active.all()


def test_each_game_has_a_seed_of_its_own_which_says_all_about_its_cards() -> None:
    games = batch_class("lama")(3, 4, SEED, chance=AS_IN_ARENA)
    assert len({games.seed_of(game) for game in range(3)}) == 3
    for game in range(3):
        deck = shuffled(games.seed_of(game), 1, game_class("lama").deck)
        assert decks(games)[game].tolist() == deck


def test_the_same_seed_and_actions_give_the_same_games() -> None:
    one, other = (played_out(batch_class("kadabra")(50, 4, SEED)) for _ in range(2))
    assert same(one, other)


def test_other_games_do_not_change_a_game_s_cards() -> None:
    games = batch_class("lama")(2, 4, SEED)
    single = games.select(np.array([1]))
    rng = np.random.default_rng(1)
    while not single.finished[0]:
        games.step(np.array([games.random_actions(rng)[0], QUIT]))
        single.step(np.array([QUIT]))
        assert decks(games)[1].tolist() == decks(single)[0].tolist()


@pytest.mark.parametrize("name", GAMES)
def test_bad_seats_options_seeds_and_counts_are_refused(name: str) -> None:
    with pytest.raises(BadSeats, match="2 to 6 seats, not 7"):
        batch_class(name)(1, 7, SEED)
    with pytest.raises(BadOption, match="no option"):
        batch_class(name)(1, 4, SEED, {"speed": "1"})
    with pytest.raises(ValueError, match="16 bytes, not 3"):
        batch_class(name)(1, 4, b"abc")
    with pytest.raises(ValueError, match="at least one game, not 0"):
        batch_class(name)(0, 4, SEED)


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(UnknownGame, match="chess"):
        batch_class("chess")


# Stepping


def test_an_illegal_action_is_refused_with_the_game_and_nothing_happens() -> None:
    games = batch_class("lama")(4, 4, SEED)
    before = games.copy()
    keep = games.rules.keep
    with pytest.raises(IllegalAction, match=r"'keep' is not legal in game 2. Legal .*: quit, draw"):
        games.step(np.array([QUIT, QUIT, keep, QUIT]))
    assert same(games, before)


@pytest.mark.parametrize("action", [-1, 12, 255, 256, 256 * 256, -(2**40)])
def test_malformed_action_is_rejected(action: int) -> None:
    games = batch_class("lama")(2, 4, SEED)
    with pytest.raises(IllegalAction, match=f"'action {action}' is not legal in game 1"):
        games.step(np.array([QUIT, action]))


@pytest.mark.parametrize("name", GAMES)
def test_exactly_the_legal_actions_are_carried_out(name: str) -> None:
    games = batch_class(name)(30, 3, SEED)
    rng = np.random.default_rng(2)
    for _ in range(30):
        for action, legal in enumerate(games.legal[7]):
            if not legal:
                actions = games.random_actions(rng)
                actions[7] = action
                with pytest.raises(IllegalAction, match="game 7"):
                    games.step(actions)
        games.step(games.random_actions(rng))
        games.restart()


@pytest.mark.parametrize("actions", [[0], [[0, 0]], [0.0, 0.0], [True, True]])
def test_actions_of_another_shape_or_type_are_refused(actions: list[object]) -> None:
    games = batch_class("lama")(2, 4, SEED)
    with pytest.raises(BadBatch, match="2 games need an integer array with as many actions"):
        games.step(np.array(actions))


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", ">i4", "u4", "i8", "u8"])
def test_actions_may_be_of_any_integer_type(kind: str) -> None:
    games = batch_class("lama")(2, 4, SEED)
    games.step(np.full(2, DRAW, kind))
    assert games.observe()[:, games.columns.index("cards +3")].tolist() == [7, 7]


@pytest.mark.parametrize("name", GAMES)
def test_finished_games_wait_for_the_others(name: str) -> None:
    games = batch_class(name)(40, 2, SEED)
    rng = np.random.default_rng(1)
    while not games.finished.any():
        games.step(games.random_actions(rng))
    over = np.flatnonzero(games.finished)
    points = games.points[over]
    actions = games.random_actions(rng)
    assert not actions[over].any()
    actions[over] = 99
    games.step(actions)
    assert games.finished[over].all()
    assert (games.seat[over] == -1).all()
    assert not games.legal[over].any()
    assert (games.points[over] == points).all()


def test_a_batch_of_finished_games_takes_no_step() -> None:
    games = played_out(batch_class("lama")(3, 2, SEED))
    with pytest.raises(OutOfTurn, match="All games of the batch are finished"):
        games.step(np.zeros(3, int))


@pytest.mark.parametrize("name", GAMES)
def test_random_actions_are_legal_and_equally_likely(name: str) -> None:
    start = batch_class(name)(1, 3, SEED)
    games = start.select(np.zeros(60_000, int))
    shares = np.bincount(games.random_actions(np.random.default_rng(3))) / len(games)
    legal = np.flatnonzero(games.legal[0])
    assert np.flatnonzero(shares).tolist() == legal.tolist()
    assert np.allclose(shares[legal], 1 / len(legal), atol=0.01)


# Restarting, copying, given decks


@pytest.mark.parametrize("name", GAMES)
def test_restarted_games_are_new_ones_and_the_others_go_on(name: str) -> None:
    games = batch_class(name)(40, 2, SEED)
    rng = np.random.default_rng(1)
    while not games.finished.any():
        games.step(games.random_actions(rng))
    over, before = np.flatnonzero(games.finished), games.copy()
    games.restart()
    assert not games.finished.any()
    assert (games.round[over] == 1).all()
    new = batch_class(name)(40 + len(over), 2, SEED).select(np.arange(40, 40 + len(over)))
    assert same(games.select(over), new)
    others = np.flatnonzero(~before.finished)
    assert same(games.select(others), before.select(others))


def test_a_batch_can_be_stepped_for_ever() -> None:
    games = batch_class("party")(100, 3, SEED)
    rng = np.random.default_rng(1)
    for _ in range(300):
        games.step(games.random_actions(rng))
        games.restart()
    assert games.begun > 500
    assert len({games.seed_of(game) for game in range(100)}) == 100


@pytest.mark.parametrize("name", GAMES)
def test_a_copy_goes_its_own_way(name: str) -> None:
    games = batch_class(name)(20, 4, SEED)
    before, twins = games.copy(), games.select(np.repeat(np.arange(20), 3))
    assert len(twins) == 60
    assert same(twins.select(np.arange(0, 60, 3)), games)
    played_out(twins)
    assert same(games, before)


@pytest.mark.parametrize("chosen", [np.array([3]), np.array([-1]), np.array([], int)])
def test_games_that_are_not_there_cannot_be_selected(chosen: np.ndarray) -> None:
    with pytest.raises(BadBatch):
        batch_class("lama")(3, 4, SEED).select(chosen)


@pytest.mark.parametrize("name", GAMES)
def test_a_round_can_begin_with_given_decks(name: str) -> None:
    games = batch_class(name)(3, 2, SEED)
    deck = game_class(name).deck
    games.deal(np.array([1]), np.array([deck]), np.array([1]))
    single = game_class(name)(2, SEED)
    single.deal(list(deck), starter=1)
    assert games.seat.tolist() == [0, 1, 0]
    assert games.round.tolist() == [1, 2, 1]
    assert sorted(single.legal_actions) == np.flatnonzero(games.legal[1]).tolist()


def test_decks_that_are_not_the_game_s_are_refused() -> None:
    games = batch_class("lama")(3, 2, SEED)
    before, deck = games.copy(), list(game_class("lama").deck)
    wrong = np.array([deck, [*deck[:-1], 0]])
    with pytest.raises(BadDeck, match=r"The cards for game 2 are not the deck of L\.A\.M\.A\."):
        games.deal(np.array([0, 2]), wrong, np.zeros(2, int))
    with pytest.raises(BadBatch, match=r"2 games need decks of shape \(2, 56\)"):
        games.deal(np.array([0, 2]), wrong[:, 1:], np.zeros(2, int))
    with pytest.raises(BadBatch, match="A starter must be a seat from 0 to 1"):
        games.deal(np.array([0]), np.array([deck]), np.array([2]))
    with pytest.raises(BadBatch, match="contains a game twice"):
        games.deal(np.array([0, 0]), np.array([deck, deck]), np.array([1, 1]))
    assert same(games, before)


# Chance


def test_every_card_is_as_likely_at_every_place() -> None:
    games = batch_class("lama")(20_000, 2, SEED)
    for kind in range(7):
        shares = (decks(games) == kind).mean(axis=0)
        assert np.abs(shares - 1 / 7).max() < 5 * np.sqrt(6 / 49 / len(games))


def test_every_face_is_as_likely_on_every_die_and_dice_do_not_depend_on_each_other() -> None:
    seeds = batch_class("dice")(36_000, 2, SEED).seeds
    ones = np.ones(len(seeds), int)
    faces = SPLIT_MIX.faces(seeds, ones, ones)
    pairs = np.bincount(faces[:, 0] * 6 + faces[:, 1], minlength=36)
    assert len(pairs) == 36
    assert pairs.min() > 840
    assert pairs.max() < 1160
    assert not np.array_equal(faces, SPLIT_MIX.faces(seeds, ones, 2 * ones))
    assert not np.array_equal(faces, SPLIT_MIX.faces(seeds, 2 * ones, ones))


# Observations


ON = {"pool": "in pool", "stage": "on stage"}


def view_in_columns(single: Game) -> dict[str, int]:
    """The view of the deciding seat in the columns of an observation."""
    view, kinds = single.view(), single.kinds
    told = {f"phase {view.ask}": 1, "round": view.round}
    for place in range(view.seats):
        seat = (view.seat + place) % view.seats
        told |= {f"active +{place}": view.active[seat], f"points +{place}": view.points[seat]}
        if view.whites:
            told |= {f"whites +{place}": view.whites[seat], f"blacks +{place}": view.blacks[seat]}
        if view.rows:
            told |= {f"row {kind} +{place}": view.rows[seat].count(kind) for kind in kinds}
        else:
            told[f"cards +{place}"] = view.hand_sizes[seat]
    if view.rows:
        told |= {f"llama row {kind}": view.llama_row.count(kind) for kind in kinds}
        told |= {f"dice {kind}": view.dice.count(kind) for kind in kinds}
    else:
        told |= {f"hand {kind}": view.hand.count(kind) for kind in kinds}
        told |= {f"discarded {kind}": view.discards.count(kind) for kind in kinds}
        told |= {f"top {view.top}": 1, "pile": view.pile}
    if view.magic:
        place = (int(view.magic) - view.seat) % view.seats if view.magic.isdigit() else 0
        told |= {"stage whites": view.stage[0], "stage blacks": view.stage[1]}
        told |= {f"magic +{place}" if view.magic.isdigit() else f"magic {ON[view.magic]}": 1}
    return told


@pytest.mark.parametrize("name", GAMES)
def test_observation_equals_the_view_of_the_seat(name: str) -> None:
    games = batch_class(name)(20, 3, SEED, chance=AS_IN_ARENA)
    singles = [game_class(name)(3, games.seed_of(game)) for game in range(20)]
    rng = np.random.default_rng(5)
    while not games.finished.all():
        for single, row in zip(singles, games.observe(), strict=True):
            told = {} if single.finished else view_in_columns(single)
            assert (
                dict(zip(games.columns, row, strict=True)) == dict.fromkeys(games.columns, 0) | told
            )
        actions = games.random_actions(rng)
        for single, action in zip(singles, actions.tolist(), strict=True):
            if not single.finished:
                single.apply(action)
        games.step(actions)


@pytest.mark.parametrize("name", GAMES)
def test_decisions_of_bots_have_the_same_columns(name: str) -> None:
    rng, singles = np.random.default_rng(5), list[Game]()
    single = game_class(name)(4, SEED, {"max_rounds": "40"})
    while not single.finished:
        singles.append(single.clone())
        single.apply(int(rng.choice(single.legal_actions)))
    decisions = Decisions.of([each.view("m", 1) for each in singles])

    columns = batch_class(name).seen(decisions).columns
    for each, row in zip(singles, observe(decisions), strict=True):
        told = dict.fromkeys(columns, 0) | view_in_columns(each)
        assert dict(zip(columns, row, strict=True)) == told


@pytest.mark.parametrize("name", ["lama", "party", "kadabra"])
def test_no_hidden_card_is_in_an_observation(name: str) -> None:
    games = batch_class(name)(200, 3, SEED)
    dealt = np.tile(decks(games)[0], (200, 1))
    hidden = [*range(6, 18), *range(19, dealt.shape[1])]  # other hands and the pile
    dealt[:, hidden] = np.random.default_rng(1).permuted(dealt[:, hidden], axis=1)
    games.deal(np.arange(200), dealt, np.zeros(200, int))
    assert len(np.unique(decks(games), axis=0)) == 200
    assert len(np.unique(games.observe(), axis=0)) == 1


def test_observations_of_finished_games_are_zero() -> None:
    assert not played_out(batch_class("lama")(3, 2, SEED)).observe().any()


@pytest.mark.parametrize("name", GAMES)
def test_determinization_changes_only_hidden_information(name: str) -> None:
    games = batch_class(name)(300, 4, SEED)
    rng = np.random.default_rng(4)
    for _ in range(12):
        games.step(games.random_actions(rng))
    other = games.copy()
    other.determinize()
    assert np.array_equal(other.observe(), games.observe())
    assert np.array_equal(other.legal, games.legal)
    assert (other.seeds != games.seeds).any(axis=1).all()
    if isinstance(games, SheddingGames) and isinstance(other, SheddingGames):
        assert np.array_equal(other.sizes, games.sizes)
        assert np.array_equal(other.hands.sum(axis=2), games.sizes)
        going = ~games.finished
        assert (other.hands != games.hands)[going].any(axis=(1, 2)).mean() > 0.95
        for game in np.flatnonzero(going):
            pile = other.decks[game, other.drawn[game] :]
            cards = np.bincount(pile, minlength=other.hands.shape[2])
            cards += other.hands[game].sum(axis=0, dtype=int) + other.discarded[game]
            assert cards.tolist() == np.bincount(games.make_deck(), minlength=len(cards)).tolist()
    played_out(other)


def test_every_hidden_card_is_as_likely_with_each_player_and_in_the_pile() -> None:
    games = batch_class("lama")(1, 3, SEED).select(np.zeros(20_000, int))
    assert isinstance(games, SheddingGames)
    games.determinize()
    unseen = np.bincount(games.make_deck()) - games.hands[0, 0] - games.discarded[0]
    for seat in (1, 2):
        assert np.allclose(games.hands[:, seat].mean(axis=0), 6 * unseen / 49, atol=0.03)
    next_cards = np.bincount(games.decks[:, 19], minlength=7) / len(games)
    assert np.allclose(next_cards, unseen / 49, atol=0.015)
