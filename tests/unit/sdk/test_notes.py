"""A bot's notes: limits, and nothing is sent before the match is over."""

import asyncio
from collections.abc import Iterator
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Bot, View, note_sender, notes, play
from arena.sdk.note_sender import NoteSender
from arena.sdk.notes import LONGEST, MOST_BYTES, MOST_MATCHES, Notebook, SeatNotes
from arena.sdk.session import Session

CODE = grpc.StatusCode


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    notes._told.clear()
    yield
    notes._told.clear()


def view_of(match: str = "m", number: int = 1) -> View:
    made = Match(MatchSetup(match, "lama", bytes(16), tuple(map(Seat, "ab")))).decision
    assert made is not None
    return made._replace(number=number)


def texts(notebook: Notebook, match: str = "m") -> dict[int, str]:
    (found,) = notebook.take(match)
    return dict(found.texts)


def test_notes_are_kept_by_match_and_decision_until_they_are_taken() -> None:
    book = Notebook()

    book.add(view_of(), " first \n")
    book.add(view_of(), "second")
    book.add(view_of(number=4), "later")
    book.add(view_of(number=5), "  ")
    book.add(view_of("other"), "elsewhere")

    assert texts(book) == {1: "first\nsecond", 4: "later"}
    assert book.take("m") == []
    assert texts(book, "other") == {1: "elsewhere"}


def test_a_long_note_ends_with_an_ellipsis_and_half_a_character_is_replaced() -> None:
    book = Notebook()

    book.add(view_of(), "x" * LONGEST)
    book.add(view_of(number=2), "y" * (LONGEST + 1))
    book.add(view_of(number=3), "a\ud800b")

    found = texts(book)
    assert found[1] == "x" * LONGEST
    assert found[2] == "y" * (LONGEST - 1) + "…"
    assert found[3] == "a?b"


def test_notes_beyond_the_size_of_a_match_are_dropped_with_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    book = Notebook()

    for number in range(1, 200):
        book.add(view_of(number=number), "ä" * LONGEST)
    book.add(view_of(number=1), "Nothing can be added.")

    found = texts(book)
    assert list(found) == list(range(1, len(found) + 1))
    assert sum(len(text.encode()) for text in found.values()) <= MOST_BYTES
    assert len(found) == MOST_BYTES // (2 * LONGEST)
    assert capsys.readouterr().err == f"{notes.FULL}\n"


def test_the_oldest_of_too_many_matches_lose_their_notes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    book = Notebook()

    for number in range(MOST_MATCHES + 2):
        book.add(view_of(f"m{number}"), "text")

    assert book.take("m1") == []
    assert texts(book, "m2") == {1: "text"}
    assert capsys.readouterr().err == f"{notes.MANY}\n"


class Noting(Bot):
    takes_notes = True

    def choose(self, view: View) -> str:
        self.note(view, f"Secret of {view.number}")
        return view.actions[-1]


class Forgetful(Noting):
    takes_notes = False


def test_a_bot_that_forgot_to_declare_notes_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    play([Forgetful(), Forgetful()], seed=1)

    assert capsys.readouterr().err == f"{notes.NOT_TAKEN}\n"


def test_without_a_connection_notes_are_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    bot = Noting()

    play([bot, Noting()], seed=1)

    assert bot.notebook is None
    assert capsys.readouterr().err == ""


def test_a_bot_with_notes_is_told_when_matches_end() -> None:
    assert Noting().wants_notices()
    assert not Forgetful().wants_notices()


class Stream:
    """A stream that sends these batches and keeps all that the bot writes."""

    def __init__(self, *batches: pb.Batch) -> None:
        self.left = [pb.ArenaMessage(batch=batch) for batch in batches]
        self.written: list[bytes] = []

    async def read(self) -> pb.ArenaMessage | None:
        await asyncio.sleep(0.01)  # for the writer
        return self.left.pop(0) if self.left else None

    async def write(self, message: pb.BotMessage) -> None:
        self.written.append(message.SerializeToString())


def asked(number: int) -> pb.Batch:
    view = pb.View(match="m", number=number, game="lama", actions=["draw", "quit"], indices=[1, 0])
    return pb.Batch(decisions=[pb.Decision(ticket=number, view=view)])


def test_nothing_of_a_note_leaves_before_the_match_has_ended() -> None:
    posted: list[SeatNotes] = []
    bot = Noting()
    bot.notebook = Notebook()

    def session(stream: Any) -> None:
        asyncio.run(Session(bot, stream, lambda _: None, posted.append).run())

    playing = Stream(asked(1), asked(2), pb.Batch(ended=[pb.MatchEnded(match="other")]))
    session(playing)
    assert len(playing.written) == 2
    assert b"Secret" not in b"".join(playing.written)
    assert posted == []

    session(Stream(pb.Batch(ended=[pb.MatchEnded(match="m")])))
    assert posted == [SeatNotes("m", 0, {1: "Secret of 1", 2: "Secret of 2"})]


class Arena:
    """Answers calls with these statuses, the last one again and again."""

    def __init__(self, *codes: grpc.StatusCode) -> None:
        self.codes, self.sent = list(codes), list[pb.MatchNotes]()

    async def send(self, message: pb.MatchNotes) -> None:
        self.sent.append(message)
        code = self.codes.pop(0) if len(self.codes) > 1 else self.codes[0]
        if code != CODE.OK:
            raise grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "Why.")


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses of the sender, which take no time."""
    found, sleep = list[float](), asyncio.sleep

    async def instant(seconds: float) -> None:
        found.append(seconds)
        await sleep(0)

    monkeypatch.setattr("arena.sdk.note_sender.asyncio.sleep", instant)
    return found


def deliver(arena: Arena, *posted: SeatNotes) -> None:
    async def run() -> None:
        with NoteSender(arena.send) as sender:
            for each in posted:
                sender.post(each)
            while sender._tasks:
                await asyncio.wait(sender._tasks)

    asyncio.run(run())


NOTES = SeatNotes("m", 1, {3: "a", 7: "b"})


def test_notes_are_sent_again_until_the_result_is_stored(
    slept: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    arena = Arena(CODE.NOT_FOUND, CODE.UNAVAILABLE, CODE.OK)

    deliver(arena, NOTES)

    sent = pb.MatchNotes(
        match="m", seat=1, notes=[pb.Note(number=3, text="a"), pb.Note(number=7, text="b")]
    )
    assert arena.sent == [sent] * 3
    assert slept == [1, 1, 3, 1, 10, 1]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("code", "calls", "told"),
    [
        (CODE.NOT_FOUND, 5, True),
        (CODE.INVALID_ARGUMENT, 1, True),
        (CODE.UNIMPLEMENTED, 1, True),
        (CODE.ALREADY_EXISTS, 1, False),
    ],
)
def test_notes_that_the_arena_refuses_are_given_up_with_a_line(
    slept: list[float],
    capsys: pytest.CaptureFixture[str],
    code: grpc.StatusCode,
    calls: int,
    told: bool,
) -> None:
    arena = Arena(code)

    deliver(arena, NOTES)

    assert len(arena.sent) == calls
    assert capsys.readouterr().err == (
        "The arena did not store the notes of a match. Why.\n" if told else ""
    )


def test_a_busy_arena_gets_a_minute_of_silence(slept: list[float]) -> None:
    deliver(Arena(CODE.RESOURCE_EXHAUSTED, CODE.OK), NOTES)

    assert slept == [1, note_sender.BUSY_S, 3, 1]


def test_notes_of_too_many_matches_are_dropped_with_a_line(
    slept: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_sender, "MOST_WAITING", 2)
    arena = Arena(CODE.OK)

    deliver(arena, NOTES, NOTES, NOTES)

    assert len(arena.sent) == 2
    assert capsys.readouterr().err == f"{note_sender.MANY}\n"


def test_unsent_notes_are_reported_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    async def run() -> None:
        with NoteSender(Arena(CODE.OK).send) as sender:
            sender.post(NOTES)

    asyncio.run(run())

    assert capsys.readouterr().err == "Notes that were not sent yet are lost: 1.\n"
