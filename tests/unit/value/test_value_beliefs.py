"""Beliefs about the style of a seat, from its earlier moves alone."""

from pathlib import Path

import numpy as np
import pytest

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Bool
from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import pack
from arena.games.rules import GAMES
from arena.value.luck import FinishedMatch, luck_of
from arena.value.luck.beliefs import LIKE_NOBODY, Beliefs
from arena.value.network import Floats
from arena.value.strategies import STYLES, choose, deciding
from tests.unit.value.test_value_luck import SEED, random_net, save


def watched(game: str, style: str, decisions: int, seats: int = 3, count: int = 100) -> Floats:
    """The beliefs about all seats of new games in which all play in this style."""
    games, rng = batch_class(game)(count, seats, SEED), np.random.default_rng(1)
    styles = np.full((count, seats), STYLES.index(style), np.int8)
    beliefs = Beliefs(count, seats)
    for _ in range(decisions):
        actions = choose(games, deciding(games, styles), rng).astype(np.uint8)
        beliefs.note(games, actions)
        games.step(actions)
        over = np.flatnonzero(games.finished)
        games.restart()
        beliefs.forget(over)
    return beliefs.shares()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("game", GAMES)
def test_seat_that_plays_like_a_house_bot_is_recognised(game: str, style: str) -> None:
    shares = watched(game, style, 60)[..., STYLES.index(style)]
    assert shares.mean() > 1.5 / len(STYLES)
    assert shares.mean() > watched(game, style, 6)[..., STYLES.index(style)].mean()


def test_a_player_at_random_is_soon_known() -> None:
    shares = watched("lama", "random", 60).mean(axis=(0, 1))
    assert shares[STYLES.index("random")] > 0.5


def test_at_first_nothing_is_known_and_a_forced_move_says_nothing() -> None:
    assert np.allclose(Beliefs(50, 2).shares(), 1 / len(STYLES))

    dice = batch_class("dice")(400, 2, SEED)
    rng, seen = np.random.default_rng(1), Beliefs(400, 2)
    for _ in range(25):
        actions = dice.random_actions(rng).astype(np.uint8)
        alone, before, seats = one_choice(dice), seen.shares(), dice.seat.copy()
        seen.note(dice, actions)
        dice.step(actions)
        rows = np.flatnonzero(alone)
        assert (seen.shares()[rows, seats[rows]] == before[rows, seats[rows]]).all()


def one_choice(games: Games) -> Bool:
    alone: Bool = games.legal.sum(axis=1) == 1
    return alone


def test_one_move_tells_by_how_likely_each_would_have_made_it() -> None:
    games, beliefs = batch_class("lama")(200, 2, SEED), Beliefs(200, 2)
    legal = games.legal.sum(axis=1)
    actions = games.legal.argmax(axis=1).astype(np.uint8)
    alike = [choose(games, np.full(200, s, np.int8), np.random.default_rng(0)) == actions
             for s in range(len(STYLES))]  # fmt: skip
    expected = (1 - LIKE_NOBODY) * np.stack(alike, axis=1) + LIKE_NOBODY / legal[:, None]
    expected[:, STYLES.index("random")] = 1 / legal
    seat = games.seat.copy()

    beliefs.note(games, actions)

    shares = beliefs.shares()
    everyone = np.arange(200)
    assert np.allclose(
        shares[everyone, seat], expected / expected.sum(axis=1, keepdims=True), atol=1e-5
    )
    assert np.allclose(shares[everyone, 1 - seat], 1 / len(STYLES))


def test_later_moves_do_not_change_the_luck_of_an_event(tmp_path: Path) -> None:
    save(random_net("lama", 3), "lama", tmp_path)
    one, other = differing_after(10)
    (first,), (second,) = (luck_of("lama", 3, [each], folder=tmp_path) for each in (one, other))
    assert first is not None
    assert second is not None
    before = [[e for e in each.events if e.decision <= 10] for each in (first, second)]
    assert len(before[0]) == len(before[1]) > 2
    for left, right in zip(*before, strict=True):
        assert (left.decision, left.kind, left.seat) == (right.decision, right.kind, right.seat)
        assert np.abs(left.pairs - right.pairs).max() <= 3  # millionths
    assert (first.total != second.total).any()


def differing_after(decisions: int) -> tuple[FinishedMatch, FinishedMatch]:
    """Two matches with the same cards, and with the same moves up to a decision."""
    made = []
    for last in (0, -1):
        setup = MatchSetup("m", "lama", SEED, (Seat("one"),) * 3)
        match, rng = Match(setup), np.random.default_rng(3)
        while match.decision:
            legal = match.decision.actions
            chosen = legal[rng.integers(len(legal))]
            match.answer(chosen if match.decision.number < decisions else legal[last])
        made.append(FinishedMatch(setup.id, setup.seed, pack(match)))
    return made[0], made[1]
