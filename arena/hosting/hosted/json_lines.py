"""The messages of programs: one JSON object per line (docs/submitting.md).

The first line of a program is its hello. Each further line answers the oldest open decision, so
there are no tickets.
"""

import dataclasses
import json
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from arena.base import website
from arena.base.errors import InvalidRequest
from arena.games.rules.rows import VERSION as PACKED
from arena.games.rules.view import View
from arena.hosting.submission.files import shown
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded
from arena.sdk.received import views_of

PAGE: Final = "submitting#programs-in-other-languages"
PROTOCOL: Final = 1  # version
LONGEST_SHOWN: Final = 60
MOST: Final = 2**32 - 1
MOST_BLANK: Final = 1000  # bytes of empty lines between two messages

NUMBERS: Final = ("min_seats", "max_seats", "max_in_flight")
HELLO: Final = ("protocol", "games", *NUMBERS, "notices")
ANSWERS: Final = ("action", "index", "error")

Notice = MatchStarted | RoundEnded | Fault | MatchEnded


class JsonLines:
    """The codec of a program: encodes notices and decisions, and decodes messages."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._received = bytearray()
        self._blank = 0  # bytes since the last message
        self._has_hello = False
        self._unanswered = deque[int]()  # tickets

    def encode(self, batch: pb.Batch) -> bytes:
        decisions = []
        for ticket, view, time_ms in _timed(batch):
            self._unanswered.append(ticket)
            decisions.append(decision_line(view, time_ms))
        return b"".join((*map(notice_line, _notices(batch)), *decisions))

    def decode(self, received: bytes) -> Iterator[pb.BotMessage]:
        """Yield the messages that these bytes complete. Raises InvalidRequest."""
        self._received += received
        if b"\n" not in received:  # earlier bytes have none
            self._check_length(len(self._received))
            return
        while (end := self._received.find(b"\n")) >= 0:
            self._check_length(end)
            line = bytes(self._received[:end])
            del self._received[: end + 1]
            if line.strip():
                self._blank = 0
                yield self._message(line)
            else:
                self._blank += len(line) + 1
                self._check_blank()
        self._check_length(len(self._received))

    def _check_length(self, size: int) -> None:
        if size > self._longest:
            raise InvalidRequest(
                f"It wrote a line of more than {self._longest:,} bytes, the limit, to stdout."
                f" {_advice()}"
            )

    def _check_blank(self) -> None:
        """Limit empty lines, which cost the host more than the program."""
        if self._blank > MOST_BLANK:
            raise InvalidRequest(
                f"It wrote more than {MOST_BLANK:,} bytes of empty lines in a row to stdout. Write"
                f" messages only to stdout. {_advice()}"
            )

    def _message(self, line: bytes) -> pb.BotMessage:
        said = parsed(line)
        if not self._has_hello:
            self._has_hello = True
            return pb.BotMessage(hello=hello_of(said))
        if not self._unanswered:
            raise InvalidRequest(
                f"It wrote {_quoted(line)} to stdout, but all decisions are answered. Write one"
                f" answer to each decision. {_advice()}"
            )
        return pb.BotMessage(choices=pb.Choices(choices=[answer_of(said, self._unanswered)]))


# To the program


def decision_line(view: View, time_ms: int) -> bytes:
    fields = view._asdict()
    del fields["key"]
    fields["options"] = dict(view.options)
    return _line({"type": "decision", "time_ms": time_ms, "view": fields})


def notice_line(notice: Notice) -> bytes:
    fields = dataclasses.asdict(notice)
    if isinstance(notice, MatchStarted):
        fields["commitment"] = notice.commitment.hex()
    return _line({"type": TYPES[type(notice)], **fields})


TYPES: Final[Mapping[type[Notice], str]] = {
    MatchStarted: "match_started",
    RoundEnded: "round_ended",
    Fault: "fault",
    MatchEnded: "match_ended",
}


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=True).encode() + b"\n"


def _notices(batch: pb.Batch) -> Iterator[Notice]:
    yield from map(MatchStarted.decode, batch.started)
    yield from map(RoundEnded.decode, batch.rounds)
    yield from map(Fault.decode, batch.faults)
    yield from map(MatchEnded.decode, batch.ended)


def _timed(batch: pb.Batch) -> Iterator[tuple[int, View, int]]:
    for decision in batch.decisions:
        for ticket, view in views_of((decision,), (), b""):
            yield ticket, view, decision.time_ms
    for packed in batch.packed:
        for ticket, view in views_of((), (packed,), b""):
            yield ticket, view, packed.time_ms


# From the program


def hello_of(said: Mapping[str, Any]) -> pb.Hello:
    """Return the hello in the first line. Raises InvalidRequest."""
    _check_keys("The first line", said, HELLO)
    if not _is_number(said.get("protocol")) or said["protocol"] != PROTOCOL:
        raise _wrong("The first line", "protocol", f"must be {PROTOCOL}")
    games = said.get("games")
    if not isinstance(games, list) or not all(isinstance(game, str) for game in games):
        raise _wrong("The first line", "games", 'must be a list such as ["lama"]')
    for name in NUMBERS:
        if not _is_number(said.get(name, 0)):
            raise _wrong("The first line", name, "must be a number from 0")
    if not isinstance(said.get("notices", False), bool):
        raise _wrong("The first line", "notices", "must be true or false")
    return pb.Hello(**{**said, "sdk": "json-lines/1", "packed": PACKED})


def answer_of(said: Mapping[str, Any], unanswered: deque[int]) -> pb.Choice:
    """Return the answer to the first of these decisions, and remove that. Raises InvalidRequest."""
    _check_keys("An answer", said, ANSWERS)
    if len(said) != 1:
        either = f"{', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}"
        raise InvalidRequest(f"An answer is invalid: set one of {either}. {_advice()}")
    ((kind, value),) = said.items()
    if kind == "index" and not _is_number(value):
        raise _wrong("An answer", kind, "must be one of view.indices")
    if kind != "index" and not isinstance(value, str):
        raise _wrong("An answer", kind, "must be a string")
    return pb.Choice(ticket=unanswered.popleft(), **said)


def parsed(line: bytes) -> Mapping[str, Any]:
    """Parse the JSON object on a line. Raises InvalidRequest."""
    try:
        said = json.loads(line)
        json.dumps(said, ensure_ascii=False).encode()  # fails for lone surrogates
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise InvalidRequest(
            f"It wrote {_quoted(line)} to stdout, which is not a JSON object. Write messages only"
            f" to stdout, and everything else to stderr. {_advice()}"
        )
    return said


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST


def _check_keys(what: str, said: Collection[str], known: Collection[str]) -> None:
    for key in said:
        if key not in known:
            raise _wrong(what, shown(key), f"is an unknown key; the keys are {', '.join(known)}")


def _wrong(what: str, key: str, rule: str) -> InvalidRequest:
    return InvalidRequest(f'{what} is invalid: "{key}" {rule}. {_advice()}')


def _quoted(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    more = "…" if len(text) > LONGEST_SHOWN else ""
    return f'"{shown(text)}{more}"'


def _advice() -> str:
    return f"See {website.docs(PAGE)}"
