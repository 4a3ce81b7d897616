"""Random play in the engines of others: run by their Python, which has nothing of ours.

    PYTHON peer_games.py NAME SECONDS SEED

prints how many decisions a second. Each engine is used as its own documentation shows.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

SEATS = 4


def crazy_eights(rng: random.Random) -> Iterator[int]:
    """OpenSpiel, written in C++. Shuffling and drawing are moves of chance there."""
    import pyspiel  # type: ignore[import-not-found]

    game = pyspiel.load_game("crazy_eights", {"players": SEATS})
    while True:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])  # all as likely
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        yield decisions


def uno(rng: random.Random) -> Iterator[int]:
    """RLCard; its game without the observations that its environment makes of each state."""
    from rlcard.games.uno import Game  # type: ignore[import-not-found]

    game: Any = Game(num_players=SEATS)
    while True:
        game.init_game()
        decisions = 0
        while not game.is_over():
            game.step(rng.choice(game.get_legal_actions()))
            decisions += 1
        yield decisions


def texas_holdem(rng: random.Random) -> Iterator[int]:
    """PettingZoo, around RLCard; with the observations that come with each step."""
    from pettingzoo.classic import texas_holdem_v4

    env: Any = texas_holdem_v4.env(num_players=SEATS)
    while True:
        env.reset(seed=rng.getrandbits(31))
        decisions = 0
        for _ in env.agent_iter():
            seen, _, ended, cut, _ = env.last()
            if ended or cut:
                env.step(None)
            else:
                env.step(rng.choice(seen["action_mask"].nonzero()[0]))
                decisions += 1
        yield decisions


GAMES: dict[str, Callable[[random.Random], Iterator[int]]] = {
    "crazy_eights": crazy_eights,
    "uno": uno,
    "texas_holdem": texas_holdem,
}


def main(name: str, seconds: str, seed: str) -> None:
    """Plays for so long; the first match, in which much is loaded, does not count."""
    matches = GAMES[name](random.Random(int(seed)))
    next(matches)
    began, decisions = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - began) < float(seconds):
        decisions += next(matches)
    sys.stdout.write(f"{decisions / elapsed}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
