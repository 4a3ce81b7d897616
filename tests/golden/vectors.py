"""Rewrites the golden files: python -m tests.golden.vectors. Only for a new ruleset version.

What is frozen: shuffles and rolls (for programs in other languages), matches with every view and
every offered action, and records that must be readable for ever.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import pack
from arena.games.record import export
from arena.games.rules import GAMES, Game, View
from arena.games.rules.dice import Dice
from arena.games.rules.dice_rolls import rolled
from arena.games.rules.shuffles import commitment, shuffled
from arena.tournaments.formats import deal_seed

HERE = Path(__file__).parent
NAMES = ("ann", "bob", "cid", "dot", "eve", "fay")
SEEDS = (bytes(16), bytes(range(16)), deal_seed(7, 0))
FILE_LIMIT = 40_000  # bytes of a playthrough

# Other options than the defaults, played at three seats.
OPTIONS = {
    "dice": {"dice.faces": "1 2 3 5 llama llama / 1 2 4 6 llama llama / 3 4 5 6 llama llama"},
    "kadabra": {"kadabra.specials": "1o:4 2#:3 3*:2 6#:1 6*:1"},
}


def shuffle_vectors() -> list[dict[str, Any]]:
    """Seeds, rounds, and the decks that follow in each game; a commitment for each seed."""
    return [
        {
            "seed": seed.hex(),
            "commitment of match 'm1'": commitment("m1", seed).hex(),
            "decks": {name: decks(kind, seed) for name, kind in GAMES.items()},
        }
        for seed in SEEDS
    ]


def decks(kind: type[Game], seed: bytes) -> dict[str, str]:
    """The cards of some rounds, the top one first."""
    return {
        str(number): " ".join(kind.kinds[card] for card in shuffled(seed, number, kind.deck))
        for number in (1, 2, 500)
    }


def roll_vectors() -> list[dict[str, Any]]:
    """Seeds, faces, rounds, and the first rolls of each round."""
    return [
        {
            "seed": seed.hex(),
            "faces": game.options["dice.faces"],
            "rolls": {str(number): rolls(game, number) for number in (1, 2, 500)},
        }
        for seed in SEEDS
        for game in (Dice(2, seed), Dice(2, seed, OPTIONS["dice"]))
    ]


def rolls(game: Dice, number: int) -> list[str]:
    """The first rolls of a round."""
    dice = [rolled(game.seed, number, roll, game.faces) for roll in range(1, 11)]
    return [" ".join(Dice.kinds[value] for value in shown) for shown in dice]


def choose(view: View, rng: random.Random) -> str:
    """A random action that rarely quits and prefers rare actions."""
    rare = [a for a in view.actions if a.split()[0] in ("swap", "collect", "return")]
    if rare and rng.random() < 0.5:
        return rng.choice(rare)
    choice = rng.choice(view.actions)
    return view.actions[0] if choice == "quit" and rng.random() < 0.8 else choice


def playthrough(game: str, seats: int) -> tuple[Match, list[dict[str, Any]]]:
    """A match at so many seats with all that was asked: every view in full, and the choice.

    It is played to its end or, where that would be long, for two rounds or one.
    """
    for rounds in (500, 2):
        match, asked = play(game, seats, rounds)
        if len(as_lines(asked)) < FILE_LIMIT:
            return match, asked
    return play(game, seats, rounds=1)


def play(game: str, seats: int, rounds: int) -> tuple[Match, list[dict[str, Any]]]:
    """The same with so many rounds at most."""
    rng = random.Random(f"{game} {seats}")
    options = {"max_rounds": str(rounds)} | (OPTIONS.get(game, {}) if seats == 3 else {})
    names = tuple(Seat(name) for name in NAMES[:seats])
    match = Match(MatchSetup(f"{game}-{seats}", game, deal_seed(7, seats), names, options))
    asked: list[dict[str, Any]] = []
    before = ""  # the moves of the round in earlier lines
    while match.decision:
        view, choice = match.decision, choose(match.decision, rng)
        asked.append({**shown(view, before), "choice": choice})
        before = view.moves
        if rng.random() < 0.02:
            match.fail("timeout", "golden", 2_000_000)
        else:
            match.answer(choice, rng.randrange(100, 3000))
    return match, asked


def shown(view: View, before: str) -> dict[str, Any]:
    """A view without what its game does not have, and with those moves only that are new."""
    told = {name: value for name, value in view._asdict().items() if value not in ("", (), b"")}
    if before and view.moves.startswith(before):
        told["moves"] = "..." + view.moves.removeprefix(before)
    return told


def as_lines(rows: list[dict[str, Any]]) -> str:
    """One row a line, so that a difference shows where it is."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def records(game: str) -> list[dict[str, Any]]:
    """The record and the packed log of each playthrough."""
    matches = [playthrough(game, seats)[0] for seats in range(2, 7)]
    return [{"log": pack(match).hex(), "record": export(match)} for match in matches]


def files() -> Iterator[tuple[str, str]]:
    """The golden files as this code would write them."""
    yield "shuffles.json", json.dumps(shuffle_vectors(), indent=1) + "\n"
    yield "rolls.json", json.dumps(roll_vectors(), indent=1) + "\n"
    for name, kind in GAMES.items():
        stem = kind.ruleset.replace("/", "-")
        yield f"records-{stem}.jsonl", as_lines(records(name))
        for seats in range(2, 7):
            yield f"{stem}-{seats}.jsonl", as_lines(playthrough(name, seats)[1])


if __name__ == "__main__":
    for file, text in files():
        (HERE / file).write_text(text)
