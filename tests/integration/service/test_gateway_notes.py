"""Notes at a real gateway: from a bot with the SDK, and from programs that break the rules."""

import asyncio
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.games.match import Match
from arena.protocol.decisions import encode_decision
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Bot, View, client, note_sender
from arena.service.gateway import rate_limiter
from arena.store import Store
from arena.store.matches import bot_notes
from arena.store.matches.matches import StoredMatch
from arena.store.registry import accounts, bots
from tests.integration.gateway_world import ADMIN, World, scenario, until, world
from tests.integration.noted import authors, decisions_of, played_match, seat_of

CODE = grpc.StatusCode


async def send(w: World, token: str, **notes: Any) -> tuple[grpc.StatusCode, str]:
    """How a call with these notes ends."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{w.gateways[0].port}") as channel:
        method: Any = channel.unary_unary(
            "/arena.v1.Play/SendNotes",
            pb.MatchNotes.SerializeToString,
            pb.NotesStored.FromString,
        )
        call = method(pb.MatchNotes(**notes), metadata=(("authorization", f"Bearer {token}"),))
        return await call.code(), await call.details() or ""


def note(number: int, text: str = "Because.") -> pb.Note:
    return pb.Note(number=number, text=text)


def stored(store: Store, match: str) -> dict[int, str]:
    """The notes that the author of ada sees."""
    with store.read() as conn:
        found = bot_notes.of_match(conn, match, accounts.by_name(conn, "ann").id)
    return {number: each.text for number, each in found.items()}


class Noting(Bot):
    takes_notes = True

    def choose(self, view: View) -> str:
        self.note(view, f"I have {len(view.hand)} cards.")
        return view.actions[-1]


@scenario
async def test_a_bot_sends_its_notes_once_the_result_is_stored(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_sender, "PAUSES_S", (0.05,) * 100)
    monkeypatch.setattr(note_sender, "PACE_S", 0.05)
    bot, token = authors(sqlite_store)
    match = played_match(sqlite_store)
    seat = seat_of(match, "ada")
    numbers = decisions_of(match, seat)[:2]
    refused: list[str] = []
    check = bot_notes.check

    def late(conn: Any, caller: Any, of: str, *rest: Any) -> None:
        """The result is stored after two attempts."""
        if len(refused) < 2:
            refused.append(of)
            of = "later"
        check(conn, caller, of, *rest)

    monkeypatch.setattr(bot_notes, "check", late)
    async with world(sqlite_store, redis_url) as w:
        w.players["ada"] = bot.player
        url = f"grpc://127.0.0.1:{w.gateways[0].port}"
        program = asyncio.create_task(client.stay_connected(Noting(), url, token))
        await until(lambda: bot.player in w.gateways[0].sessions.registry.sessions)
        view = first_view(match)._replace(seat=seat)
        for number in numbers:
            sent = encode_decision(view._replace(number=number), number, 2000)
            w.ask("ada", number, decisions=[sent])
        assert len(await w.replies(2)) == 2
        await asyncio.sleep(0.3)
        assert refused == []
        assert stored(sqlite_store, match.id) == {}

        ended = pb.MatchEnded(match=match.id, points=[1, 2], ranks=[1, 2]).SerializeToString()
        w.ask("ada", 3, decisions=[encode_decision(view, 3, 2000)], ended=[ended])
        await until(lambda: stored(sqlite_store, match.id))
        assert not program.done()
        program.cancel()
        await asyncio.gather(program, return_exceptions=True)
    assert refused == [match.id] * 2
    assert stored(sqlite_store, match.id) == dict.fromkeys(numbers, "I have 6 cards.")


def first_view(match: StoredMatch) -> View:
    """The first decision of a match."""
    found = Match(match.setup).decision
    assert found is not None
    return found


@scenario
async def test_only_a_bot_that_played_sends_notes_and_only_once(
    store: Store, redis_url: str
) -> None:
    _, token = authors(store)
    match = played_match(store)
    seat = seat_of(match, "ada")
    own, other = decisions_of(match, seat)[0], decisions_of(match, 1 - seat)[0]
    with store.write() as conn:
        stranger = bots.register(conn, "cyd")[1]
        retired = bots.register(conn, "dan")[1]
        bots.retire(conn, "dan")
    mine = {"match": match.id, "seat": seat}

    async with world(store, redis_url) as w:
        code, said = await send(w, stranger, **mine, notes=[note(own)])
        assert (code, "cyd did not play in seat" in said) == (CODE.INVALID_ARGUMENT, True)
        for wrong in ("", "lama_wrong", ADMIN, retired):
            assert (await send(w, wrong, **mine, notes=[note(own)]))[0] == CODE.UNAUTHENTICATED
        code, said = await send(w, token, match="stillinplay", seat=seat, notes=[note(own)])
        assert (code, "try again in a few seconds" in said) == (CODE.NOT_FOUND, True)
        for bad in ([], [note(other)], [note(own), note(own)], [note(own, "x" * 1001)]):
            assert (await send(w, token, **mine, notes=bad))[0] == CODE.INVALID_ARGUMENT, bad
        large = [note(number, "x" * 1000) for number in range(66)]
        assert (await send(w, token, **mine, notes=large))[0] == CODE.INVALID_ARGUMENT
        empty = [pb.Note() for _ in range(200_000)]
        code, said = await send(w, token, **mine, notes=empty)
        assert (code, "Send at most 262,144 bytes." in said) == (CODE.INVALID_ARGUMENT, True)
        assert stored(store, match.id) == {}

        assert (await send(w, token, **mine, notes=[note(own)]))[0] == CODE.OK
        assert (await send(w, token, **mine, notes=[note(own)]))[0] == CODE.ALREADY_EXISTS
    assert stored(store, match.id) == {own: "Because."}


@scenario
async def test_a_flood_of_notes_is_refused_and_does_not_count_as_reconnects(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limiter, "NOTES_PER_MINUTE", 3)
    async with world(sqlite_store, redis_url, reconnects_per_minute=2) as w:
        stream = await w.connect("nora")
        wrong = {"match": "m", "seat": 0, "notes": [note(1)]}
        codes = [(await send(w, w.tokens["nora"], **wrong))[0] for _ in range(3)]
        assert codes == [CODE.NOT_FOUND] * 3

        code, said = await send(w, w.tokens["nora"], **wrong)

        assert code == CODE.RESOURCE_EXHAUSTED
        assert "More than 3 calls with notes a minute came from this bot" in said
        w.ask("nora", 1)
        assert await stream.decisions(1)
        await w.connect("nora")
