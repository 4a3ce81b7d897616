"""A worker's own part of matches, in this process: its schedule, the messages, the results.

No Redis, no database, no bots.
"""

from collections.abc import Iterator, Mapping
from itertools import count

from arena.base.instant import Instant
from arena.games.match import Seat
from arena.games.rules import game_class
from arena.games.rules.packed import layout_of
from arena.games.rules.rows import NONE, VERSION
from arena.protocol.internal.relay_pb2 import Delivery, InboxMessage, Replies
from arena.protocol.v1 import play_pb2 as pb
from arena.service.live.player_presence import Presence
from arena.tournaments.formats import FromSecret, PlannedMatch, TournamentSpec
from workers.playing.checkpointing import result_of
from workers.schedule import ClaimedBatch, MatchFactory, Schedule, ScheduleLimits
from workers.schedule.commands import (
    CheckGateways,
    CheckPresence,
    CollectReplies,
    Command,
    Deliver,
    RenewLeases,
    Save,
)
from workers.schedule.routes import PresenceSnapshot

PLAYERS = (1, 2, 3, 4)
WINDOW = 256
PASS_S = 0.01  # of the clock, for each pass


def play(game: str, matches: int, *, packed: bool = True) -> int:
    """Plays so many matches at four seats, in which everybody takes the first legal action; how
    many decisions that took."""
    spec = TournamentSpec(game=game, seats=len(PLAYERS), bots=tuple("abcd"), matches=matches)
    seats = {player: Seat(f"bot-{player}") for player in PLAYERS}
    factory = MatchFactory(spec, PLAYERS, seats, FromSecret(bytes(32), 1))
    run = OneWorker(
        Schedule(factory, ScheduleLimits(WINDOW, 1e9, 30.0), count(1), Instant(0.0, 0.0))
    )
    run.connect(game, VERSION if packed else 0)
    run.play([PlannedMatch(number, number, (0, 1, 2, 3)) for number in range(matches)])
    return run.decisions


class OneWorker:
    """Carries out what a schedule wants; the clock goes on with each pass."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.decisions = 0
        self._now = 0.0
        self._present: Mapping[int, Presence] = {}
        self._answers: list[bytes] = []

    @property
    def at(self) -> Instant:
        """This moment of the run."""
        return Instant(self._now, self._now)

    def connect(self, game: str, packed: int) -> None:
        """All players are connected, and read packed decisions of this layout."""
        self._present = {
            player: Presence(
                player=player,
                bot=f"bot-{player}",
                version="1",
                gateway="gateway",
                session="1",
                since=0.0,
                games=(game,),
                min_seats=2,
                max_seats=6,
                max_in_flight=4096,
                sdk="",
                packed=packed,
            )
            for player in PLAYERS
        }

    def play(self, matches: list[PlannedMatch]) -> None:
        """Plays these matches to their end."""
        self.schedule.batch_claimed(ClaimedBatch(0, matches, frozenset(), "replies"), self.at)
        while self.schedule.outcome is None:
            self._now += PASS_S
            for command in self.schedule.next_commands(self.at):
                self._carry_out(command)

    def _carry_out(self, command: Command) -> None:
        match command:
            case CheckPresence():
                self.schedule.presence_checked(PresenceSnapshot(self._present), self.at)
            case CheckGateways(gateways):
                self.schedule.gateways_checked(gateways, self.at)
            case RenewLeases():
                self.schedule.leases_renewed(self.at, running=True)
            case Deliver(deliveries):
                messages = [InboxMessage(deliveries=each) for each in deliveries.values()]
                sent = [message.SerializeToString() for message in messages]
                self._answers = [answer for message in sent for answer in answered(message)]
            case CollectReplies():
                for answer in self._answers:
                    replies = Replies.FromString(answer)
                    self.decisions += len(replies.tickets)
                    self.schedule.replies_received(replies, self.at)
            case Save(finished):
                for active in finished:
                    result_of(active, 1)


def answered(message: bytes) -> Iterator[bytes]:
    """The answers to a message: the first legal action of each decision."""
    for delivery in InboxMessage.FromString(message).deliveries:
        tickets = [*delivery.tickets, *delivery.packed_tickets]
        chosen = [pb.Decision.FromString(one).view.indices[0] for one in delivery.decisions]
        yield Replies(
            tickets=tickets,
            indices=[*chosen, *first_legal(delivery)],
            latencies_us=[100] * len(tickets),
        ).SerializeToString()


def first_legal(delivery: Delivery) -> bytes:
    """The first legal action of each packed decision, a byte each."""
    if not delivery.packed_tickets:
        return b""
    layout = layout_of(game_class(delivery.game), delivery.seats)
    chosen = delivery.rows[layout.columns["indices"].start :: layout.width]
    assert NONE not in chosen
    return chosen
