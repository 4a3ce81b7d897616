"""Plays many games as a batch and one by one with `arena.games.rules`, and compares each state."""

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games, batch_class
from arena.games.batch.chance import AS_IN_ARENA
from arena.games.batch.dice import DiceGames
from arena.games.batch.kadabra import KadabraGames
from arena.games.batch.shedding import SheddingGames
from arena.games.batch.tokens import TokenGames
from arena.games.rules.dice import Dice
from arena.games.rules.game import Game
from arena.games.rules.kadabra import Kadabra
from arena.games.rules.shedding import SheddingGame

SEED = bytes(range(16))

# Weights of actions relative to others, by their first word or words.
STYLES: tuple[Mapping[str, float], ...] = (
    {},
    {"quit": 0.02},
    {"quit": 0.01, "play": 9, "collect": 0.2, "discard": 4},
    {"quit": 0.01, "draw": 30},
    {"quit": 4},
    {"quit": 9, "play": 0.02},
    {"quit": 0.01, "play llama": 50, "collect": 0.1, "swap": 0.1},
    {"quit": 0.05, "play 1o": 30, "keep": 9, "return magic": 0.1},
    {"quit": 0.002, "play": 30, "draw": 0.05, "discard": 20, "return 10": 30, "return 20": 90},
)


def both_ways(
    name: str, seats: int, count: int, options: Mapping[str, str] | None = None, seed: int = 1
) -> Counter[str]:
    """Plays `count` matches to their end, with assertions after every decision. Returns counts of
    rare events."""
    games = batch_class(name)(count, seats, SEED, options, AS_IN_ARENA)
    alone = [games.rules(seats, games.seed_of(game), options) for game in range(count)]
    rng, happened = np.random.default_rng(seed), Counter[str]()
    weights = _weights(games.rules.notation, rng, count)
    compare_states(games, alone)
    going = list(range(count))
    while going:
        haste = rng.exponential(size=weights.shape) / weights
        actions = np.where(games.legal, haste, np.inf).argmin(axis=1)
        for game, action in zip(alone, actions.tolist(), strict=True):
            if not game.finished:
                happened.update(situations(game, action))
                game.apply(action)
        games.step(actions)
        compare_states(games, alone, going)
        going = [game for game in going if not alone[game].finished]
    compare_states(games, alone)
    return happened


def _weights(
    notation: tuple[str, ...], rng: np.random.Generator, count: int
) -> npt.NDArray[np.float64]:
    """A style for each game: (count, A)."""
    by_style = [
        [
            next((w for words, w in style.items() if text.startswith(words)), 1.0)
            for text in notation
        ]
        for style in STYLES
    ]
    return np.array(by_style)[rng.integers(len(STYLES), size=count)]


def situations(game: Game, action: int) -> list[str]:
    """Rare events that a test should cover, in the words of the rules."""
    text = game.notation[action]
    found = [game.phase, text]
    if game.in_round == 1:
        found.append(f"{game.phase} alone")
    if isinstance(game, SheddingGame) and game.drawn == len(game.log.deck):
        found.append("empty pile")
    if text == "quit" and game.in_round == 1 and not any(a > 1 for _, a in game.log.moves):
        found.append("all quit without a card played")
    if text.startswith("play") and isinstance(game, SheddingGame) and game.sizes[game.seat] == 1:
        found.append(f"last card {text.split()[1]}")
    return found


def compare_states(games: Games, alone: list[Game], which: Iterable[int] | None = None) -> None:
    """Asserts that the batch and the single games, or some of them, have the same states."""
    told = _of_batch(games)
    for number in range(len(alone)) if which is None else which:
        for what, single in _of_single(alone[number]).items():
            batch = told[what][number]
            assert batch == single, f"game {number}, {what}: batch {batch}, alone {single}"


def _of_batch(games: Games) -> dict[str, list[object]]:
    told: dict[str, npt.NDArray[np.generic]] = {
        "seat": games.seat,
        "round": games.round,
        "starter": games.starter,
        "finished": games.finished,
        "active": games.active,
        "points": games.points,
        "penalties": games.penalties,
    }
    if isinstance(games, SheddingGames):
        told |= {"hands": games.hands, "sizes": games.sizes, "top": games.top, "start": games.start}
        told |= {"drawn": games.drawn, "deck": games.decks}
    if isinstance(games, TokenGames):
        told |= {"whites": games.whites, "blacks": games.blacks}
    if isinstance(games, KadabraGames):
        told |= {"magic": games.magic, "armed": games.armed}
        told |= {"stage whites": games.stage_whites, "stage blacks": games.stage_blacks}
    if isinstance(games, DiceGames):
        told |= {"rows": games.rows, "llama row": games.llama_row, "dice": games.dice}
    lists = {what: array.tolist() for what, array in told.items()}
    phases = [games.rules.phases[phase] if phase >= 0 else "" for phase in games.phase]
    legal = [flags.nonzero()[0].tolist() for flags in games.legal]
    return {**lists, "phase": list(phases), "legal": list(legal)}


def _of_single(game: Game) -> dict[str, object]:
    scored = [log.penalties for log in game.rounds if log.penalties]
    told: dict[str, object] = {
        "seat": game.seat,
        "round": game.round,
        "starter": game.log.starter,
        "finished": game.finished,
        "active": game.active,
        "points": game.points,
        "penalties": scored[-1] if scored else [0] * game.seats,
        "phase": game.phase,
        "legal": sorted(game.legal_actions),
    }
    if isinstance(game, SheddingGame):
        told |= {"hands": game.hands, "sizes": game.sizes, "top": game.top, "start": game.start}
        told |= {"drawn": game.drawn, "deck": game.log.deck}
    if isinstance(game, Dice | Kadabra):
        told |= {"whites": [tokens.whites for tokens in game.tokens]}
        told |= {"blacks": [tokens.blacks for tokens in game.tokens]}
    if isinstance(game, Kadabra):
        told |= {"magic": game.magic, "armed": game.armed}
        told |= {"stage whites": game.stage.whites, "stage blacks": game.stage.blacks}
    if isinstance(game, Dice):
        told |= {"rows": game.rows, "llama row": [bool(held) for held in game.llama_row]}
        told |= {"dice": list(game.dice) or [-1, -1, -1]}
    return told
