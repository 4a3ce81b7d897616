"""One run that plays batches of several tournaments at once.

Most of a match is waiting for bots, so a worker that played one tournament at a time would stand
still for a slow one, and serve many small ones one by one. Here all take part in the same passes:
what goes to one gateway travels together, and replies are gathered from all. The window is shared
by weight, so a large tournament cannot crowd out a small one, and a slow bot only fills the part of
its own tournament.

    shared = SharedSchedule(window, slice_s, now())
    while not shared.finished:
        for command in shared.next_commands(now()):
            ...                      # carry it out; the answer to a check goes back

Which batches are claimed, the caller decides: `arena.service.live.ready`.
"""

from __future__ import annotations

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

LEAST_WINDOW = 4  # matches at once, however overloaded the machine is
CLAIM_S = 0.25  # how often more is looked for; idle workers have the first choice
MOST_TOURNAMENTS = 128  # in one run, about, without those that only wait for absent players
MOST_POSTPONED = 4096  # matches of one tournament that wait for absent players in a run, about
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
        """Plays up to `window` matches at once, and for up to `slice_s` seconds."""
        self.schedules: dict[int, Schedule] = {}
        self.finished = False  # nothing to play, or no time left
        self._most, self.window, self._deadline = window, window, at.monotonic + slice_s
        self._weights: dict[int, float] = {}
        self._under_way = Counter[int]()  # matches in all of them, by player
        self._claimed, self._looked = -inf, False
        self._claims_done = False  # for the next pass
        self._stopping = False
        self._turn = 0
        self._due: dict[int, None] = {}  # who has not decided what to do in this pass
        self._asking: dict[type[Command], list[Schedule]] = {}  # who waits for which check
        self._marking: dict[int, list[Schedule]] = {}  # by player who is to be marked as gone
        self._effects: list[SharedCommand] = []  # of those who have decided
        self._deliveries: dict[str, list[Delivery]] = {}
        self._collecting: list[CollectReplies] = []
        self._listening: dict[str, Schedule] = {}  # by reply list

    # Who takes part

    def join(self, tournament: int, schedule: Schedule, weight: float) -> None:
        """A tournament takes part from the next pass on."""
        self.schedules[tournament], self._weights[tournament] = schedule, weight
        schedule.matches.count_together(self._under_way)
        self._looked = False

    def drop(self, tournament: int) -> None:
        """Nothing more is done for a tournament."""
        schedule = self.schedules.pop(tournament)
        schedule.matches.abandon()
        del self._weights[tournament]
        self._due.pop(tournament, None)
        self._looked = False
        for asking in (*self._asking.values(), *self._marking.values()):
            if schedule in asking:
                asking.remove(schedule)

    def time_left(self, at: Instant) -> float:
        """Seconds until all is suspended."""
        return max(0.0, self._deadline - at.monotonic)

    def stop_requested(self) -> None:
        """The process is about to end: everything is suspended."""
        self._stopping = True
        for schedule in self.schedules.values():
            schedule.stop_requested()

    # What is to be done

    def next_commands(self, at: Instant) -> Sequence[SharedCommand]:
        """What is to be done now, in this order. The caller asks again when that is done, until
        the run is finished."""
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
        """Looks for more: as much as there is room for, or one batch of a tournament that waits
        although this run has no room, so that nobody waits for the end of another tournament."""
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
        # Where very many matches wait for absent players, more would hardly bring any others; and
        # none of those for whom there is no room here.
        held = self.schedules.items()
        full = [n for n, one in held if one.postponed >= MOST_POSTPONED or one.crowded]
        return ClaimBatches(room, tuple(full))

    def _in_turn(self) -> Sequence[int]:
        """The tournaments in the order in which they decide. Where they compete for players who
        take few matches at once, another one comes first each time."""
        numbers = list(self.schedules)
        if not any(one.crowded for one in self.schedules.values()):
            return numbers
        self._turn = (self._turn + 1) % len(numbers)
        return numbers[self._turn :] + numbers[: self._turn]

    def _share_window(self) -> None:
        # Who only waits for absent players takes nothing from the others.
        wanted = {number: one.to_play for number, one in self.schedules.items() if one.to_play}
        windows = fair_windows(self.window, wanted, self._weights)
        for number, schedule in self.schedules.items():
            schedule.window = windows.get(number, 1)

    def _decide(self, at: Instant) -> Iterator[SharedCommand]:
        """Lets each tournament decide; yields what some have to know before."""
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
        """One check of each kind for all that need it."""
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
        """All together: what is for bots goes out first, then what is to be stored; replies come
        meanwhile."""
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

    # What the caller found

    def slow_down(self, share: float) -> None:
        """Plays this share of its matches at once from now on: the machine is, or was,
        overloaded."""
        self.window = max(round(self._most * share), min(LEAST_WINDOW, self._most))

    def leases_renewed(self, running: Mapping[int, bool | None], at: Instant) -> None:
        """Whether each tournament still runs; None for one of which a lease was lost."""
        for tournament, runs in running.items():
            if runs is None:
                self.schedules[tournament].lease_lost()
            else:
                self.schedules[tournament].leases_renewed(at, running=runs)

    def presence_checked(self, snapshot: PresenceSnapshot, at: Instant) -> None:
        """The players are connected as the snapshot says."""
        for schedule in self._asking[CheckPresence]:
            schedule.presence_checked(snapshot, at)

    def gone_marked(self, player: int, since: float) -> None:
        """The player is not connected, and is marked as gone since a moment (Unix seconds)."""
        for schedule in self._marking[player]:
            schedule.gone_marked(player, since)

    def gone_refused(self, player: int, at: Instant) -> None:
        """The player is connected after all."""
        for schedule in self._marking[player]:
            schedule.gone_refused(player, at)

    def gateways_checked(self, alive: Set[str], at: Instant) -> None:
        """Which gateways live, of those that hold decisions."""
        for schedule in self._asking[CheckGateways]:
            schedule.gateways_checked(alive, at)

    def replies_received(self, reply_list: str, replies: Replies, at: Instant) -> None:
        """Hands replies to the tournament whose list they came on."""
        self._listening[reply_list].replies_received(replies, at)


def fair_windows(
    window: int, wanted: Mapping[int, int], weights: Mapping[int, float]
) -> dict[int, int]:
    """Splits a window of so many matches in proportion to weights; what one tournament does not
    want falls to the others (max-min fairness). Everyone gets at least 1.

    `wanted`: matches that each has to play, by tournament.
    """
    windows: dict[int, int] = {}
    left, weight = float(window), sum(weights[each] for each in wanted)
    # First those that want least for their weight: what they leave is there for all that follow.
    for tournament in sorted(wanted, key=lambda each: (wanted[each] / weights[each], each)):
        share = left * weights[tournament] / weight
        windows[tournament] = max(1, min(wanted[tournament], round(share)))
        left = max(0.0, left - windows[tournament])
        weight -= weights[tournament]
    return windows
