"""Clocks and workers on a machine that is overloaded."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.base.instant import Instant
from arena.protocol.internal.relay_pb2 import Delivery, Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway import machine_load
from arena.service.gateway.sessions import Login, PlayerSession, SessionRegistry, Stream
from arena.service.gateway.sessions.batches import MOST_FORGIVEN_S
from arena.service.gateway.sessions.overload import BUSY_S, HOLD_S, WINDOW_S
from arena.service.gateway.sessions.stalls import TICK_S
from arena.service.health.processes import check_overload
from arena.service.live.overload import RECOVERY_S, recovered
from tests.unit.service.test_gateway_sessions import ADA
from workers.schedule.shared import LEAST_WINDOW, SharedSchedule

MOVE_S = 1.0


class Gateway:
    """A registry with bots of these authors (0: a bot without owner), each asked at time 0."""

    def __init__(self, authors: list[int], *, busy: bool = True) -> None:
        self.now, self.busy = 0.0, busy
        self.registry = SessionRegistry("g1", 5.0, 100_000)
        self.bots: list[tuple[PlayerSession, Stream]] = []
        self.ended: dict[int, Reply.Outcome] = {}
        for number, author in enumerate(authors, 1):
            presence = replace(ADA, player=number, bot=f"bot-{number}", max_in_flight=8, packed=0)
            login = Login(number, "token", author=author)
            self.bots.append(self.registry.connected(presence, login, Instant(0.0, 0.0)))
            self.ask(number)

    def ask(self, number: int, ticket: int = 0) -> None:
        one = ticket or number
        sent = pb.Decision(ticket=one, time_ms=round(MOVE_S * 1000)).SerializeToString()
        self.registry.delivered(
            Delivery(
                player=number, reply_to="w", time_ms=round(MOVE_S * 1000), tickets=[one],
                decisions=[sent],
            ),
            self.now,
        )  # fmt: skip
        session, stream = self.bots[number - 1]
        while session.next_message(stream, self.now):
            pass

    def answer(self, *tickets: int) -> None:
        for ticket in tickets:
            session, stream = self.bots[ticket % 10 - 1 if len(self.bots) < 10 else ticket - 1]
            choices = pb.Choices(choices=[pb.Choice(ticket=ticket, index=1)])
            session.answer(stream, choices, self.now)
        self._collect()

    def until(self, now: float) -> dict[int, Reply.Outcome]:
        """Ticks until then; what became of each ticket so far."""
        while self.now < now - 1e-9:
            self.now = min(self.now + TICK_S, now)
            if self.busy:
                self.registry.machine_is_busy(self.now)
            self.registry.tick(self.now)
        self._collect()
        return self.ended

    def _collect(self) -> None:
        self.registry.outputs.replies.release_due(self.now + 1)
        for _, bundle in self.registry.outputs.replies.take_ready():
            self.ended |= dict.fromkeys(bundle.tickets, Reply.ANSWER)
            self.ended |= {other.ticket: other.outcome for other in bundle.others}


def test_if_most_bots_are_late_on_a_busy_machine_none_of_them_is_blamed() -> None:
    gateway = Gateway([1, 2, 3, 4, 5])
    gateway.until(0.2)
    gateway.answer(1, 2)

    assert gateway.until(MOVE_S + 0.6) == {1: Reply.ANSWER, 2: Reply.ANSWER}
    assert gateway.registry.outputs.overloaded
    gateway.answer(3, 4, 5)

    assert set(gateway.ended.values()) == {Reply.ANSWER}


def test_on_an_idle_machine_every_late_bot_is_at_fault() -> None:
    gateway = Gateway([1, 2, 3, 4, 5], busy=False)

    ended = gateway.until(MOVE_S + 2 * TICK_S)

    assert ended == dict.fromkeys(range(1, 6), Reply.TIMEOUT)
    assert not gateway.registry.outputs.overloaded


def test_one_authors_bots_cannot_stop_the_clocks_however_many_they_are() -> None:
    gateway = Gateway([7] * 20 + [1, 2, 3])
    gateway.until(0.2)
    gateway.answer(21, 22, 23)

    ended = gateway.until(MOVE_S + HOLD_S + 2 * TICK_S)

    assert [ended[number] for number in range(1, 21)] == [Reply.TIMEOUT] * 20
    assert not gateway.registry.outputs.overloaded


def test_a_late_answer_of_one_bot_is_late_although_others_are_waited_for() -> None:
    gateway = Gateway([1, 2, 3, 4, 5])
    gateway.until(0.2)
    gateway.answer(2, 3, 4, 5)
    gateway.until(MOVE_S + HOLD_S / 2)

    gateway.answer(1)

    assert gateway.ended[1] == Reply.TIMEOUT


def test_right_after_an_overload_a_late_answer_of_one_bot_counts() -> None:
    gateway = Gateway([1, 2, 3, 4, 5])
    gateway.until(MOVE_S + 3 * TICK_S)
    gateway.answer(1, 2, 3, 4, 5)
    gateway.until(gateway.now + WINDOW_S)
    for number in (1, 2, 3, 4, 5):
        gateway.ask(number, 10 + number)
    gateway.until(gateway.now + 0.2)
    gateway.answer(12, 13, 14, 15)
    gateway.until(gateway.now + MOVE_S - 0.2 + HOLD_S / 2)

    gateway.answer(11)

    assert gateway.ended[11] == Reply.ANSWER


def test_bots_without_an_owner_count_each_by_itself() -> None:
    gateway = Gateway([0, 0, 0, 0])

    assert gateway.until(MOVE_S + HOLD_S + 2 * TICK_S) == {}


def test_two_bots_are_not_most_bots() -> None:
    gateway = Gateway([1, 2])

    ended = gateway.until(MOVE_S + HOLD_S + 2 * TICK_S)

    assert set(ended.values()) == {Reply.TIMEOUT}


def test_clocks_do_not_stand_still_for_ever() -> None:
    gateway = Gateway([1, 2, 3])

    gateway.until(MOVE_S + MOST_FORGIVEN_S - WINDOW_S)
    assert gateway.ended == {}
    ended = gateway.until(2 * MOVE_S + MOST_FORGIVEN_S + 30 * WINDOW_S)

    assert set(ended.values()) == {Reply.TIMEOUT}


def test_a_measurement_of_the_machine_soon_counts_no_more() -> None:
    gateway = Gateway([1, 2, 3])
    gateway.until(0.1)
    gateway.busy = False

    ended = gateway.until(BUSY_S + WINDOW_S + MOVE_S + 1.0)

    assert set(ended.values()) == {Reply.TIMEOUT}


# The machine


def test_the_kernels_pressure_shows_a_busy_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressure = tmp_path / "cpu"
    monkeypatch.setattr(machine_load, "PRESSURE", (pressure, tmp_path / "none"))

    pressure.write_text("some avg10=97.74 avg60=97.11 avg300=76.68 total=17181774451\n")
    assert machine_load.busy()
    pressure.write_text("some avg10=3.10 avg60=97.11 avg300=76.68 total=17181774451\n")
    assert not machine_load.busy()


@pytest.mark.parametrize(("load", "busy"), [(6.1, True), (5.9, False)])
def test_load_is_used_without_pressure_information(
    load: float, busy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_load, "PRESSURE", (tmp_path / "none",))
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 4)

    assert machine_load.busy() is busy


# Workers


@pytest.mark.parametrize(
    ("held", "passed", "share"),
    [(0.5, 0.0, 0.5), (0.25, RECOVERY_S, 0.5), (0.5, 10 * RECOVERY_S, 1.0), (0.5, 1e9, 1.0)],
)
def test_a_run_that_was_slowed_down_recovers(held: float, passed: float, share: float) -> None:
    assert recovered(held, passed) == pytest.approx(share)


def test_a_slower_run_still_plays_some_matches() -> None:
    schedule = SharedSchedule(512, 60.0, Instant(0.0, 0.0))

    schedule.slow_down(0.25)
    assert schedule.window == 128
    schedule.slow_down(1 / 512)
    assert schedule.window == LEAST_WINDOW
    schedule.slow_down(1.0)
    assert schedule.window == 512


def test_health_says_that_the_machine_is_overloaded_until_it_has_recovered() -> None:
    (found,) = check_overload(0.25)
    (recovered_,) = check_overload(1.0)

    assert found.state == "wrong"
    assert "workers play 25% of their usual matches at once" in found.sentence
    assert "Move bots to other machines" in found.advice
    assert "gateway" not in found.public
    assert recovered_.state == "fine"
