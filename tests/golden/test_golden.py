"""The golden files: shuffles, playthroughs and records are the same for ever."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from arena.match import MatchSetup, Seat
from arena.record import export, replay, verify
from tests.golden import vectors

HERE = vectors.HERE


@pytest.mark.parametrize("name", vectors.files())
def test_nothing_that_is_frozen_has_changed(name: str) -> None:
    assert vectors.files()[name] == (HERE / name).read_text()


def test_the_shuffle_can_be_done_from_its_description_alone() -> None:
    """The walk written down once more, as a program in another language would."""
    for vector in json.loads((HERE / "shuffles.json").read_text()):
        seed = bytes.fromhex(vector["seed"])
        for number, expected in vector["decks"].items():
            deck = [card for card in ["1", "2", "3", "4", "5", "6", "llama"] for _ in range(8)]
            material = seed + b"deck" + int(number).to_bytes(4, "big")
            stream = hashlib.shake_256(material).digest(4 * 55)
            for i in range(55, 0, -1):
                word = int.from_bytes(stream[4 * (55 - i) : 4 * (56 - i)], "big")
                j = word * (i + 1) // 2**32
                deck[i], deck[j] = deck[j], deck[i]
            assert " ".join(deck) == expected
        assert hashlib.sha256(b"m1" + seed).hexdigest() == vector["commitment of match 'm1'"]


def golden_records() -> list[Any]:
    lines = [
        line
        for file in sorted(HERE.glob("records-*.jsonl"))
        for line in file.read_text().splitlines()
    ]
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("kept", golden_records(), ids=lambda kept: kept["record"]["id"])
def test_old_records_are_verified_and_their_logs_lead_to_them(kept: Any) -> None:
    told = kept["record"]
    verify(told)
    seats = tuple(Seat(seat["bot"], seat["version"]) for seat in told["seats"])
    seed = bytes.fromhex(told["seed"])
    setup = MatchSetup(told["id"], told["game"], seed, seats, told["options"])
    again = export(replay(setup, bytes.fromhex(kept["log"])))
    for side in (again, told):  # latencies lose precision in the log
        for move in (move for told_round in side["rounds"] for move in told_round["moves"]):
            move.pop("latency_us", None)
    assert json.loads(json.dumps(again)) == told
