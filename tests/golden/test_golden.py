"""The golden files: shuffles, rolls, playthroughs and records are the same for ever."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from arena.games.match import MatchSetup, Seat
from arena.games.packed_log import replay
from arena.games.record import export, verify
from arena.games.rules import GAMES
from tests.golden import vectors

HERE = vectors.HERE
WRITTEN = dict(vectors.files())
KEPT = [file.name for file in sorted(HERE.glob("*.json*"))]

# The decks in the order before the shuffle, as in docs/data.md.
DECKS = {
    "lama": [card for card in ["1", "2", "3", "4", "5", "6", "llama"] for _ in range(8)],
    "party": [
        *[c for n in range(1, 7) for c in (*[f"{n}"] * 7, f"{n}+")], *["llama"] * 7, "pink",
    ],
    "dice": [*[n for n in "123456" for _ in range(5)], *["llama"] * 6],
    "kadabra": [
        *["1o"] * 8, *["2"] * 5, "2#", "2*", "2/3", "2/3", *["3"] * 5, "3#", "3*",
        *["4"] * 5, "4#", "4*", "4/5", "4/5", *["5"] * 5, "5#", "5*",
        *["6"] * 6, "6#", "6*", *["llama"] * 12,
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_nothing_that_is_frozen_has_changed(name: str) -> None:
    assert (HERE / name).read_text() == WRITTEN[name]


def vectors_of(name: str) -> list[Any]:
    found: list[Any] = json.loads((HERE / name).read_text())
    return found


def words(seed: bytes, material: bytes, count: int) -> Iterator[int]:
    """Big-endian numbers of four bytes from SHAKE-256(seed ‖ material)."""
    stream = hashlib.shake_256(seed + material).digest(4 * count)
    return (int.from_bytes(stream[4 * i : 4 * i + 4], "big") for i in range(count))


@pytest.mark.parametrize("game", GAMES)
def test_the_shuffle_can_be_done_from_its_description_alone(game: str) -> None:
    """The algorithm as a program in another language would implement it."""
    for vector in vectors_of("shuffles.json"):
        seed = bytes.fromhex(vector["seed"])
        for number, expected in vector["decks"][game].items():
            deck = list(DECKS[game])
            stream = words(seed, b"deck" + int(number).to_bytes(4, "big"), len(deck) - 1)
            for i in range(len(deck) - 1, 0, -1):
                j = next(stream) * (i + 1) // 2**32
                deck[i], deck[j] = deck[j], deck[i]
            assert " ".join(deck) == expected
        assert hashlib.sha256(b"m1" + seed).hexdigest() == vector["commitment of match 'm1'"]


def test_the_rolls_can_be_done_from_their_description_alone() -> None:
    for vector in vectors_of("rolls.json"):
        seed = bytes.fromhex(vector["seed"])
        dice = [die.split() for die in vector["faces"].split(" / ")]
        for number, expected in vector["rolls"].items():
            for roll, shown in enumerate(expected, 1):
                material = b"dice" + int(number).to_bytes(4, "big") + roll.to_bytes(4, "big")
                stream = words(seed, material, 3)
                assert " ".join(die[6 * next(stream) // 2**32] for die in dice) == shown


# Playthroughs

SEEN = {
    "lama": ["play llama", "draw", "quit", "return 10"],
    "party": ["play 3+", "play pink", "keep"],
    "dice": ["roll", "discard 2", "discard 4 llama", "take 5", "return 10"],
    "kadabra": ["play 1o", "give +2", "swap", "collect", "return magic", "play 2/3"],
}


@pytest.mark.parametrize("game", GAMES)
def test_playthroughs_are_small_and_cover_the_game(game: str) -> None:
    files = [name for name in KEPT if name.startswith(f"{game}-")]
    assert len(files) >= 5
    assert all((HERE / name).stat().st_size < vectors.FILE_LIMIT for name in files)
    lines = [line for name in files for line in (HERE / name).read_text().splitlines()]
    chosen = {json.loads(line)["choice"] for line in lines}
    assert chosen >= set(SEEN[game])


# Records


def golden_records() -> list[Any]:
    files = [name for name in KEPT if name.startswith("records-")]
    return [json.loads(line) for name in files for line in (HERE / name).read_text().splitlines()]


def test_every_ruleset_version_has_records() -> None:
    told = {kept["record"]["ruleset"] for kept in golden_records()}
    for kind in GAMES.values():
        newest = int(re.fullmatch(rf"{kind.name}/([1-9]\d*)", kind.ruleset)[1])  # type: ignore[index]
        assert told >= {f"{kind.name}/{version}" for version in range(1, newest + 1)}


@pytest.mark.parametrize("kept", golden_records(), ids=lambda kept: kept["record"]["id"])
def test_old_records_are_verified_and_their_logs_lead_to_them(kept: Any) -> None:
    told = kept["record"]
    verify(told)
    seats = tuple(Seat(seat["bot"], seat["version"]) for seat in told["seats"])
    seed = bytes.fromhex(told["seed"])
    setup = MatchSetup(
        told["id"], told["game"], seed, seats, told["options"], ruleset=told["ruleset"]
    )
    again = export(replay(setup, bytes.fromhex(kept["log"])))
    for side in (again, told):  # latencies lose precision in the log
        for move in (move for told_round in side["rounds"] for move in told_round["moves"]):
            move.pop("latency_us", None)
    assert json.loads(json.dumps(again)) == told
