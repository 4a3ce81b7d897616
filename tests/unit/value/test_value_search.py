"""The values of legal actions, given the knowledge of the deciding seat."""

import numpy as np
import pytest

from arena.bots import HOUSE
from arena.games.batch import BATCHES, batch_class
from arena.games.batch.errors import BadBatch
from arena.games.decisions import Decisions
from arena.games.rules import Game, game_class
from arena.games.rules.lama import Lama
from arena.games.rules.view import View
from arena.value.policy_net import find
from arena.value.search import action_values, values
from arena.value.search.inference import Inference, likely_states
from arena.value.search.rollouts import play_round
from arena.value.strategies import house_policy
from tests.tables import act
from tests.unit.games.test_sampling import dealt


def decisions(name: str, seats: int, count: int) -> list[View]:
    """The decisions with a choice in a few matches of `sharp`."""
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
    """Seat 0 can play its last card, and has points from earlier rounds."""
    game = dealt(Lama, ["1 1 1 1 1 1", hidden], "1 6 6")
    for _ in range(5):
        act(game, "0 play 1", "1 draw")
    return game


@pytest.mark.parametrize("seats", [2, 4, 6])
@pytest.mark.parametrize("name", BATCHES)
def test_every_legal_action_has_a_value_and_errors(name: str, seats: int) -> None:
    views = decisions(name, seats, 40)
    for view, found in zip(views, action_values(views, samples=8), strict=True):
        assert found.actions == tuple(sorted(view.indices))
        assert ((found.score >= 0) & (found.score <= 1)).all()
        assert found.loss.min() == 0
        assert found.loss[found.actions.index(found.best)] == 0
        assert found.samples == 8
        for error in (found.score_error, found.points_error, found.loss_error):
            assert error.shape == found.score.shape
            assert (error >= 0).all()


def test_going_out_is_better_than_keeping_a_card() -> None:
    (found,) = action_values([last_card("2 3 4 5 6 llama").view()])
    best = Lama.notation[found.best]
    assert best == "play 1"
    # Going out costs nothing. A seat that quits scores the card that it keeps.
    points = dict(zip(found.actions, found.points.tolist(), strict=True))
    assert points[Lama.action_index["play 1"]] == 0
    assert points[Lama.action_index["quit"]] == 1


def test_hidden_cards_do_not_matter() -> None:
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
    """Finished rounds do not change while others go on."""
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


def test_views_of_different_tables_are_not_valued_together() -> None:
    views = [game_class("lama")(seats, bytes(16)).view("m", 1) for seats in (2, 3)]
    with pytest.raises(BadBatch, match="same game, number of seats and options"):
        action_values(views)


def quitter(hidden: str) -> Lama:
    """Seat 0 holds 2 and 4, with a 1 on top. Seat 1 has quit with the cards in `hidden`."""
    game = dealt(Lama, ["5 6 llama 1 2 4", f"5 6 llama 1 {hidden}"], "5 1")
    game.points = [19, 28]
    act(game, "0 play 5", "1 play 5", "0 draw", "1 play 6", "0 play 6", "1 play llama")
    act(game, "0 play llama", "1 play 1", "0 play 1", "1 quit", "0 play 1")
    return game


def test_player_that_has_quit_probably_holds_few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given inference from all moves of the other seat, and no inference
    view = quitter("3 4").view()
    (found,) = action_values([view], 400, seed=1)
    with monkeypatch.context() as patched:
        patched.setattr(values, "Inference", lambda net, *_, **__: Inference(net, candidates=1000))
        (inferred,) = action_values([view], 400, seed=2)
        patched.setattr(values, "find", lambda *_: None)
        (any_hand,) = action_values([view], 400, seed=3)
    # Then reviews, which use two moves of each quitter, are between the two
    several = [action_values([view], 400, seed=seed)[0].score for seed in range(4, 10)]
    usual = np.mean([found.score, *several], axis=0)
    assert (any_hand.score - inferred.score > 0.08).all()
    assert (any_hand.score - usual > 0.02).all()
    # The real hand is not used
    (other,) = action_values([quitter("6 6").view()], 400, seed=1)
    assert (other.score == found.score).all()
    assert (other.points == found.points).all()


def test_hands_of_players_in_the_round_stay_equally_likely() -> None:
    """Inference uses only players who have quit. Without any, no hand is weighed."""
    game = last_card("2 3 4 5 6 llama")
    net = find("lama", 2)
    assert net
    games = batch_class("lama").resumed(Decisions.of([game.view()]), bytes(16), moves=True)
    weighed, even = (
        likely_states(games.copy(), 50, inference, np.random.default_rng(1))[0]
        for inference in (Inference(net, only_quitters=True), None)
    )
    assert (weighed.seeds == even.seeds).all()
    assert weighed.moves is None


def test_errors_count_that_states_share_the_hands_of_a_quitter() -> None:
    view = quitter("3 4").view()
    found = [action_values([view], 256, seed=seed)[0] for seed in range(60)]
    apart = np.array([each.score for each in found]).std(axis=0, ddof=1)
    stated = np.sqrt(np.square([each.score_error for each in found]).mean(axis=0))
    assert apart / stated == pytest.approx(1, abs=0.3)


def test_the_error_of_a_mean_is_that_of_as_many_hands_as_there_are() -> None:
    once = np.random.default_rng(1).normal(size=(3, 50)).astype(np.float32)
    alone = once.std(axis=1, ddof=1) / np.sqrt(50)
    assert values.error_of_mean(once, np.arange(50)) == pytest.approx(alone, rel=1e-5)
    fourfold, hands = np.repeat(once, 4, axis=1), np.repeat(np.arange(50), 4)
    assert values.error_of_mean(fourfold, hands) == pytest.approx(alone, rel=1e-5)
    one_hand = values.error_of_mean(once, np.zeros(50, np.intp))
    assert one_hand == pytest.approx(alone, rel=1e-5)
