"""What is inferred from moves of players who are unlike any house bot."""

from functools import partial

import numpy as np
import pytest

from arena.games.batch import batch_class
from arena.games.batch.rounds import RETURN
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.shedding import DRAW, PLAY, QUIT
from arena.value.search.inference import HABITS, Inference, by_habit
from tests.lab.bench import inference as bench
from tests.lab.bench.inference import clustered_error, measure, moments
from tests.lab.bench.unusual import UNUSUAL, unusual
from tests.lab.commands import bench_inference

pytestmark = pytest.mark.lab

AT_WORST = -0.2  # nats by which a player's true hands may become less likely, on average


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "TABLES", 24)
    monkeypatch.setattr(bench, "TRUTHS", 4)
    monkeypatch.setattr(bench, "Inference", partial(Inference, candidates=32))


@pytest.mark.parametrize("name", ["lama", "party", "kadabra"])
@pytest.mark.parametrize("players", ["leaves", "random", "rich"])
def test_unusual_players_mislead_little(name: str, players: str) -> None:
    (found,) = measure([name], [2], [players], decisions=20, seed=1)
    assert found.nats + found.error > AT_WORST
    assert found.nats > -0.8  # some 20 decisions are few


@pytest.mark.parametrize("players", UNUSUAL)
def test_no_kind_of_player_makes_true_hands_less_likely(players: str) -> None:
    (found,) = measure(["lama"], [4], [players], decisions=20, seed=1)
    assert found.nats > AT_WORST - found.error / 2


@pytest.mark.parametrize("name", ["lama", "party", "kadabra"])
@pytest.mark.parametrize("players", UNUSUAL)
def test_unusual_players_play_to_the_end(name: str, players: str) -> None:
    policy, rng = unusual(players), np.random.default_rng(1)
    games = batch_class(name)(8, 3, bytes(16), {"max_rounds": "3"})
    while not games.finished.all():
        games.step(policy(games, rng))
    assert (games.round <= 3).all()


def test_a_player_who_draws_does_so_though_it_could_play() -> None:
    games = batch_class("lama")(50, 2, bytes(16))
    assert isinstance(games, SheddingGames)
    able = games.legal[:, PLAY:].any(axis=1)
    assert able.any()
    assert (unusual("draws")(games, np.random.default_rng(1)) == DRAW).all()


def test_the_command_names_all_unusual_players() -> None:
    assert set(bench_inference.UNUSUAL) == set(UNUSUAL)


def test_by_habit_the_order_of_moves_makes_no_difference() -> None:
    made = [0, 0]
    for number, order in enumerate(([QUIT, DRAW, PLAY + 3, DRAW], [DRAW, DRAW, PLAY, QUIT])):
        habits = np.zeros((1, 2, len(HABITS))) + HABITS
        one, seat = np.array([0]), np.array([1])
        for action in order:
            made[number] += by_habit(habits, one, seat, np.array([action], np.uint8))[0]
    assert made[0] == pytest.approx(made[1])


def test_what_a_player_does_again_and_again_is_expected_of_it() -> None:
    habits = np.zeros((1, 1, len(HABITS))) + HABITS
    zero, draw = np.array([0]), np.array([DRAW], np.uint8)
    shares = [np.exp(by_habit(habits, zero, zero, draw)[0]) for _ in range(8)]
    assert shares == sorted(shares)
    assert shares[-1] > 0.9


# How it is measured


def test_all_decisions_of_matches_are_as_likely_to_be_looked_at() -> None:
    """The first rounds are no more often among few decisions than among many."""
    rng = np.random.default_rng(1)
    looked_at = list(moments("lama", 4, "house", 60, rng))
    rounds = np.concatenate([games.round for games, _ in looked_at])
    assert len(rounds) == 60
    assert len(np.unique(np.concatenate([matches for _, matches in looked_at]))) > 10
    assert (rounds > 2).mean() > 0.3
    assert all((games.phase != RETURN).all() for games, _ in looked_at)


def test_an_error_counts_decisions_of_a_match_as_one() -> None:
    rng = np.random.default_rng(1)
    by_match = rng.normal(size=50)
    whole = clustered_error(by_match, np.arange(50))
    assert whole == pytest.approx(by_match.std(ddof=1) / 50**0.5)
    assert clustered_error(by_match.repeat(9), np.arange(50).repeat(9)) == pytest.approx(whole)
