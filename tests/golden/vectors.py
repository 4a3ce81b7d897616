"""Writes the golden files anew: python -m tests.golden.vectors. Only for a new ruleset version.

What is frozen: shuffles (for programs in other languages), whole matches with every view and every
offered action, and records that must be readable for ever.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from arena.match import Match, MatchSetup, Seat
from arena.pairing import deal_seed
from arena.record import export, pack
from arena.rules.lama import CARDS, Lama
from arena.rules.shuffles import commitment, shuffled

HERE = Path(__file__).parent
NAMES = ("ann", "bob", "cid", "dot", "eve", "fay")


def shuffle_vectors() -> list[dict[str, Any]]:
    """Seeds, rounds, and the decks that follow; a commitment for each seed."""
    seeds = [bytes(16), bytes(range(16)), deal_seed(7, 0)]
    return [
        {
            "seed": seed.hex(),
            "commitment of match 'm1'": commitment("m1", seed).hex(),
            "decks": {
                str(number): " ".join(CARDS[kind] for kind in shuffled(seed, number, Lama.deck))
                for number in (1, 2, 500)
            },
        }
        for seed in seeds
    ]


def playthrough(seats: int) -> tuple[Match, list[dict[str, Any]]]:
    """A match at so many seats with all that was asked: every view in full, and the choice."""
    rng = random.Random(seats)
    setup = MatchSetup(
        f"golden-{seats}", "lama", deal_seed(7, seats), tuple(Seat(n) for n in NAMES[:seats])
    )
    match = Match(setup)
    asked = []
    while match.decision:
        view = match.decision
        choice = rng.choice(view.actions)
        if choice == "quit" and rng.random() < 0.7:
            choice = view.actions[0]
        asked.append({**view._asdict(), "choice": choice})
        if rng.random() < 0.01:
            match.fail("timeout", "golden", 2_000_000)
        else:
            match.answer(choice, rng.randrange(100, 3000))
    return match, asked


def as_lines(rows: list[dict[str, Any]]) -> str:
    """One row a line, so that a difference shows where it is."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def records() -> list[dict[str, Any]]:
    """The record and the packed log of each playthrough."""
    matches = [playthrough(seats)[0] for seats in range(2, 7)]
    return [{"log": pack(match).hex(), "record": export(match)} for match in matches]


def files() -> dict[str, str]:
    """The golden files as this code would write them."""
    plays = {f"lama-1-{n}.jsonl": as_lines(playthrough(n)[1]) for n in range(2, 7)}
    return {
        "shuffles.json": json.dumps(shuffle_vectors(), indent=1) + "\n",
        "records-lama-1.jsonl": as_lines(records()),
        **plays,
    }


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text)
