"""A run that plays batches of several tournaments at once.

Matches mostly wait for bots. A worker with one tournament at a time would be idle during a slow
one, and play small ones sequentially. Here, all tournaments take part in the same passes,
with joint messages to each gateway. They share the window by weight, so that a large tournament
cannot crowd out a small one, and a slow bot only delays its own tournament.

    shared = SharedSchedule(window, slice_s, now())
    while not shared.finished:
        for command in shared.next_commands(now()):
            ...                      # run it, and pass the answer to a check to the schedule

The caller chooses which batches to claim (`arena.service.live.ready`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from math import inf
from typing import TypeAlias

from arena.base.instant import Instant
from arena.protocol.internal.relay_pb2 import Delivery, Replies
from workers.schedule.commands import (
    CheckGateways,
    CheckPresence,
    ClaimBatches,
    CollectReplies,
    Command,
    Deliver,
    ForTournament,
    Leave,
    MarkGone,
    RenewAllLeases,
    RenewLeases,
)
from workers.schedule.routes import PresenceSnapshot
from workers.schedule.schedule import Schedule

LEAST_WINDOW = 4  # matches in flight, however overloaded the machine is
CLAIM_S = 0.25  # interval between claims; idle workers claim first
MOST_TOURNAMENTS = 128  # per run, approximately, without those that only wait for absent players
MOST_POSTPONED = 4096  # postponed matches per tournament and run, approximately
Checks: TypeAlias = CheckPresence | MarkGone | CheckGateways | RenewLeases
SharedCommand: TypeAlias = (
    ClaimBatches
    | CheckPresence
    | MarkGone
    | CheckGateways
    | RenewAllLeases
    | Deliver
    | ForTournament
    | Leave
    | CollectReplies
)


class SharedSchedule:
    """The schedules of the tournaments in a run, by tournament."""

    def __init__(self, window: int, slice_s: float, at: Instant) -> None:
        """Keeps up to `window` matches in flight, for up to `slice_s` seconds."""
        self.schedules: dict[int, Schedule] = {}
        self.finished = False  # nothing to play, or no time left
        self._most, self.window, self._deadline = window, window, at.monotonic + slice_s
        self._weights: dict[int, float] = {}
        self._under_way = Counter[int]()  # matches in all of them, by player
        self._claimed, self._looked = -inf, False
        self._claims_done = False  # for the next pass
        self._stopping = False
        self._turn = 0
        self._due: dict[int, None] = {}  # tournaments that have not decided in this pass
        self._asking: dict[type[Command], list[Schedule]] = {}  # those that wait, by check
        self._marking: dict[int, list[Schedule]] = {}  # by player to mark as gone
        self._effects: list[SharedCommand] = []  # of tournaments that have decided
        self._deliveries: dict[str, list[Delivery]] = {}
        self._collecting: list[CollectReplies] = []
        self._listening: dict[str, Schedule] = {}  # by reply list

    # Tournaments

    def join(self, tournament: int, schedule: Schedule, weight: float) -> None:
        """Adds a tournament from the next pass on."""
        self.schedules[tournament], self._weights[tournament] = schedule, weight
        schedule.matches.count_together(self._under_way)
        self._looked = False

    def drop(self, tournament: int) -> None:
        schedule = self.schedules.pop(tournament)
        schedule.matches.abandon()
        del self._weights[tournament]
        self._due.pop(tournament, None)
        self._looked = False
        for asking in (*self._asking.values(), *self._marking.values()):
            if schedule in asking:
                asking.remove(schedule)

    def time_left(self, at: Instant) -> float:
        """The seconds until all matches are suspended."""
        return max(0.0, self._deadline - at.monotonic)

    def stop_requested(self) -> None:
        """The process is stopping, so all matches are suspended."""
        self._stopping = True
        for schedule in self.schedules.values():
            schedule.stop_requested()

    # Commands

    def next_commands(self, at: Instant) -> Sequence[SharedCommand]:
        """The next commands, in order. Call this again when they are done, until the run is
        finished."""
        if not self._due:
            if not self._claims_done and (claim := self._claim(at.monotonic)):
                self._claims_done = True
                return [claim]
            self._claims_done = False
            self._share_window()
            self._due = dict.fromkeys(self._in_turn())
            self.finished = not self.schedules
        checks = list(self._decide(at))
        return checks or self._pass()

    def _claim(self, now: float) -> ClaimBatches | None:
        """Claims batches for the free part of the window. Without room, claims one batch of another
        tournament, so that it does not have to wait for the end of those in the run."""
        recently = now - self._claimed < CLAIM_S if self.schedules else self._looked
        if recently or self._stopping or now >= self._deadline:
            return None
        busy = {number: one.to_play for number, one in self.schedules.items() if one.to_play}
        if len(busy) >= MOST_TOURNAMENTS:
            return None
        self._claimed, self._looked = now, True
        room = self.window - sum(busy.values())
        if room <= 0:
            return ClaimBatches(1, tuple(self.schedules))
        # More batches of these would mostly add matches that have to wait.
        held = self.schedules.items()
        full = [n for n, one in held if one.postponed >= MOST_POSTPONED or one.crowded]
        return ClaimBatches(room, tuple(full))

    def _in_turn(self) -> Sequence[int]:
        """The tournaments in the order in which they decide. The first one rotates if they compete
        for players with few concurrent matches."""
        numbers = list(self.schedules)
        if not any(one.crowded for one in self.schedules.values()):
            return numbers
        self._turn = (self._turn + 1) % len(numbers)
        return numbers[self._turn :] + numbers[: self._turn]

    def _share_window(self) -> None:
        # A tournament that only waits for absent players takes no share.
        wanted = {number: one.to_play for number, one in self.schedules.items() if one.to_play}
        windows = fair_windows(self.window, wanted, self._weights)
        for number, schedule in self.schedules.items():
            schedule.window = windows.get(number, 1)

    def _decide(self, at: Instant) -> Iterator[SharedCommand]:
        """Lets each tournament decide. Yields the checks that some need first."""
        self._asking, self._marking = {}, {}
        asked: list[Command] = []
        for tournament in list(self._due):
            schedule = self.schedules[tournament]
            commands = schedule.next_commands(at)
            if schedule.outcome is None and any(isinstance(one, Checks) for one in commands):
                asked += commands
                for kind in {type(one) for one in commands}:
                    self._asking.setdefault(kind, []).append(schedule)
                for one in commands:
                    if isinstance(one, MarkGone):
                        self._marking.setdefault(one.player, []).append(schedule)
            else:
                del self._due[tournament]
                self._decided(tournament, commands)
        yield from self._merged(asked)

    def _merged(self, asked: Sequence[Command]) -> Iterator[SharedCommand]:
        if RenewLeases in self._asking:
            held = {
                number: [batch.number for batch in one.batches]
                for number, one in self.schedules.items()
                if one in self._asking[RenewLeases]
            }
            yield RenewAllLeases(held)
        players = {one for each in asked if isinstance(each, CheckPresence) for one in each.players}
        if players:
            yield CheckPresence(sorted(players))
        yield from map(MarkGone, sorted(self._marking))
        if CheckGateways in self._asking:
            checks = [each.gateways for each in asked if isinstance(each, CheckGateways)]
            yield CheckGateways(frozenset().union(*checks))

    def _decided(self, tournament: int, commands: Sequence[Command]) -> None:
        schedule = self.schedules[tournament]
        for command in commands:
            if isinstance(command, Deliver):
                for gateway, deliveries in command.deliveries.items():
                    self._deliveries.setdefault(gateway, []).extend(deliveries)
            elif isinstance(command, CollectReplies):
                self._collecting.append(command)
                self._listening |= dict.fromkeys(command.reply_lists, schedule)
            else:
                self._effects.append(ForTournament(tournament, command))
        if schedule.outcome is not None:
            self._effects.append(Leave(tournament, schedule.outcome))
            self.drop(tournament)

    def _pass(self) -> list[SharedCommand]:
        """The merged commands of all tournaments: deliveries, then saves, then replies."""
        commands: list[SharedCommand] = []
        if self._deliveries:
            commands.append(Deliver(self._deliveries))
        commands += self._effects
        if collecting := self._collecting:
            lists = [one for each in collecting for one in each.reply_lists]
            commands.append(
                CollectReplies(
                    lists,
                    min(each.wait_s for each in collecting),
                    sum(each.want for each in collecting),
                    max(each.gather_s for each in collecting),
                )
            )
            self._listening = {one: self._listening[one] for one in lists}
        self._deliveries, self._effects, self._collecting = {}, [], []
        return commands

    # Answers

    def slow_down(self, share: float) -> None:
        """Reduces the window to this share, during and after an overload."""
        self.window = max(round(self._most * share), min(LEAST_WINDOW, self._most))

    def leases_renewed(self, running: Mapping[int, bool | None], at: Instant) -> None:
        """Updates whether each tournament is running; None if one of its leases was lost."""
        for tournament, runs in running.items():
            if runs is None:
                self.schedules[tournament].lease_lost()
            else:
                self.schedules[tournament].leases_renewed(at, running=runs)

    def presence_checked(self, snapshot: PresenceSnapshot, at: Instant) -> None:
        """Updates the players' connections."""
        for schedule in self._asking[CheckPresence]:
            schedule.presence_checked(snapshot, at)

    def gone_marked(self, player: int, since: float) -> None:
        """The player is marked as gone since a time (Unix seconds by the clock of Redis)."""
        for schedule in self._marking[player]:
            schedule.gone_marked(player, since)

    def gone_refused(self, player: int, at: Instant) -> None:
        """The player is connected after all."""
        for schedule in self._marking[player]:
            schedule.gone_refused(player, at)

    def gateways_checked(self, alive: Set[str], at: Instant) -> None:
        """Updates which gateways are alive."""
        for schedule in self._asking[CheckGateways]:
            schedule.gateways_checked(alive, at)

    def replies_received(self, reply_list: str, replies: Replies, at: Instant) -> None:
        """Passes replies to the tournament of their list."""
        self._listening[reply_list].replies_received(replies, at)


def fair_windows(
    window: int, wanted: Mapping[int, int], weights: Mapping[int, float]
) -> dict[int, int]:
    """Splits a window in proportion to weights with max-min fairness: unused shares go to the other
    tournaments. Each gets at least 1.

    `wanted` is the number of matches that each tournament has to play.
    """
    windows: dict[int, int] = {}
    left, weight = float(window), sum(weights[each] for each in wanted)
    # The smallest demands by weight come first, so that the others share what they leave.
    for tournament in sorted(wanted, key=lambda each: (wanted[each] / weights[each], each)):
        share = left * weights[tournament] / weight
        windows[tournament] = max(1, min(wanted[tournament], round(share)))
        left = max(0.0, left - windows[tournament])
        weight -= weights[tournament]
    return windows
