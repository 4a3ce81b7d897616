"""The games as PettingZoo environments: its own tests, and the same matches as in the arena."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from arena.base.errors import InvalidRequest
from arena.games.batch import observe
from arena.games.batch.shedding import SheddingGames
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.games.rules.errors import BadOption, BadSeats, IllegalAction, OutOfTurn, UnknownGame
from arena.learn.environment import Environment, env
from arena.learn.rewards import rewards
from arena.sdk import Decisions

# PettingZoo lists by name the environments that may show dictionaries, and when a match is over
# no action is legal.
as_pettingzoo_advises = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)


def begun(game: str, seats: int = 3, seed: int | None = 1, **more: Any) -> Environment:
    table: Environment = env(game, seats, seed=seed, **more).unwrapped
    table.reset()
    return table


def hands(table: Environment) -> list[list[int]]:
    """Cards by seat and kind."""
    assert isinstance(table.games, SheddingGames)
    dealt: list[list[int]] = table.games.hands[0].tolist()
    return dealt


def at_random(table: Environment, rng: np.random.Generator) -> Iterator[int]:
    """Plays a match to its end; before each decision, its answer."""
    while not any(table.terminations.values()):
        legal = table.observe(table.agent_selection)["action_mask"]
        action = int(rng.choice(np.flatnonzero(legal)))
        yield action
        table.step(action)


# As PettingZoo wants it


@as_pettingzoo_advises
@pytest.mark.parametrize(("game", "seats"), [(game, seats) for game in GAMES for seats in (2, 5)])
def test_it_passes_the_tests_of_pettingzoo(game: str, seats: int) -> None:
    api_test(env(game, seats), num_cycles=60)
    seed_test(lambda: env(game, seats), num_cycles=20)


def test_its_methods_are_called_in_order() -> None:
    with pytest.raises(AttributeError, match="before reset"):
        env("lama").agent_selection  # noqa: B018 - asking is what fails
    with pytest.raises(OutOfTurn, match="Start one with `reset`"):
        Environment("lama").step(0)


# As in the arena


@pytest.mark.parametrize("game", GAMES)
def test_it_asks_shows_and_ends_as_a_match_with_its_seed(game: str) -> None:
    table, rng = begun(game, 4), np.random.default_rng(2)
    match = Match(MatchSetup("m", game, table.match_seed, (Seat("b"),) * 4))
    for action in at_random(table, rng):
        view = match.decision
        assert view is not None
        assert table.agent_selection == f"player_{view.seat}"
        seen = table.last()[0]
        assert set(np.flatnonzero(seen["action_mask"])) == set(view.indices)
        assert np.array_equal(seen["observation"], observe(Decisions.of([view]))[0])
        match.answer(action)
    assert match.finished
    assert list(table.rewards.values()) == rewards(match.result.ranks)
    assert table.games.points[0].tolist() == list(match.result.points)


def test_options_are_those_of_the_game() -> None:
    table = begun("lama", options={"max_rounds": "2"})
    list(at_random(table, np.random.default_rng(1)))
    assert table.games.round[0] <= 2
    with pytest.raises(BadOption):
        env("lama", options={"colour": "red"})


def test_a_match_can_have_options_of_its_own() -> None:
    table = begun("lama")
    table.reset(options={"max_rounds": 1})
    assert table.games.options["max_rounds"] == "1"
    list(at_random(table, np.random.default_rng(1)))
    assert table.games.round[0] == 1

    table.reset()
    assert table.games.options["max_rounds"] == begun("lama").games.options["max_rounds"]


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"colour": "red"}, BadOption, 'has no option "colour"'),
        ({"max_rounds": -1}, BadOption, "Option max_rounds of L.A.M.A. takes"),
        ({"max_rounds": None}, BadOption, "Option max_rounds of L.A.M.A. takes"),
        ({1: 2}, InvalidRequest, "are not names with values"),
        (["max_rounds"], InvalidRequest, 'Pass them like {"max_rounds": 20}'),
    ],
)
def test_other_options_are_refused_and_the_match_goes_on(
    options: Any, error: type[Exception], sentence: str
) -> None:
    table = begun("lama")
    before = table.match_seed
    with pytest.raises(error, match=sentence):
        table.reset(seed=7, options=options)
    assert table.match_seed == before


@pytest.mark.parametrize("seed", [-1, 1.5, "7", [1, 2]])
def test_a_seed_is_a_whole_number_from_0(seed: Any) -> None:
    table = begun("lama")
    with pytest.raises(InvalidRequest, match="is not a whole number from 0"):
        table.reset(seed=seed)
    with pytest.raises(InvalidRequest, match="is not a whole number from 0"):
        env("lama", seed=seed)


@pytest.mark.parametrize("game", GAMES)
def test_no_agent_s_observation_depends_on_hidden_information(game: str) -> None:
    table, rng = begun(game, 4, seed=3), np.random.default_rng(3)
    changed = 0
    for number, _ in enumerate(at_random(table, rng)):
        if number % 5:
            continue
        truth = table.games
        for seat, agent in enumerate(table.possible_agents):
            before = table.observe(agent)
            other = truth.copy()
            other.seat[:] = seat
            other.determinize()
            other.seat[:] = truth.seat
            table.games = other
            after = table.observe(agent)
            assert np.array_equal(before["observation"], after["observation"])
            others = [each for each in table.possible_agents if each != agent]
            changed += any(
                not np.array_equal(one["observation"], two["observation"])
                for one, two in zip(*(_seen(table, games, others) for games in (truth, other)),
                                    strict=True)
            )  # fmt: skip
            table.games = truth
    assert changed or game == "dice"  # where all cards lie open


def _seen(table: Environment, games: Any, agents: list[str]) -> list[dict[str, Any]]:
    table.games = games
    return [table.observe(agent) for agent in agents]


def test_other_agents_see_the_table_from_their_own_seat() -> None:
    table = begun("lama", 3)
    mine, left = table.observe("player_0"), table.observe("player_1")
    assert mine["action_mask"].any()
    assert not left["action_mask"].any()
    hand = [place for place, name in enumerate(table.columns) if name.startswith("hand ")]
    for seat, seen in enumerate((mine, left)):
        assert seen["observation"][hand].tolist() == hands(table)[seat]


# Rewards and ends


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), [1, -1]),
        ((1, 1), [0, 0]),
        ((2, 1, 3), [0, 1, -1]),
        ((1, 1, 3, 3), [2 / 3, 2 / 3, -2 / 3, -2 / 3]),
        ((4, 2, 2, 1, 5), [-0.5, 0.25, 0.25, 1, -1]),
    ],
)
def test_a_reward_is_the_share_beaten_minus_the_share_that_beat_it(
    ranks: tuple[int, ...], expected: list[float]
) -> None:
    assert rewards(ranks) == pytest.approx(expected)
    assert sum(rewards(ranks)) == pytest.approx(0)


def test_end_shows_the_final_points_and_rewards_each_seat_once() -> None:
    table = begun("lama", 3)
    list(at_random(table, np.random.default_rng(5)))
    own, paid = table.columns.index("points +0"), {}
    for agent in table.agent_iter():
        seen, reward, terminated, _, _ = table.last()
        assert terminated
        assert not seen["action_mask"].any()
        assert seen["observation"][own] == table.games.points[0, int(agent[-1])]
        paid[agent] = reward
        table.step(None)
    assert set(paid) == set(table.possible_agents)
    assert max(paid.values()) > 0
    assert sum(paid.values()) == pytest.approx(0)
    assert table.agents == []


# Seeds


def test_the_cards_follow_from_the_seed() -> None:
    one, two, third = begun("lama", seed=7), begun("lama", seed=7), begun("lama", seed=8)
    first = one.match_seed
    assert first == two.match_seed != third.match_seed
    one.reset()
    two.reset()
    assert first != one.match_seed == two.match_seed
    third.reset(seed=7)
    assert third.match_seed == first
    assert begun("lama", seed=None).match_seed != begun("lama", seed=None).match_seed


# Bad input


@pytest.mark.parametrize("action", [2, 99, -1])
def test_illegal_action_is_rejected_and_nothing_happens(action: int) -> None:
    table = begun("lama", seed=4)
    before = table.last()[0]
    assert action not in np.flatnonzero(before["action_mask"])
    with pytest.raises(IllegalAction, match="Legal actions: quit, draw"):
        table.step(action)
    assert np.array_equal(table.last()[0]["observation"], before["observation"])


@pytest.mark.parametrize("action", [None, 1.0, "draw"])
def test_action_that_is_not_a_number_is_rejected(action: object) -> None:
    with pytest.raises(InvalidRequest, match="player_0 gave .* Pass the number of a legal action"):
        begun("lama").step(action)


def test_unknown_games_seats_and_render_modes_are_refused() -> None:
    with pytest.raises(UnknownGame):
        env("chess")
    with pytest.raises(BadSeats):
        env("lama", 7)
    with pytest.raises(InvalidRequest, match='"ansi" or None'):
        env("lama", render_mode="rgb_array")


def test_error_without_pettingzoo_names_the_extra_to_install() -> None:
    code = (
        "import sys; sys.modules['pettingzoo'] = None\n"
        "from arena.base.errors import ArenaError\n"
        "try: import arena.learn.environment\n"
        "except ArenaError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("arena.learn.environment needs the extra 'learn' of lama-arena. ")


# Text


def test_it_is_drawn_as_the_deciding_agent_sees_it() -> None:
    table = begun("lama", 3, seed=1, render_mode="ansi")
    drawn = table.render()
    assert drawn is not None
    assert drawn.startswith("L.A.M.A., round 1, player_0: turn\n  player_0: points 0, cards 6\n")
    kinds = table.games.rules.kinds
    hand = [kind for kind, n in zip(kinds, hands(table)[0], strict=True) for _ in range(n)]
    assert f"  hand: {' '.join(hand)}\n" in drawn
    assert "\n  legal: quit, draw" in drawn
    list(at_random(table, np.random.default_rng(1)))
    assert ": the match is over\n" in (table.render() or "")
    assert begun("lama").render() is None
