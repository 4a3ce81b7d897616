"""The matches of a run, from their start to their result.

Each has a decision that is either to be sent or open, that is, held by a gateway or by a person's
page. An answer or a fault leads to the next decision, until the match is finished.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from arena.base.instant import Instant
from arena.base.keepalive import LEAST_AFTER_ABSENCE_S
from arena.games import packed_log
from arena.games.match import Fault, Match
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.protocol.internal.relay_pb2 import Replies, Reply
from arena.service.live.player_presence import PAGE
from arena.tournaments.formats import PlannedMatch
from workers.schedule import notices
from workers.schedule.absentees import Absentees
from workers.schedule.active import ActiveBatch, ActiveMatch, MatchFactory
from workers.schedule.routes import Routes

# Looked up once, because an enum's name on a message class is slow.
ANSWER, TIMEOUT, DISCONNECT, ERROR, BOUNCED = (
    Reply.ANSWER,
    Reply.TIMEOUT,
    Reply.DISCONNECT,
    Reply.ERROR,
    Reply.BOUNCED,
)

RESEND_S = 30.0  # in case Redis lost a decision; gateways ignore those that they hold


class MatchesInPlay:
    """The matches of a run that have started and are not stored yet."""

    def __init__(
        self,
        factory: MatchFactory,
        routes: Routes,
        absentees: Absentees,
        tickets: Iterator[int],
        grace_s: float,
    ) -> None:
        """`grace_s` is the grace time of `routes`, for texts."""
        self._factory, self._routes, self._absentees = factory, routes, absentees
        self._tickets, self._grace_s = tickets, grace_s
        self._move_s = factory.spec.move_ms / 1000
        self.to_send: deque[ActiveMatch] = deque()  # with a decision to send
        self.open: dict[int, ActiveMatch] = {}  # with an open decision, by ticket
        self.finished: list[ActiveMatch] = []  # until `take_finished`
        self.hostless = 0  # matches that waited for a host in the last `send_decisions`
        self.advanced = False  # whether any match advanced; reset by the reader
        self.under_way = Counter[int]()  # by player; see `count_together`

    def __len__(self) -> int:
        """The number of unfinished matches."""
        return len(self.to_send) + len(self.open)

    def start(self, batch: ActiveBatch, planned: PlannedMatch, at: Instant) -> None:
        match = Match(self._factory.setup(planned))
        active = ActiveMatch(batch, planned, self._factory.players_of(planned), match, at.unix)
        batch.running += 1
        self.under_way.update(active.players)
        notices.notify_started(active, self._routes)
        self._go_on(active, None, at)

    def resume(
        self,
        batch: ActiveBatch,
        suspended: Sequence[SuspendedMatch],
        replies: Iterable[Replies],
        at: Instant,
    ) -> None:
        """Resumes suspended matches, whose decisions may have been answered meanwhile."""
        by_position = {match.position: match for match in suspended}
        resumed = [
            self._resumed(batch, planned, by_position[planned.position])
            for planned in batch.resume(by_position.keys())
        ]
        for active in resumed:
            self.under_way.update(active.players)
        self.open |= {active.ticket: active for active in resumed}
        for each in replies:
            self.replies_received(each, at)
        self.to_send.extend(active for active in resumed if self.open.pop(active.ticket, None))

    def _resumed(
        self, batch: ActiveBatch, planned: PlannedMatch, kept: SuspendedMatch
    ) -> ActiveMatch:
        setup = self._factory.setup(planned, kept.ruleset)
        match = packed_log.replay(setup, kept.log, kept.reasons)
        players = self._factory.players_of(planned)
        active = ActiveMatch(batch, planned, players, match, kept.started)
        active.next_decision(kept.ticket, kept.asked)
        active.rounds_notified = len(match.game.rounds) - 1
        active.reached = set(players)
        return active

    def _go_on(self, active: ActiveMatch, fault: Fault | None, at: Instant) -> None:
        """Notifies the players, and queues the match's next decision or its result."""
        if fault is not None:
            notices.notify_fault(active, fault, self._routes)
        notices.notify_progress(active, self._routes)
        self.advanced = True
        if active.match.finished:
            active.batch.running -= 1
            self.under_way.subtract(active.players)
            active.finished = at.unix
            self.finished.append(active)
        else:
            active.next_decision(next(self._tickets), at.unix)
            self.to_send.append(active)

    # Decisions

    def send_decisions(self, at: Instant) -> None:
        """Sends decisions to connected players, and charges gone players with a fault."""
        waiting: list[ActiveMatch] = []
        self.hostless = 0
        paid: dict[int, float] = {}
        while self.to_send:
            active = self.to_send.popleft()
            active.gateway = self._routes.gateway(active.player)
            if active.gateway and self._out_of_time(active, paid, at):
                self._time_out(active, at)
            elif active.gateway:
                self._send(active, at)
            elif self._routes.gone(active.player, at.monotonic):
                self._charge_absence(active, at)
            else:
                waiting.append(active)
                self._routes.awaited(active.player, at.monotonic)
                self.hostless += self._routes.waits_for_host(active.player)
        self.to_send.extend(waiting)

    def _send(self, active: ActiveMatch, at: Instant) -> None:
        notices.send_decision(active, self._routes)
        active.reached.add(active.player)
        self._absentees.reached(active.player)
        active.sent_at = at.monotonic
        self.open[active.ticket] = active

    def _out_of_time(self, active: ActiveMatch, paid: dict[int, float], at: Instant) -> bool:
        """Whether the time for the open decision is over, and no gateway notices it: a person is
        late, or a bot has moved to another gateway. Then its grace time pays for at least a
        second: `paid` in this pass, once for all its decisions."""
        player = active.player
        if active.gateway == PAGE:
            return at.unix - active.asked_at >= self._move_s
        lacks = active.used_s - max(0.0, self._move_s - LEAST_AFTER_ABSENCE_S)
        if lacks <= 0:
            return False
        before = paid.get(player, 0.0)
        paid[player] = before + self._routes.spend(player, max(0.0, lacks - before))
        active.used_s -= min(lacks, paid[player])
        return active.left_ms <= 0

    def _time_out(self, active: ActiveMatch, at: Instant) -> None:
        allowed = self._factory.spec.move_ms
        reason = f"No answer within {allowed} ms."
        self._go_on(active, active.match.fail("timeout", reason, 1000 * allowed), at)

    def _charge_absence(self, active: ActiveMatch, at: Instant) -> None:
        """Charges a disconnect. A player that was absent for the whole match, or left the game,
        forfeits it."""
        spec, player = self._factory.spec, active.player
        name, left = self._factory.bots[player].bot, self._routes.has_left(player)
        reason = (
            f"{name} left the table."
            if left
            else (
                f"{name} was not connected as a player of {spec.game} at {spec.seats} seats "
                f"for longer than the grace time of {self._grace_s:g} s."
            )
        )
        forfeit = left or player not in active.reached
        if forfeit and not left:
            self._absentees.forfeited(player)
        self._go_on(active, active.match.fail("disconnect", reason, forfeit=forfeit), at)

    # Replies

    def replies_received(self, replies: Replies, at: Instant) -> None:
        """Applies replies to their matches. Ignores duplicate and late ones."""
        # Copying a repeated field by a slice is faster than iterating over it.
        indices, latencies_us = replies.indices[:], replies.latencies_us[:]
        for place, ticket in enumerate(replies.tickets[:]):
            index, latency_us = indices[place], latencies_us[place]
            if active := self.open.pop(ticket, None):
                if self._routes.used:
                    self._routes.answered(active.player, self._move_s)
                self._go_on(active, active.match.answer(index, latency_us), at)
        for reply in replies.others:
            if active := self.open.pop(reply.ticket, None):
                self._other_reply(active, reply, at)

    def _other_reply(self, active: ActiveMatch, reply: Reply, at: Instant) -> None:
        if reply.outcome == ANSWER:
            self._routes.answered(active.player, self._move_s)
            self._go_on(active, active.match.answer(reply.action, reply.latency_us), at)
        elif reply.outcome == TIMEOUT and reply.error:
            fault = active.match.fail("timeout", reply.error, reply.latency_us, reply.forfeits)
            self._go_on(active, fault, at)
        elif reply.outcome == TIMEOUT:
            self._time_out(active, at)
        elif reply.outcome == ERROR:
            self._go_on(active, active.match.fail("error", reply.error, reply.latency_us), at)
        elif reply.outcome == DISCONNECT and active.player not in self._routes.hosted:
            # The bot's grace time for this decision is over, but it may have reconnected.
            self._routes.forget(active.player)
            self._charge_absence(active, at)
        else:
            if reply.outcome == BOUNCED:
                active.used_s += reply.latency_us / 1_000_000
            self._routes.forget(active.player)
            self.to_send.append(active)

    def gateways_checked(self, alive: Set[str], at: Instant) -> None:
        """Takes back decisions from dead gateways, and resends very old ones."""
        for active in list(self.open.values()):
            if active.gateway not in alive:
                del self.open[active.ticket]
                self._routes.forget(active.player)
                self.to_send.append(active)
            elif at.monotonic - active.sent_at >= RESEND_S:
                self._send(active, at)

    # State

    @property
    def gateways(self) -> Set[str]:
        """The gateways that hold open decisions."""
        return {active.gateway for active in self.open.values()}

    def held_by_bots(self) -> int:
        """The number of open decisions that bots hold. Others wait in a gateway for their turn."""
        open_ = Counter([active.player for active in self.open.values()])
        limit = self._routes.max_in_flight
        return sum(min(count, limit(player)) for player, count in open_.items())

    def only_people_asked(self) -> bool:
        """Whether there are open decisions, and all are for people."""
        if self.to_send or not self.open:
            return False
        return all(active.gateway == PAGE for active in self.open.values())

    def only_hosts_waited_for(self) -> bool:
        """Whether all matches wait for a host to connect a player."""
        return not self.open and self.hostless == len(self.to_send)

    def unreached(self) -> Counter[int]:
        """By player, the number of matches in which it was sent no decision and has not
        forfeited."""
        return Counter(
            player
            for active in chain(self.to_send, self.open.values())
            for player in active.unreached
        )

    def room(self) -> dict[int, int]:
        """The number of matches that may still start with players that limit it."""
        limits = self._routes.most_matches.items()
        return {player: max(0, limit - self.under_way[player]) for player, limit in limits}

    def count_together(self, under_way: Counter[int]) -> None:
        """Counts the matches by player in `under_way` from now on, together with other
        tournaments."""
        under_way.update(self.under_way)
        self.under_way = under_way

    def abandon(self) -> None:
        """Removes its matches from `under_way`."""
        for active in chain(self.to_send, self.open.values()):
            self.under_way.subtract(active.players)

    def by_batch(self) -> Mapping[ActiveBatch, Sequence[ActiveMatch]]:
        """The unfinished matches by batch."""
        running = defaultdict[ActiveBatch, list[ActiveMatch]](list)
        for active in chain(self.to_send, self.open.values()):
            running[active.batch].append(active)
        return running

    def take_finished(self) -> Sequence[ActiveMatch]:
        """Returns the matches that have finished since the last call."""
        finished, self.finished = self.finished, []
        return finished
