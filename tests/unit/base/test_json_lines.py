"""The lines that hosted programs read and write."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.base.errors import InvalidRequest
from arena.games.rules.view import View
from arena.hosting.hosted import json_lines
from arena.hosting.hosted.json_lines import JsonLines
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded
from tests.attacks.playing import decision

HELLO = b'{"protocol": 1, "games": ["lama", "dice"], "max_in_flight": 4}\n'
PAGE = (Path(__file__).parents[3] / "docs/submitting.md").read_text()
SECTION = PAGE.partition("## Programs in other languages\n")[2].partition("\n## ")[0]


def asked(*tickets: int) -> JsonLines:
    """A program that has said hello and holds these decisions."""
    codec = JsonLines(1000)
    list(codec.decode(HELLO))
    for ticket in tickets:
        codec.encode(decision(ticket))
    return codec


def test_the_first_line_is_a_hello() -> None:
    [message] = JsonLines(1000).decode(HELLO)

    hello = message.hello
    assert list(hello.games) == ["lama", "dice"]
    assert (hello.max_in_flight, hello.notices, hello.min_seats) == (4, False, 0)


def test_answers_are_for_the_decisions_in_their_order() -> None:
    codec = asked(7, 2**63, 9)

    said = b'{"index": 3}\r\n\n{"action": "draw"}\n{"error": "no idea"}\n'
    choices = [message.choices.choices[0] for message in codec.decode(said)]

    assert [(one.ticket, one.index, one.action, one.error) for one in choices] == [
        (7, 3, "", ""),
        (2**63, 0, "draw", ""),
        (9, 0, "", "no idea"),
    ]


@given(st.integers(1, 9))
def test_lines_may_come_in_pieces(step: int) -> None:
    codec, said = asked(7, 8), b'{"index": 3}\n{"index": 1}\n'
    pieces = (said[start : start + step] for start in range(0, len(said), step))
    assert len([one for piece in pieces for one in codec.decode(piece)]) == 2


def test_a_decision_is_a_line_with_all_that_the_view_has() -> None:
    line = json.loads(JsonLines(1000).encode(decision(5)))

    assert (line["type"], line["time_ms"]) == ("decision", 300)
    assert list(line["view"]) == [name for name in View._fields if name != "key"]
    assert set(line["view"]) == set(pb.View.DESCRIPTOR.fields_by_name)  # as the page says
    assert line["view"]["options"] == {}


def test_notices_come_before_decisions() -> None:
    batch = decision(5)
    batch.started.add(match="m", commitment=b"\x01")
    batch.ended.add(match="n", points=[1, 2])
    batch.faults.add(match="m", kind="illegal")

    lines = [json.loads(line) for line in JsonLines(1000).encode(batch).splitlines()]

    assert [line["type"] for line in lines] == ["match_started", "fault", "match_ended", "decision"]
    assert (lines[0]["commitment"], lines[2]["points"]) == ("01", [1, 2])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hello", 'It wrote "hello" to stdout, which is not a JSON object'),
        ("[1]", "is not a JSON object"),
        ("[" * 900, "is not a JSON object"),
        ("9" * 900, "is not a JSON object"),
        ('{"protocol": 1, "games": ["\\ud800"]}', "is not a JSON object"),
        ('{"games": ["lama"]}', '"protocol" must be 1'),
        ('{"protocol": 2, "games": ["lama"]}', '"protocol" must be 1'),
        ('{"protocol": 1.0, "games": ["lama"]}', '"protocol" must be 1'),
        ('{"protocol": true, "games": ["lama"]}', '"protocol" must be 1'),
        ('{"protocol": 1}', '"games" must be a list'),
        ('{"protocol": 1, "games": "lama"}', '"games" must be a list'),
        (
            '{"protocol": 1, "games": ["lama"], "max_inflight": 3}',
            '"max_inflight" is an unknown key',
        ),
        ('{"protocol": 1, "games": ["lama"], "min_seats": -1}', '"min_seats" must be a number'),
        ('{"protocol": 1, "games": ["lama"], "notices": 1}', '"notices" must be true or false'),
    ],
)
def test_a_first_line_that_is_wrong_is_explained(line: str, reason: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        list(JsonLines(1000).decode(f"{line}\n".encode()))
    assert reason in str(error.value)
    assert "/docs/submitting#programs-in-other-languages" in str(error.value)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("play 4", "Write messages only to stdout, and everything else to stderr"),
        ("{}", "set one of action, index or error"),
        ('{"action": "draw", "index": 1}', "set one of action, index or error"),
        ('{"action": 4}', '"action" must be a string'),
        ('{"index": "4"}', '"index" must be one of view.indices'),
        ('{"index": true}', '"index" must be one of view.indices'),
        ('{"index": 4294967296}', '"index" must be one of view.indices'),
        ('{"move": "draw"}', '"move" is an unknown key; the keys are action, index, error'),
    ],
)
def test_an_answer_that_is_wrong_is_explained(line: str, reason: str) -> None:
    with pytest.raises(InvalidRequest, match="An answer is invalid|It wrote") as error:
        list(asked(1).decode(f"{line}\n".encode()))
    assert reason in str(error.value)


def test_an_answer_to_nothing_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="but all decisions are answered"):
        list(asked(1).decode(b'{"index": 3}\n{"index": 3}\n'))


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="a line of more than 1,000 bytes"):
        list(JsonLines(1000).decode(b"x" * 1001))


def test_empty_lines_without_end_are_refused() -> None:
    codec = asked(1, 2)
    for _ in range(2):  # some between messages do no harm
        assert len(list(codec.decode(500 * b" \n" + b'{"index": 3}\n'))) == 1
    with pytest.raises(InvalidRequest, match="more than 1,000 bytes of empty lines"):
        list(codec.decode(500 * b" \n" + b"\n"))


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_line_does_more_harm_than_that(received: bytes) -> None:
    for codec in (JsonLines(50), asked(1)):
        with suppress(InvalidRequest):
            assert all(isinstance(one, pb.BotMessage) for one in codec.decode(received + b"\n"))


def keys(table: int) -> list[str]:
    """The keys in the first column of a table of the page."""
    found = re.split(r"\|(?:---\|)+", SECTION)[table]
    found = found.partition("\n\n")[0]
    rows = [row.split("|")[1] for row in found.splitlines() if row.startswith("| `")]
    return [key.strip(" `") for row in rows for key in row.split(",")]


def test_the_page_lists_every_key() -> None:
    hello, answers, types = map(keys, (1, 2, 3))

    assert sorted(hello) == sorted(json_lines.HELLO)
    assert tuple(answers) == json_lines.ANSWERS
    assert types == ["decision", *json_lines.TYPES.values()]
    rows = {row.split("|")[1].strip(" `"): row for row in SECTION.splitlines() if "|" in row}
    for kind in (MatchStarted, RoundEnded, Fault, MatchEnded):
        row = rows[json_lines.TYPES[kind]]
        assert all(f"`{name}`" in row for name in kind.__slots__)
