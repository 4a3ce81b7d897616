"""A worker's surroundings: a real Redis and store, and a gateway played by a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import redis

from arena.base.instant import read_clock
from arena.protocol.internal.relay_pb2 import Delivery, InboxMessage, Replies
from arena.protocol.v1 import play_pb2 as pb
from arena.service.live import keys, mailbox, ready
from arena.service.live.player_presence import Presence, encode
from arena.store import Store
from arena.store.registry import bots
from arena.store.tournaments import batches, creation, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.made_results import SALT
from workers.advancing.advance import advance, batch_size
from workers.playing import lease
from workers.playing.batch import BatchRun, RunContext
from workers.playing.lease import Lease
from workers.playing.shared_run import SharedRun
from workers.schedule import RunOutcome, ScheduleLimits
from workers.schedule.commands import CollectReplies

# What the fake gateway does with a question: an index, a Reply's fields, or None for silence.
Answer = Callable[[pb.Decision], dict[str, Any] | None]


def first_offered(decision: pb.Decision) -> dict[str, Any]:
    """Plays the first action offered."""
    return {"index": decision.view.indices[0]}


@dataclass
class FakeGateway:
    """Answers the questions of all players that it says are connected."""

    client: redis.Redis
    name: str = "g1"
    answer: Answer = first_offered
    asked: list[pb.Decision] = field(default_factory=list)
    notices: list[Delivery] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> FakeGateway:
        self.beat()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def beat(self) -> None:
        self.client.set(keys.gateway(self.name), 1, ex=60)
        self.client.set(keys.ANY_GATEWAY, self.name, ex=60)

    def die(self) -> None:
        """Stops like a process that was killed; its heartbeat ends at once to save time."""
        self.__exit__()
        self.client.delete(keys.gateway(self.name))

    def connect(self, *players: int, **changes: Any) -> None:
        """Says that players are connected here."""
        for player in players:
            fields: dict[str, Any] = {
                "player": player, "bot": f"bot-{player}", "version": "1", "gateway": self.name,
                "session": "1", "since": time.time(), "games": ("lama",), "min_seats": 2,
                "max_seats": 6, "max_in_flight": 256, "sdk": "test", "notices": True,
            }  # fmt: skip
            told = Presence(**{**fields, **changes})
            self.client.set(keys.presence(player), encode(told), ex=60)
            self.client.delete(keys.gone(player))

    def disconnect(self, *players: int) -> None:
        for player in players:
            self.client.delete(keys.presence(player))

    def _serve(self) -> None:
        while not self._stop.is_set():
            found: Any = self.client.blpop([keys.inbox(self.name)], timeout=0.05)
            if found:
                for delivery in InboxMessage.FromString(found[1]).deliveries:
                    self._handle(delivery)

    def _handle(self, delivery: Delivery) -> None:
        self.notices.append(delivery)
        replies = Replies()
        for ticket, encoded in zip(delivery.tickets, delivery.decisions, strict=True):
            decision = pb.Decision.FromString(encoded)
            self.asked.append(decision)
            answered = self.answer(decision)
            if answered is not None and "index" in answered:
                replies.tickets.append(ticket)
                replies.indices.append(answered["index"])
                replies.latencies_us.append(900)
            elif answered is not None:
                replies.others.add(ticket=ticket, latency_us=900, **answered)
        if mailbox.count(replies):
            self.client.rpush(delivery.reply_to, replies.SerializeToString())


@dataclass
class World:
    """A store with bots, a Redis, and how long things may take."""

    store: Store
    client: redis.Redis
    grace_s: float = 0.3
    slice_s: float = 30.0
    window: int = 64
    withdraw_after: int = 0
    stop: bool = False
    ended: list[int] = field(default_factory=list)  # tournaments of which a batch ended, each time
    put_back: list[int] = field(default_factory=list)  # tournaments that were suspended
    given_back: list[tuple[int, BaseException]] = field(
        default_factory=list
    )  # that failed, and why

    def tournament(
        self, names: Sequence[str] = ("a", "b", "c"), cycles: int = 2, **spec: Any
    ) -> Tournament:
        """Registers the bots and creates a tournament among them, of so many cycles for each
        table."""
        fields: dict[str, Any] = {
            "seats": 3,
            "repeats": 5,
            "start_grace_s": 0,
            "options": {"max_rounds": "2"},  # a match as long as most would take most of the time
            **spec,
        }
        fields["trusted"] = True
        if fields["repeats"] is not None:
            fields["salt"] = SALT
        by_hosts = fields.pop("hosted", ())
        each = 2 if fields.get("format") == "versus" else fields["seats"]
        if "deals" not in fields:
            fields["matches"] = cycles * each
        asked = TournamentSpec(bots=tuple(names), **fields)
        with self.store.write() as conn:
            for name in names:
                bot, _ = bots.register(conn, name)
                bots.set_hosted(conn, bot.player, hosted=name in by_hosts)
            return creation.create(conn, check_spec(asked))

    def advance(self, tournament: Tournament) -> list[int]:
        """Takes it forward; the numbers of the batches that are queued by that."""
        waiting = advance(self.store, self.client, tournament.id)
        return [number for number in waiting if lease.queue(self.client, tournament.id, number)]

    def queue(self, *found: Tournament) -> list[int]:
        """Takes them forward and has their batches wait for a worker; the numbers of the last."""
        numbers: list[int] = []
        for each in found:
            numbers = advance(self.store, self.client, each.id)
            size = batch_size(each.planned)
            ready.add(self.client, each.id, numbers, matches=size, weight=each.weight)
        return numbers

    def waiting(self) -> list[tuple[int, int]]:
        """The batches that wait for a worker, in order: the tournament of each and its number."""
        members: Any = self.client.zrange(keys.READY_SINCE, 0, -1)
        pairs = (member.decode().split(":") for member in members)
        return sorted((int(tournament), int(number)) for tournament, number in pairs)

    def read(self, tournament: Tournament) -> Tournament:
        with self.store.read() as conn:
            return tournaments.get(conn, tournament.id)

    def run(self, tournament: Tournament, number: int, holder: str = "") -> BatchRun:
        """A run of one batch, as the task would make it."""
        claim = Lease(self.client, tournament.id, number, holder or f"task-{number}")
        assert claim.take()
        with self.store.read() as conn:
            current = tournaments.get(conn, tournament.id)
            batch = batches.get_batch(conn, tournament.id, number)
            players = bots.by_players(conn, current.players)
        return BatchRun(self.context, current, batch, players, claim)

    @property
    def context(self) -> RunContext:
        return RunContext(
            store=self.store,
            client=self.client,
            limits=ScheduleLimits(self.window, self.slice_s, self.grace_s),
            stop_requested=lambda: self.stop,
            advance=self.ended.append,
            withdraw_after=self.withdraw_after,
        )

    def shared_run(self, holder: str = "task") -> SharedRun:
        """A run of all that waits, as the task would make it."""
        return SharedRun(self.context, holder, self._give_back, self.put_back.append)

    def _give_back(self, leases: Iterable[Lease], tournament: int, error: BaseException) -> None:
        for each in leases:
            each.fail()
        self.given_back.append((tournament, error))

    def step(self, run: BatchRun | SharedRun) -> None:
        """One pass of a run, with the checks before it."""
        over: Callable[[], bool] = (
            (lambda: run.schedule.finished)
            if isinstance(run, SharedRun)
            else (lambda: run.schedule.outcome is not None)
        )
        while not over():
            commands: Sequence[Any] = run.schedule.next_commands(read_clock())
            for command in commands:
                run.carry_out(command)
            if any(isinstance(command, CollectReplies) for command in commands):
                return

    def play_all(self, tournament: Tournament) -> Tournament:
        """Advances and plays until there is nothing left to play."""
        while numbers := self.advance(tournament):
            for number in numbers:
                run = self.run(tournament, number)
                assert run.play() is RunOutcome.DONE
                run.release()
        return self.read(tournament)
