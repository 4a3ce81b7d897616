"""A run that plays several tournaments at once: events in, commands out, no IO."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.base.instant import Instant
from arena.games.match import Seat
from arena.protocol.internal.relay_pb2 import Replies
from arena.service.live.player_presence import Presence
from arena.tournaments.formats import (
    FromSecret,
    PlannedMatch,
    TournamentSpec,
    check_spec,
    format_of,
)
from tests.lab.faults.clock import EPOCH
from workers.schedule import (
    ClaimedBatch,
    MatchFactory,
    Patience,
    RunOutcome,
    Schedule,
    ScheduleLimits,
    shared,
)
from workers.schedule.commands import (
    CheckGateways,
    CheckPresence,
    ClaimBatches,
    CollectReplies,
    Deliver,
    ForTournament,
    Leave,
    MarkGone,
    RenewAllLeases,
    Save,
)
from workers.schedule.routes import PresenceSnapshot
from workers.schedule.schedule import RENEW_S
from workers.schedule.shared import CLAIM_S, SharedCommand, SharedSchedule, fair_windows

NAMES = ("ada", "bob", "cyd")


class Arena:
    """Tournaments whose batches wait, and one run. Players of tournament t are 10 t + 1, 2, 3."""

    def __init__(self, window: int = 12, slice_s: float = 60.0) -> None:
        self.now = 0.0
        self.waiting: list[tuple[int, int]] = []  # tournament and matches, in the order of claims
        self.silent: set[int] = set()  # tournaments whose bots answer nothing
        self.absent: set[int] = set()  # players
        self.most_matches = 0  # that each player takes at once; 0: no limit
        self.same_players = False  # in all tournaments
        self.patience: Patience | None = None
        self.cancelled: set[int] = set()
        self.lost: set[int] = set()
        self.done: list[SharedCommand] = []
        self.finished = Counter[int]()  # matches, by tournament
        self.left: dict[int, RunOutcome] = {}
        self.weights: dict[int, float] = {}
        self.planned: dict[int, Iterator[PlannedMatch]] = {}
        self.numbers, self.tickets = count(), count(1)
        self.run = SharedSchedule(window, slice_s, self.at)

    @property
    def at(self) -> Instant:
        return Instant(self.now, EPOCH + self.now)

    def join(self, tournament: int, matches: int) -> None:
        first = 0 if self.same_players else 10 * tournament
        players = tuple(first + seat for seat in (1, 2, 3))
        if (schedule := self.run.schedules.get(tournament)) is None:
            spec = check_spec(TournamentSpec(game="lama", seats=3, bots=NAMES, matches=300))
            self.planned[tournament] = iter(format_of(spec.format).block(spec, 0))
            seats = {player: Seat(name) for player, name in zip(players, NAMES, strict=True)}
            factory = MatchFactory(spec, players, seats, FromSecret(bytes(32), tournament))
            limits = ScheduleLimits(1, self.run.time_left(self.at), 3.0)
            patience = self.patience
            schedule = Schedule(factory, limits, self.tickets, self.at, patience=patience)
            self.run.join(tournament, schedule, self.weights.get(tournament, 1.0))
        number = next(self.numbers)
        matches_ = [next(self.planned[tournament]) for _ in range(matches)]
        batch = ClaimedBatch(number, matches_, set(), f"list-{number}")
        schedule.batch_claimed(batch, self.at)

    def carry_out(self, command: SharedCommand) -> None:
        self.done.append(command)
        match command:
            case ClaimBatches(room, excluded):
                for claim in [one for one in self.waiting if one[0] not in excluded]:
                    if room > 0:
                        self.waiting.remove(claim)
                        self.join(*claim)
                        room -= claim[1]
            case CheckPresence(players):
                most = self.most_matches
                present = {p: presence(p, most) for p in players if p not in self.absent}
                snapshot = PresenceSnapshot(present, time_us=int(self.now * 1e6))
                self.run.presence_checked(snapshot, self.at)
            case MarkGone(player):
                self.run.gone_marked(player, self.now)
            case CheckGateways():
                self.run.gateways_checked({"g1"}, self.at)
            case RenewAllLeases(held):
                running = {
                    each: None if each in self.lost else each not in self.cancelled for each in held
                }
                self.run.leases_renewed(running, self.at)
            case ForTournament(tournament, Save(finished)):
                self.finished[tournament] += len(finished)
            case Leave(tournament, outcome):
                self.left[tournament] = outcome

    def step(self) -> list[SharedCommand]:
        """One pass, and the answers that come; what was carried out."""
        first = len(self.done)
        while not self.run.finished:
            commands = self.run.next_commands(self.at)
            for command in commands:
                self.carry_out(command)
            if any(isinstance(command, CollectReplies) for command in commands):
                break
        self.now += 0.01
        self.answer()
        return self.done[first:]

    def answer(self) -> None:
        for tournament, schedule in list(self.run.schedules.items()):
            open_ = list(schedule.matches.open.values())
            if tournament not in self.silent and open_:
                for active in open_:
                    view = active.match.decision
                    assert view is not None
                    reply = Replies(
                        tickets=[active.ticket], indices=[view.indices[0]], latencies_us=[1]
                    )
                    reply_list = active.batch.outbound.reply_to
                    self.run.replies_received(reply_list, reply, self.at)

    def play(self, until: Callable[[], bool] = lambda: False) -> None:
        for _ in range(20_000):
            if self.run.finished or until():
                return
            self.step()
        raise AssertionError("it does not end")

    def in_flight(self) -> dict[int, int]:
        return {number: len(one.matches) for number, one in self.run.schedules.items()}


def presence(player: int, max_matches: int = 0) -> Presence:
    fields: dict[str, Any] = {
        "player": player, "bot": f"bot-{player}", "version": "1", "gateway": "g1",
        "session": "1", "since": 0.0, "games": ("lama",), "min_seats": 2, "max_seats": 6,
        "max_in_flight": 16, "sdk": "test", "max_matches": max_matches,
    }  # fmt: skip
    return Presence(**fields)


def arena(*waiting: tuple[int, int], **options: Any) -> Arena:
    made = Arena(**options)
    made.waiting = list(waiting)
    return made


def test_all_that_waits_is_played_and_then_the_run_ends() -> None:
    world = arena((1, 6), (2, 4), (1, 3), (3, 1))

    world.play()

    assert world.finished == {1: 9, 2: 4, 3: 1}
    assert world.left == dict.fromkeys((1, 2, 3), RunOutcome.DONE)
    assert not world.waiting


def test_a_run_that_finds_nothing_ends_at_once() -> None:
    world = arena()

    world.step()

    assert world.done == [ClaimBatches(12)]
    assert world.run.finished


def test_messages_to_a_gateway_and_replies_are_joint() -> None:
    world = arena((1, 3), (2, 3))

    commands = world.step()

    (delivered,) = [one for one in commands if isinstance(one, Deliver)]
    assert {one.player // 10 for one in delivered.deliveries["g1"]} == {1, 2}
    (collecting,) = [one for one in commands if isinstance(one, CollectReplies)]
    assert len(collecting.reply_lists) == 2
    assert collecting.want == 6


def test_presence_gateways_and_leases_are_checked_once_for_all() -> None:
    world = arena((1, 4), (2, 4), (3, 4))
    world.step()
    world.now += RENEW_S

    commands = world.step()

    for kind in (RenewAllLeases, CheckPresence, CheckGateways):
        assert len([one for one in commands if isinstance(one, kind)]) == 1, kind
    (renewed,) = [one for one in commands if isinstance(one, RenewAllLeases)]
    assert renewed.batches.keys() == {1, 2, 3}


def test_tournament_that_waits_for_an_absent_player_delays_no_other() -> None:
    world = arena((1, 12), (1, 12), (2, 20), (2, 20), window=12)
    world.patience = Patience(EPOCH, 30.0, 20)
    world.absent = {11}

    world.play(lambda: world.finished[2] == 40)

    assert world.run.schedules[1].postponed == 24
    assert not world.waiting
    world.absent = set()
    world.play()
    assert world.finished == {1: 24, 2: 40}
    assert world.now < 30


def test_a_run_takes_no_more_of_a_tournament_of_which_very_much_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "MOST_POSTPONED", 12)
    world = arena((1, 12), (1, 12), window=12)
    world.patience = Patience(EPOCH, 30.0, 20)
    world.absent = {11}
    world.step()
    world.now += CLAIM_S

    world.step()

    assert ClaimBatches(12, (1,)) in world.done
    assert world.waiting == [(1, 12)]


def test_a_small_tournament_gets_its_share_beside_a_large_one_that_came_first() -> None:
    world = arena((1, 200))
    world.step()
    assert world.in_flight() == {1: 12}

    world.waiting.append((2, 6))
    world.now += CLAIM_S
    world.play(lambda: world.left.get(2) is RunOutcome.DONE)

    assert world.finished[2] == 6
    assert world.finished[1] < 40, "it did not wait for the large one"


def test_a_bot_that_answers_nothing_stops_its_own_tournament_only() -> None:
    world = arena((1, 50))
    world.silent = {1}
    world.step()

    world.waiting = [(2, 20)]
    world.now += CLAIM_S
    world.play(lambda: 2 in world.left)

    assert world.left == {2: RunOutcome.DONE}
    assert world.in_flight() == {1: 12}


def test_weights_divide_the_window() -> None:
    world = arena((1, 200), (2, 200), window=40)
    world.weights = {1: 4.0, 2: 1.0}
    world.step()
    world.now += CLAIM_S

    world.play(lambda: world.in_flight()[1] <= 32)

    assert world.in_flight() == {1: 32, 2: 8}


def test_without_room_one_batch_of_another_tournament_is_claimed_now_and_then() -> None:
    world = arena((1, 50))
    world.silent = {1}
    world.step()
    world.waiting = [(1, 50), (2, 50), (3, 50)]

    claims: list[ClaimBatches] = []
    for _ in range(3):
        claims += [one for one in world.step() if isinstance(one, ClaimBatches)]
        world.now += CLAIM_S

    assert claims == [ClaimBatches(1, (1,)), ClaimBatches(1, (1, 2))]
    assert world.waiting == [(1, 50)]


def test_at_the_end_of_its_slice_all_are_suspended() -> None:
    world = arena((1, 50), (2, 5), window=60, slice_s=5.0)
    world.silent = {1, 2}
    world.step()
    world.now += 5.0

    world.play()

    assert world.left == dict.fromkeys((1, 2), RunOutcome.SUSPENDED)


@pytest.mark.parametrize("stop", [True, False])
def test_a_run_that_is_to_stop_claims_nothing_more(stop: bool) -> None:
    world = arena((1, 50))
    world.step()
    world.waiting = [(2, 5)]
    if stop:
        world.run.stop_requested()
    else:
        world.now += 60.0

    world.play()

    assert world.left == {1: RunOutcome.SUSPENDED}
    assert world.waiting == [(2, 5)]


def test_one_that_is_cancelled_or_lost_its_lease_leaves_and_the_others_stay() -> None:
    world = arena((1, 5), (2, 5), (3, 5), window=15)
    world.silent = {1, 2}
    world.step()
    world.cancelled, world.lost = {1}, {2}
    world.now += RENEW_S

    world.play(lambda: len(world.left) == 3)

    assert world.left == {1: RunOutcome.SUSPENDED, 2: RunOutcome.LEASE_LOST, 3: RunOutcome.DONE}


def test_one_that_is_dropped_is_not_asked_any_more() -> None:
    world = arena((1, 5), (2, 5))
    world.step()

    world.run.drop(1)
    world.play()

    assert world.left == {2: RunOutcome.DONE}
    assert not world.finished[1]


def test_absent_player_of_one_tournament_does_not_affect_others() -> None:
    world = arena((1, 3), (2, 3))
    world.absent = {11}
    world.play(lambda: 2 in world.left)
    assert world.now < 3.0, "the grace time has not passed"

    world.play()

    assert world.finished == {1: 3, 2: 3}


# How a window is split


def test_a_window_is_shared_by_weight_and_what_one_leaves_falls_to_others() -> None:
    assert fair_windows(100, {1: 500}, {1: 1.0}) == {1: 100}
    assert fair_windows(100, {1: 500, 2: 500}, {1: 3.0, 2: 1.0}) == {1: 75, 2: 25}
    assert fair_windows(100, {1: 500, 2: 10}, {1: 1.0, 2: 1.0}) == {1: 90, 2: 10}
    assert fair_windows(2, {1: 5, 2: 5, 3: 5}, dict.fromkeys((1, 2, 3), 1.0))[3] >= 1
    # Who wants little for its weight comes first, although another one wants less.
    assert fair_windows(10, {1: 6, 2: 5}, {1: 4.0, 2: 1.0}) == {1: 6, 2: 4}
    assert fair_windows(100, {}, {}) == {}


@given(
    window=st.integers(1, 500),
    wanted=st.lists(st.tuples(st.integers(0, 300), st.sampled_from([0.25, 1.0, 4.0])), max_size=20),
)
def test_every_tournament_gets_a_share_and_the_window_is_used(
    window: int, wanted: Sequence[tuple[int, float]]
) -> None:
    wants = {number: matches for number, (matches, _) in enumerate(wanted)}
    weights = {number: weight for number, (_, weight) in enumerate(wanted)}

    windows = fair_windows(window, wants, weights)

    assert windows.keys() == wants.keys()
    assert all(share >= 1 for share in windows.values())
    assert sum(windows.values()) <= window + len(wants)
    if sum(wants.values()) >= window >= len(wants) > 0:
        assert sum(windows.values()) >= window - len(wants)


@pytest.mark.long
@pytest.mark.parametrize("same_players", [True, False])
def test_no_more_matches_are_under_way_with_a_player_than_it_takes(same_players: bool) -> None:
    world = arena((1, 30), (2, 30), window=24)
    world.most_matches, world.same_players = 5, same_players
    most = 0

    while not world.run.finished:
        world.step()
        in_flight = world.in_flight()
        most = max(most, sum(in_flight.values()))
        if not same_players:
            assert max(in_flight.values(), default=0) <= 5

    assert most == (5 if same_players else 10)
    assert world.finished == {1: 30, 2: 30}


def test_a_tournament_that_ends_or_is_suspended_makes_room_for_others() -> None:
    world = arena((1, 5), window=24)
    world.most_matches, world.same_players = 5, True
    world.silent = {1}
    world.step()
    world.waiting = [(2, 5)]
    world.play(lambda: 2 in world.run.schedules)
    world.step()
    assert world.in_flight() == {1: 5, 2: 0}

    world.run.drop(1)
    world.step()

    assert world.in_flight() == {2: 5}


def test_of_a_tournament_for_which_there_is_no_room_nothing_more_is_claimed() -> None:
    world = arena((1, 12), window=24)
    world.most_matches, world.silent = 5, {1}
    world.step()
    world.waiting = [(1, 12), (2, 4)]
    world.play(lambda: 2 in world.run.schedules)

    assert world.waiting == [(1, 12)]  # for another worker
    assert world.run.schedules[1].postponed == 7


@pytest.mark.long
def test_tournaments_that_compete_for_a_player_take_turns() -> None:
    world = arena((1, 40), (2, 40), window=24)
    world.most_matches, world.same_players = 2, True

    world.play(lambda: world.finished.total() >= 30)

    assert min(world.finished[1], world.finished[2]) >= 8
