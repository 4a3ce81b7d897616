"""`arena views`: decisions that another language's tests can read."""

import base64
import io
import json
import subprocess
import sys

import pytest
from google.protobuf.proto import parse_length_prefixed

from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES
from arena.kit import commands
from arena.kit.views import decisions
from arena.protocol.decisions import decode_view
from arena.protocol.v1 import play_pb2 as pb


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert commands.run("views", words) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_each_line_has_the_view_its_legal_answers_and_the_message(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, game, "--count", "120")
    assert len(lines) == 120
    seats, phases = set(), set()
    for line in lines:
        told = json.loads(line)
        message = pb.Decision.FromString(base64.b64decode(told["message"]))
        view = decode_view(message.view)
        assert told["legal"] == {"actions": list(view.actions), "indices": list(view.indices)}
        assert told["view"]["hand"] == list(view.hand)
        assert told["view"]["ask"] == view.ask
        seats.add(len(view.hand_sizes))
        phases.add(view.ask)
    assert seats == set(range(2, 7))
    assert "turn" in phases
    assert len(phases) > 1


def test_the_same_arguments_give_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    once = printed(capsys, "dice", "--count", "30", "--seed", "5")
    assert printed(capsys, "dice", "--count", "30", "--seed", "5") == once
    assert printed(capsys, "dice", "--count", "30", "--seed", "6") != once
    assert printed(capsys, "dice", "--count", "9", "--seed", "5") == once[:9]


def test_binary_is_the_messages_with_their_lengths() -> None:
    command = [sys.executable, "-m", "arena.kit", "views", "party", "--count", "40", "--binary"]
    data = io.BytesIO(subprocess.run(command, capture_output=True, check=True).stdout)
    found = [parse_length_prefixed(pb.Decision, data) for _ in range(40)]
    assert found == list(decisions("party", 40))
    assert not data.read()


@pytest.mark.parametrize("count", ["0", "1000000"])
def test_a_count_out_of_range_is_refused(count: str) -> None:
    with pytest.raises(InvalidRequest, match="must be from 1 to 100000"):
        commands.run("views", ["lama", "--count", count])
