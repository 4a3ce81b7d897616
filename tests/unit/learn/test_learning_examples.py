"""The examples of docs/learning.md: a bot that searches, a network that is trained, and its bot."""

import asyncio
import importlib
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena.bots import HOUSE
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.learn.selfplay import Lockstep, Table
from arena.sdk import Bot, load_bot, play

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Their folder, from which they import each other; output goes elsewhere."""
    monkeypatch.setenv("POLICY", str(tmp_path / "policy.npz"))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "path", list(sys.path))  # loading a bot adds to it
    yield EXAMPLES
    for name in ("policy_network", "policy_bot", "train_policy", "search_bot"):
        sys.modules.pop(name, None)


@pytest.fixture
def training(examples: Path) -> ModuleType:
    return importlib.import_module("train_policy")


def searching(playouts: int) -> Bot:
    bot: Any = load_bot(f"{EXAMPLES / 'search_bot.py'}:SearchBot")()
    bot.playouts = playouts
    made: Bot = bot
    return made


def views(game: str, count: int) -> Iterator[Any]:
    """Decisions of matches between random players."""
    rng = random.Random(game)
    for number in range(count):
        match = Match(MatchSetup(f"m{number}", game, rng.randbytes(16), (Seat("b"),) * 3))
        while (view := match.decision) is not None:
            yield view
            match.answer(rng.choice([a for a in view.actions if a != "quit"]))


# Search


@pytest.mark.long
@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("game", GAMES)
def test_the_search_bot_plays_every_game_and_the_same_way_again(game: str) -> None:
    bot = searching(24)
    record = play([bot, HOUSE["five"]()], game, seed=2, options={"max_rounds": "2"})
    assert record["result"]["faults"] == [None, None]
    assert record == play([bot, HOUSE["five"]()], game, seed=2, options={"max_rounds": "2"})


@pytest.mark.usefixtures("examples")
def test_the_search_bot_plays_its_last_card_and_gives_back_all_it_can() -> None:
    bot, seen = searching(24), set()
    for view in views("lama", 40):
        best = [action for action in view.actions if action.startswith("play")]
        if view.ask == "return":
            best = [view.actions[-1]]
        elif len(view.hand) > 1 or not best:
            continue
        seen.add(view.ask)
        assert view.actions[view.indices.index(bot.choose(view))] == best[0]
    assert seen == {"turn", "return"}


def test_the_search_bot_has_about_fifty_lines() -> None:
    assert len((EXAMPLES / "search_bot.py").read_text().splitlines()) <= 55


# Training


def network(training: ModuleType, columns: int, actions: int, width: int = 6) -> Any:
    rng = np.random.default_rng(1)
    made = training.Network.begin("lama", 3, rng.normal(size=(9, columns)), actions, rng, width)
    for name, array in made.weights.items():
        made.weights[name] = array.astype(np.float64)
    made.weights["w2"] *= 50  # so that actions differ
    made.weights["w3"] *= 50
    return made


def loss(training: ModuleType, made: Any, sample: Sequence[Any]) -> float:
    """PPO's, as its authors define it."""
    seen, legal, actions, before, advantage, result = sample
    *_, scores, values = made.layers(seen)
    chances = training.probabilities(scores, legal)
    ratio = chances[np.arange(len(seen)), actions] / before
    clipped = np.clip(ratio, 1 - training.CLIP, 1 + training.CLIP)
    gain = np.minimum(ratio * advantage, clipped * advantage).mean()
    logs = np.log(np.where(chances > 0, chances, 1))
    entropy = -(chances * logs).sum(axis=1).mean()
    error = ((values - result) ** 2).mean() / 2
    return float(-gain - training.ENTROPY * entropy + training.VALUE * error)


def test_the_gradients_are_those_of_the_loss(training: ModuleType) -> None:
    rng, made = np.random.default_rng(2), network(training, 5, 4)
    legal = rng.random((40, 4)) < 0.7
    legal[:, 0] = True
    actions = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
    sample = (
        rng.normal(size=(40, 5)), legal, actions, rng.uniform(0.1, 0.9, 40),
        rng.normal(size=40), rng.normal(size=40),
    )  # fmt: skip
    gradients = training.gradients(made, *sample)
    assert set(gradients) == {f"{kind}{layer}" for kind in "wb" for layer in range(4)}
    for name, gradient in gradients.items():
        flat = made.weights[name].reshape(-1)
        for place in range(0, len(flat), 3):
            kept = flat[place]
            flat[place] = kept + 1e-6
            above = loss(training, made, sample)
            flat[place] = kept - 1e-6
            below = loss(training, made, sample)
            flat[place] = kept
            slope = (above - below) / 2e-6
            assert gradient.reshape(-1)[place] == pytest.approx(slope, abs=1e-6), (name, place)


def test_a_decision_is_judged_by_the_rest_of_its_round(training: ModuleType) -> None:
    """One game of two seats; the round ends with the third of five steps."""
    several, forced = np.array([[True, True]]), np.array([[True, False]])
    none = np.array([[0.0, 0.0]], np.float32)
    rewards = [none, none, np.array([[0.5, -0.5]], np.float32), none, none]
    seats, legal = [0, 1, 0, 1, 0], [several, several, several, several, several]
    legal[0] = forced
    said = [
        (np.array([[step]]), legal[step], np.array([0]), np.array([0.5]), np.array([0.0]),
         np.array([seats[step]]), rewards[step], np.array([step == 2]))
        for step in range(5)
    ]  # fmt: skip
    seen, *_, result = training.judged(said, 2)
    # The first was forced; the results of the last two are not known yet.
    assert dict(zip(seen[:, 0].tolist(), result.tolist(), strict=True)) == {2: 0.5, 1: -0.5}


@pytest.mark.long
def test_little_training_beats_random_clearly_and_connects_as_a_bot(
    training: ModuleType, tmp_path: Path
) -> None:
    made = training.train("lama", 3, iterations=8, count=64, steps=64, say=lambda line: None)
    made.save(tmp_path / "policy.npz")
    kind = load_bot(f"{EXAMPLES / 'policy_bot.py'}:PolicyBot")
    assert (kind.games, kind.min_seats, kind.max_seats) == (("lama",), 3, 3)

    bots, matches = [kind(), HOUSE["random"](), HOUSE["random"]()], 60
    tables = [
        Table(n, MatchSetup(f"m{n}", "lama", n.to_bytes(16, "big"), (Seat("b"),) * 3),
              tuple((seat + n) % 3 for seat in range(3)))
        for n in range(matches)
    ]  # fmt: skip
    told = asyncio.run(Lockstep(tables, bots).play())
    assert told.faults == []
    won = {int(m) for m, bot, rank in
           zip(told.rows.match, told.rows.bot, told.rows.rank, strict=True)
           if bot == 0 and rank == 1}  # fmt: skip
    assert len(won) > 0.75 * matches  # by chance a third


def test_equal_seeds_train_equal_networks(training: ModuleType) -> None:
    few = {"iterations": 1, "count": 16, "steps": 48}
    one, two = (training.train("dice", 2, **few) for _ in range(2))
    other = training.train("dice", 2, seed=2, **few)
    assert all(np.array_equal(one.weights[name], two.weights[name]) for name in one.weights)
    assert not np.array_equal(one.weights["w0"], other.weights["w0"])
