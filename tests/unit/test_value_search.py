"""The values of legal actions, given what the deciding seat knows."""

from __future__ import annotations

import numpy as np
import pytest

from arena.batch import BATCHES, batch_class
from arena.bots import HOUSE
from arena.rules import Game, game_class
from arena.rules.lama import Lama
from arena.rules.view import View
from arena.sdk.decisions import Decisions
from arena.value.policy import house_policy
from arena.value.search import action_values
from arena.value.search.rollouts import play_round
from tests.tables import act
from tests.unit.test_sampling import dealt


def decisions(name: str, seats: int, count: int) -> list[View]:
    """Of a few matches among `sharp`, those with a choice."""
    bot, views, match = HOUSE["sharp"](), list[View](), 0
    while len(views) < count:
        match += 1
        game: Game = game_class(name)(seats, bytes([match]) * 16)
        while not game.finished and len(views) < count:
            view = game.view("m", 1)
            if len(view.actions) > 1:
                views.append(view)
            game.apply(game.parse(str(bot.choose(view))))
    return views


def last_card(hidden: str) -> Lama:
    """Seat 0 can play its last card; it holds points from before."""
    game = dealt(Lama, ["1 1 1 1 1 1", hidden], "1 6 6")
    for _ in range(5):
        act(game, "0 play 1", "1 draw")
    return game


@pytest.mark.parametrize("seats", [2, 4, 6])
@pytest.mark.parametrize("name", BATCHES)
def test_every_legal_action_has_a_value_and_errors(name: str, seats: int) -> None:
    views = decisions(name, seats, 40)
    for view, values in zip(views, action_values(views, samples=8), strict=True):
        assert values.actions == tuple(sorted(view.indices))
        assert ((values.score >= 0) & (values.score <= 1)).all()
        assert values.loss.min() == 0
        assert values.loss[values.actions.index(values.best)] == 0
        assert values.samples == 8
        for error in (values.score_error, values.points_error, values.loss_error):
            assert error.shape == values.score.shape
            assert (error >= 0).all()


def test_going_out_is_better_than_keeping_a_card() -> None:
    (values,) = action_values([last_card("2 3 4 5 6 llama").view()])
    best = Lama.notation[values.best]
    assert best == "play 1"
    # Going out costs nothing; whoever quits scores the card that they keep.
    points = dict(zip(values.actions, values.points.tolist(), strict=True))
    assert points[Lama.action_index["play 1"]] == 0
    assert points[Lama.action_index["quit"]] == 1


def test_what_the_seat_has_not_seen_does_not_matter() -> None:
    one, other = last_card("2 3 4 5 6 llama"), last_card("5 5 5 6 6 6")
    assert one.hands != other.hands
    first, second = (action_values([game.view()], seed=3)[0] for game in (one, other))
    assert (first.score == second.score).all()
    assert (first.points == second.points).all()


def test_decisions_of_the_sdk_and_views_have_the_same_values() -> None:
    views = decisions("party", 3, 10)
    from_views, from_rows = action_values(views, 4), action_values(Decisions.of(views), 4)
    for one, other in zip(from_views, from_rows, strict=True):
        assert (one.score == other.score).all()


@pytest.mark.long
@pytest.mark.parametrize("name", BATCHES)
def test_another_seed_gives_values_within_the_errors(name: str) -> None:
    views = decisions(name, 4, 60)
    once, again = action_values(views, 64, seed=1), action_values(views, 64, seed=2)
    off: list[float] = []
    for one, other in zip(once, again, strict=True):
        error = np.hypot(one.score_error, other.score_error)
        off += ((one.score - other.score)[error > 0] / error[error > 0]).tolist()
    apart = np.abs(off)
    assert len(apart) > 100
    assert (apart < 1.96).mean() > 0.9
    assert (apart > 0.67).mean() > 0.35  # nor are the errors too large


@pytest.mark.long
@pytest.mark.parametrize("name", BATCHES)
def test_rounds_end_as_they_do_one_by_one(name: str) -> None:
    """Rounds that are over wait for the others, and nothing happens in them meanwhile."""
    sharp, rng = house_policy("sharp"), np.random.default_rng(1)
    games = batch_class(name)(40, 3, bytes(16))
    for _ in range(25):
        games.step(sharp(games, rng))
        games.restart()
    ends = play_round(games.copy(), games.round.copy(), lambda some, _: sharp(some, rng))
    for number in range(len(games)):
        alone = games.select(np.array([number]))
        while alone.round[0] == games.round[number] and not alone.finished[0]:
            alone.step(sharp(alone, rng))
        assert ends.points[number].tolist() == alone.points[0].tolist()
        assert ends.starter[number] == alone.starter[0]
        assert ends.finished[number] == alone.finished[0]


def test_values_need_two_samples() -> None:
    with pytest.raises(ValueError, match="at least 2 samples"):
        action_values(decisions("lama", 2, 1), samples=1)
