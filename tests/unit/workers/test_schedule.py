"""The schedule of a run: events in, commands out, no Redis, no database, no thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

import pytest

from arena.base.instant import Instant
from arena.games.match import Seat
from arena.games.rules.rows import VERSION
from arena.protocol.internal.relay_pb2 import Replies, Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Decisions
from arena.service.live.player_presence import PAGE, Presence
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
    Command,
    MatchFactory,
    RunOutcome,
    Schedule,
    ScheduleLimits,
    notices,
)
from workers.schedule.commands import (
    AdvanceTournament,
    CheckGateways,
    CheckPresence,
    CollectReplies,
    Deliver,
    MarkGone,
    ReleaseLease,
    RenewLeases,
    Save,
)
from workers.schedule.matches_in_play import RESEND_S
from workers.schedule.routes import PresenceSnapshot
from workers.schedule.schedule import IDLE_S, RENEW_S, SAVE_MATCHES

NAMES = ("ada", "bob", "cyd")
GRACE_S = 3.0
PLAYERS = (1, 2, 3)
C = TypeVar("C")


def presence(player: int, **changes: Any) -> Presence:
    fields: dict[str, Any] = {
        "player": player, "bot": f"bot-{player}", "version": "1", "gateway": "g1",
        "session": "1", "since": 0.0, "games": ("lama",), "min_seats": 2, "max_seats": 6,
        "max_in_flight": 16, "sdk": "test",
    }  # fmt: skip
    return Presence(**{**fields, **changes})


class Driver:
    """Carries commands out as a test says: by default everybody is connected at one gateway."""

    def __init__(self, *, matches: int = 6, **options: Any) -> None:
        asked = TournamentSpec(game="lama", seats=3, bots=NAMES, matches=matches)
        spec = check_spec(replace(asked, **options.pop("spec", {})))
        self.planned = tuple(format_of(spec.format).block(spec, 0))
        self.players = tuple(range(1, len(spec.bots) + 1))
        seats = {player: Seat(name) for player, name in zip(self.players, spec.bots, strict=True)}
        hosted, group = frozenset(options.pop("hosted", ())), options.pop("group", 0)
        secret = FromSecret(bytes(32), 1)
        factory = MatchFactory(spec, self.players, seats, secret, hosted, group)
        limits = ScheduleLimits(options.pop("window", 4), options.pop("slice_s", 60.0), GRACE_S)
        self.now = 0.0
        self.present = {player: presence(player) for player in self.players}
        self.left: set[int] = set()
        self.gone: dict[int, float] = {}  # since when (Unix seconds)
        self.alive = {"g1"}
        self.done: list[Command] = []
        self.schedule = Schedule(factory, limits, count(1), self.at, **options)

    @property
    def at(self) -> Instant:
        return Instant(self.now, EPOCH + self.now)

    def claimed(self, matches: Sequence[PlannedMatch], number: int = 0, **more: Any) -> Driver:
        batch = ClaimedBatch(number, matches, more.pop("stored", set()), f"list-{number}", **more)
        self.schedule.batch_claimed(batch, self.at)
        return self

    def step(self) -> list[Command]:
        """Lets the schedule go on until it waits for replies; what it had carried out."""
        first = len(self.done)
        while self.schedule.outcome is None:
            commands = self.schedule.next_commands(self.at)
            for command in commands:
                self.carry_out(command)
            if any(isinstance(command, CollectReplies) for command in commands):
                break
        return self.done[first:]

    def carry_out(self, command: Command) -> None:
        self.done.append(command)
        match command:
            case CheckPresence():
                absent = set(self.players) - self.present.keys()
                self.gone |= dict.fromkeys(absent & self.left, self.at.unix)
                self.gone = {one: since for one, since in self.gone.items() if one in absent}
                # The clock of Redis is wrong: it reads `now`.
                snapshot = PresenceSnapshot(
                    self.present,
                    any_gateway=bool(self.alive),
                    left=frozenset(self.left),
                    given_up={one: since - EPOCH for one, since in self.gone.items()},
                    time_us=int(self.now * 1e6),
                )
                self.schedule.presence_checked(snapshot, self.at)
            case MarkGone(player):
                since = self.gone.setdefault(player, self.at.unix)
                self.schedule.gone_marked(player, since - EPOCH)
            case CheckGateways():
                self.schedule.gateways_checked(self.alive, self.at)
            case RenewLeases():
                self.schedule.leases_renewed(self.at, running=True)

    def asked(self) -> Iterator[pb.Decision]:
        """The decisions delivered last."""
        for delivery in (d for letter in self.of(Deliver)[-1].deliveries.values() for d in letter):
            yield from map(pb.Decision.FromString, delivery.decisions)

    def of(self, kind: type[C]) -> list[C]:
        return [command for command in self.done if isinstance(command, kind)]

    def answer_all(self) -> None:
        """Every decision that gateways hold is answered."""
        open_ = list(self.schedule.matches.open.values())
        views = [active.match.decision for active in open_]
        replies = Replies(
            tickets=[active.ticket for active in open_],
            indices=[view.indices[0] for view in views if view is not None],
            latencies_us=[100] * len(open_),
        )
        self.schedule.replies_received(replies, self.at)

    def play(self) -> RunOutcome:
        while self.schedule.outcome is None:
            self.step()
            self.now += 0.001
            if self.schedule.outcome is None and self.schedule.matches.open:
                self.answer_all()
        return self.schedule.outcome


def begun(**options: Any) -> Driver:
    driver = Driver(**options)
    return driver.claimed(driver.planned)


def test_decisions_are_packed_for_those_who_read_that() -> None:
    driver = Driver(matches=12, window=12)
    driver.present[1] = presence(1, packed=VERSION)
    driver.present[2] = presence(2, packed=VERSION + 1)  # of a release to come
    driver.claimed(driver.planned)
    driver.step()

    (deliveries,) = driver.of(Deliver)[-1].deliveries.values()
    by_player = {delivery.player: delivery for delivery in deliveries}
    assert not by_player[1].tickets
    assert not by_player[2].packed_tickets
    assert not by_player[3].packed_tickets
    got = by_player[1]
    sent = Decisions(got.game, got.seats, {}, got.rows, got.moves)
    matches = driver.schedule.matches.open
    assert list(sent) == [matches[ticket].match.decision for ticket in got.packed_tickets]
    assert len(matches) == 12


def test_a_decision_that_fits_in_no_row_is_sent_by_itself() -> None:
    driver = Driver(matches=6, window=6)
    driver.present = {player: presence(player, packed=VERSION) for player in PLAYERS}
    driver.claimed(driver.planned)
    driver.step()
    active = next(iter(driver.schedule.matches.open.values()))
    active.match.game.points[0] = 256

    notices.send_decision(active, driver.schedule.routes)

    ((_, delivery),) = active.batch.outbound.take(lambda player: "g1")
    assert not delivery.packed_tickets
    assert pb.Decision.FromString(delivery.decisions[0]).view.points[0] == 256


def test_a_batch_is_played_stored_released_and_the_tournament_advanced() -> None:
    driver = begun()

    assert driver.play() is RunOutcome.DONE

    finished = [active.planned.position for save in driver.of(Save) for active in save.finished]
    assert sorted(finished) == [planned.position for planned in driver.planned]
    assert driver.done[-2:] == [ReleaseLease(0), AdvanceTournament()]
    assert driver.of(Save)[-1].completed == [0]


def test_a_pass_checks_first_then_sends_one_letter_then_collects() -> None:
    driver = begun()

    kinds = [type(command) for command in driver.step()]

    assert kinds == [CheckPresence, Deliver, CollectReplies]
    collect = driver.of(CollectReplies)[0]
    assert (collect.reply_lists, collect.wait_s, collect.want) == (["list-0"], IDLE_S, 4)
    assert len(list(driver.asked())) == 4, "the window"


def test_it_waits_for_no_more_replies_than_bots_hold() -> None:
    driver = begun()
    driver.present = {player: presence(player, max_in_flight=1) for player in PLAYERS}

    driver.step()

    askers = {active.player for active in driver.schedule.matches.open.values()}
    assert driver.of(CollectReplies)[0].want == len(askers)


def test_matches_that_were_stored_are_not_played_again() -> None:
    driver = Driver()
    stored = {driver.planned[0].position, driver.planned[3].position}
    driver.claimed(driver.planned, stored=stored)

    assert driver.play() is RunOutcome.DONE

    finished = {active.planned.position for save in driver.of(Save) for active in save.finished}
    assert finished == {planned.position for planned in driver.planned} - stored


def test_duplicated_late_and_unknown_replies_are_ignored() -> None:
    driver = begun()
    driver.step()
    asked = list(driver.asked())
    driver.answer_all()
    before = list(driver.schedule.matches.to_send)

    driver.schedule.replies_received(
        Replies(tickets=[asked[0].ticket, 999], indices=[0, 0], latencies_us=[1, 1]), driver.at
    )

    assert list(driver.schedule.matches.to_send) == before


def test_a_bounced_decision_is_sent_again_under_its_ticket_once_presence_is_known() -> None:
    driver = begun(window=1)
    driver.step()
    (asked,) = driver.asked()
    bounced = Replies(others=[Reply(ticket=asked.ticket, outcome=Reply.BOUNCED)])
    driver.schedule.replies_received(bounced, driver.at)

    driver.now += 0.01
    assert not any(isinstance(command, Deliver) for command in driver.step())
    driver.now += 1.0
    driver.step()

    assert [again.ticket for again in driver.asked()] == [asked.ticket]


def bounce(driver: Driver, used_s: float) -> None:
    """The bots of all open decisions turn up at another gateway, after they used this time."""
    outcome, latency_us = Reply.BOUNCED, round(used_s * 1e6)
    open_ = driver.schedule.matches.open
    back = [Reply(ticket=ticket, outcome=outcome, latency_us=latency_us) for ticket in open_]
    driver.schedule.replies_received(Replies(others=back), driver.at)
    driver.now += 1.0
    driver.step()


def test_a_bot_that_moves_to_another_gateway_has_the_rest_of_its_time() -> None:
    driver = begun(window=1, spec={"move_ms": 2500})
    driver.step()
    (active,) = driver.schedule.matches.open.values()
    times = []
    for _ in range(6):
        bounce(driver, 1.0)
        times += [asked.time_ms for asked in driver.asked()]

    # A second at least, until the grace time of 3 s is used up; then it is another's turn.
    assert times == [1500, 1000, 1000, 1000, 500, 2500]
    assert [fault.kind for fault in active.match.faults] == ["timeout"]


def test_a_move_to_another_gateway_uses_the_grace_time_once_for_all_decisions() -> None:
    driver = begun(matches=12, window=12, spec={"move_ms": 2000})
    driver.step()

    bounce(driver, 1.8)
    bounce(driver, 0.0)

    assert {asked.time_ms for asked in driver.asked()} == {1000}
    assert driver.schedule.routes.used == dict.fromkeys(PLAYERS, pytest.approx(0.8))
    driver.answer_all()
    assert driver.schedule.routes.used[1] < 0.8


def test_decisions_of_a_dead_gateway_go_to_the_next() -> None:
    driver = begun(window=2)
    driver.step()
    first = {asked.ticket for asked in driver.asked()}
    driver.alive = {"g2"}
    driver.present = {player: presence(player, gateway="g2") for player in PLAYERS}

    for _ in range(2):  # it is noticed, and then looked where the players are now
        driver.now += 1.0
        driver.step()

    assert set(driver.of(Deliver)[-1].deliveries) == {"g2"}
    assert {asked.ticket for asked in driver.asked()} == first


def test_an_old_decision_is_sent_again_in_case_it_got_lost() -> None:
    driver = begun(window=2, slice_s=1000.0)
    driver.step()
    first = {asked.ticket for asked in driver.asked()}

    sent_at = list[float]()
    for _ in range(int(2 * RESEND_S) + 5):
        driver.now += 1.0
        if any(isinstance(command, Deliver) for command in driver.step()):
            sent_at.append(driver.now)
            assert {asked.ticket for asked in driver.asked()} == first

    assert len(sent_at) == 2, "each time a decision has waited so long, and not in between"
    assert RESEND_S <= sent_at[0] <= RESEND_S + 2
    assert RESEND_S <= sent_at[1] - sent_at[0] <= RESEND_S + 2


def test_an_absent_player_is_charged_after_the_grace_time_and_marked_before() -> None:
    driver = begun()
    del driver.present[2]
    driver.step()
    assert not driver.of(MarkGone)

    driver.now += 3.0
    driver.step()

    assert driver.of(MarkGone) == [MarkGone(2)]
    driver.play()
    finished = [active for save in driver.of(Save) for active in save.finished]
    charged = {active.players[f.seat] for active in finished for f in active.match.faults}
    assert charged == {2}
    assert all(f.forfeited for active in finished for f in active.match.faults)


def offer(driver: Driver, games: list[str], seconds: float) -> None:
    """Bot 1 connects with these games, and this time passes."""
    driver.present[1] = presence(1, games=games, session=str(int(driver.now * 1e6)))
    for _ in range(round(seconds / 0.25)):
        driver.now += 0.25
        driver.step()


def test_times_without_the_game_share_the_grace_time() -> None:
    driver = begun(window=1, slice_s=1e6)
    driver.step()
    faults = []
    for _ in range(3):
        offer(driver, ["dice"], 0.25)
        while driver.schedule.matches.open:
            driver.answer_all()
            driver.step()
        (active,) = driver.schedule.matches.to_send
        offer(driver, ["dice"], 1.0)
        faults.append(len(active.match.faults))
        offer(driver, ["lama"], 0.25)

    assert faults == [0, 0, 1], "three seconds are shared"


def test_player_that_connects_at_the_last_moment_is_not_charged() -> None:
    driver = begun()
    del driver.present[2]
    driver.step()
    driver.now += 3.0
    while MarkGone(2) not in (commands := driver.schedule.next_commands(driver.at)):
        for command in commands:
            driver.carry_out(command)
    driver.present[2] = presence(2)
    driver.schedule.gone_refused(2, driver.at)

    assert driver.play() is RunOutcome.DONE
    assert not any(a.match.faults for save in driver.of(Save) for a in save.finished)


def test_without_a_gateway_no_grace_time_runs() -> None:
    driver = begun()
    driver.present, driver.alive = {}, set()
    for _ in range(100):
        driver.now += 1.0
        driver.step()
        if driver.schedule.outcome is not None:
            break

    assert not driver.of(MarkGone)
    assert driver.schedule.outcome is RunOutcome.SUSPENDED  # the time slice is over
    assert not driver.of(Save)[-1].finished


def test_a_lost_lease_ends_the_run_and_stores_nothing() -> None:
    driver = begun()
    driver.step()
    driver.answer_all()
    driver.now += RENEW_S

    assert driver.schedule.next_commands(driver.at) == (RenewLeases([0]),)
    driver.schedule.lease_lost()

    assert driver.schedule.outcome is RunOutcome.LEASE_LOST
    assert driver.schedule.next_commands(driver.at) == ()
    assert not driver.of(Save)


@pytest.mark.parametrize("reason", ["stop requested", "time slice", "tournament cancelled"])
def test_a_run_that_must_end_suspends_its_matches(reason: str) -> None:
    driver = begun(slice_s=10.0)
    driver.step()
    if reason == "stop requested":
        driver.schedule.stop_requested()
    elif reason == "time slice":
        driver.now += 10.0
    else:
        driver.schedule.leases_renewed(driver.at, running=False)
    driver.step()

    assert driver.schedule.outcome is RunOutcome.SUSPENDED
    (checkpoint,) = driver.of(Save)[-1].checkpoints
    assert (checkpoint.batch, checkpoint.reply_to, len(checkpoint.matches)) == (0, "list-0", 4)


def test_a_run_plays_at_least_one_pass_however_long_it_took_to_load() -> None:
    driver = begun(slice_s=0.001)
    driver.now += 5.0

    driver.step()
    driver.answer_all()
    driver.now += 0.001
    driver.step()

    assert driver.schedule.outcome is RunOutcome.SUSPENDED
    (checkpoint,) = driver.of(Save)[-1].checkpoints
    assert all(active.match.logged for active in checkpoint.matches)


@pytest.mark.long
def test_results_are_stored_by_the_hundred() -> None:
    driver = begun(matches=240, window=240)

    driver.play()

    sizes = [len(save.finished) for save in driver.of(Save)]
    assert sum(sizes) == 240
    assert max(sizes) >= SAVE_MATCHES
    assert len(sizes) < 10


def test_a_batch_that_joins_is_played_beside_the_others() -> None:
    driver = Driver(window=6)
    driver.claimed(driver.planned[:3])
    driver.step()
    driver.claimed(driver.planned[3:], number=1)
    driver.step()

    assert driver.of(CollectReplies)[-1].reply_lists == ["list-0", "list-1"]
    assert driver.play() is RunOutcome.DONE
    assert {release.batch for release in driver.of(ReleaseLease)} == {0, 1}


def test_a_window_that_shrinks_starts_nothing_until_there_is_room_again() -> None:
    driver = begun(matches=12, window=6)
    driver.step()
    assert (len(driver.schedule.matches), driver.schedule.to_play) == (6, 12)

    driver.schedule.window = 2
    sizes = []
    while driver.schedule.outcome is None:
        driver.answer_all()
        driver.step()
        sizes.append(len(driver.schedule.matches))

    assert sizes == sorted(sizes, reverse=True)
    assert 2 in sizes
    assert sum(len(save.finished) for save in driver.of(Save)) == 12


def test_a_run_ends_when_only_people_are_asked() -> None:
    driver = Driver(matches=3, window=1, shows_people=True)
    driver.present = {player: presence(player, gateway=PAGE) for player in PLAYERS}
    driver.claimed(driver.planned[:1])

    driver.step()
    driver.step()

    assert driver.schedule.outcome is RunOutcome.WAITING_FOR_PEOPLE
    assert not driver.of(Deliver), "people read the checkpoint"
    assert len(driver.of(Save)[-1].checkpoints[0].matches) == 1


def test_a_person_who_left_forfeits_at_once() -> None:
    driver = Driver(matches=3, window=1, shows_people=True)
    driver.present = {1: presence(1), 2: presence(2)}
    driver.left = {3}
    driver.claimed(driver.planned[:1])

    assert driver.play() is RunOutcome.DONE

    (active,) = [active for save in driver.of(Save) for active in save.finished]
    (fault,) = active.match.faults
    assert (fault.reason, fault.forfeited) == ("cyd left the table.", True)
