"""Room for processes of hosted bots on one host."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf

from arena.hosting.hosted.room import PATIENCE_S, SANDBOX_UNITS, Idle, Room, places

NOW = 100.0


@dataclass
class Bot:
    processes: int = 0
    waits: dict[float, float] = field(default_factory=dict)  # by order: since when
    ended: list[float] = field(default_factory=list)
    has_sandbox: bool = True

    def idle(self) -> Iterable[Idle]:
        for order, since in self.waits.items():
            yield Idle(order, since, lambda order=order: self.end(order))  # type: ignore[misc]

    def end(self, order: float) -> None:
        self.waits.pop(order, None)
        self.ended.append(order)

    def end_sandbox(self) -> None:
        assert not self.processes
        self.has_sandbox = False


@dataclass
class Timer:
    set: list[Callable[[], None]] = field(default_factory=list)

    def later(self, seconds: float, what: Callable[[], None]) -> None:
        assert seconds == PATIENCE_S
        self.set.append(what)

    def passes(self) -> None:
        due, self.set = self.set, []
        for what in due:
            what()


def room(most: int, *bots: Bot, units: float = inf, timer: Timer | None = None) -> Room:
    shared = Room(most, units, lambda: NOW, (timer or Timer()).later)
    shared.bots.extend(bots)
    return shared


def idle(bot: Bot, order: float) -> Idle:
    return Idle(order, NOW, lambda: bot.end(order))


def test_there_is_room_until_all_bots_together_have_so_many() -> None:
    ann, bob = Bot(2), Bot(1)
    shared = room(4, ann, bob)

    assert shared.take(ann, 1)
    ann.processes = 3
    assert not shared.take(bob, 1)


def test_matches_have_the_order_in_which_they_began() -> None:
    shared = room(1)
    assert [shared.order_of(match) for match in ("a", "b", "a")] == [0, 1, 0]
    shared.over("a")
    assert shared.order_of("a") > shared.order_of("b")


def test_for_a_match_that_began_earlier_the_process_goes_whose_match_began_last() -> None:
    ann, bob = Bot(2, {7: NOW, 3: NOW}), Bot(1, {5: NOW})
    shared = room(3, ann, bob)

    assert not shared.take(bob, 4)
    assert (ann.ended, bob.ended) == ([7], [])


def test_a_process_without_a_match_goes_first() -> None:
    ann, bob = Bot(1, {inf: NOW}), Bot(1, {9: NOW})
    assert not room(2, ann, bob).take(bob, 5)
    assert (ann.ended, bob.ended) == ([inf], [])


def test_for_a_match_that_began_later_only_who_waits_for_long_is_ended() -> None:
    ann = Bot(2, {1: NOW - 0.1, 2: NOW - 0.5})
    shared = room(2, ann)

    assert not shared.take(ann, 3)
    assert ann.ended == []
    ann.waits[1] = NOW - PATIENCE_S - 0.1
    assert not shared.take(ann, 3)
    assert ann.ended == [1]


def test_busy_process_is_not_ended() -> None:
    ann = Bot(1)
    assert not room(1, ann).take(ann, 0)
    assert ann.ended == []


def test_one_is_ended_for_the_first_and_nobody_else_until_it_is_gone() -> None:
    ann, bob = Bot(3, {7: NOW, 8: NOW, 9: NOW}), Bot(0)
    shared = room(3, ann, bob)
    for order in (1, 2, 3):
        if not shared.take(bob, order):
            shared.wait(order, lambda: None)
    shared.one_waits(idle(ann, 8))
    assert ann.ended == [9]


def test_newly_idle_process_is_ended_for_an_earlier_match() -> None:
    ann, bob = Bot(2), Bot(0)
    shared = room(2, ann, bob)
    shared.one_waits(idle(ann, 9))  # for nobody
    assert not shared.take(bob, 4)
    shared.wait(4, lambda: None)

    shared.one_waits(idle(ann, 3))
    assert ann.ended == []
    shared.one_waits(idle(ann, 7))
    shared.one_waits(idle(ann, 8))  # the one before is not gone yet
    assert ann.ended == [7]


def test_waiting_matches_get_room_in_their_order() -> None:
    ann, bob = Bot(1), Bot(0)
    shared, came = room(1, ann, bob), list[int]()

    def come(order: int) -> None:
        if shared.take(bob, order):
            bob.processes += 1
            came.append(order)
        else:
            shared.wait(order, lambda: come(order))

    for order in (2, 3, 1):
        come(order)
    assert not shared.has_more(ann)

    ann.processes = 0
    for _ in range(3):
        shared.freed()
        bob.processes = 0
    assert came == [1, 2, 3]


def test_waiting_match_tries_again_after_a_while() -> None:
    timer, tries = Timer(), list[int]()
    shared = room(1, Bot(1), timer=timer)

    def again() -> None:
        tries.append(1)
        shared.wait(1, again)

    shared.wait(1, again)
    timer.passes()
    timer.passes()
    assert len(tries) == 2
    assert len(timer.set) == 1


def test_a_sandbox_takes_memory_too_and_an_empty_one_goes_first() -> None:
    ann, bob, cho = Bot(1, {1: NOW}), Bot(0), Bot(0, has_sandbox=False)
    shared = room(100, ann, bob, cho, units=3 + 2 * SANDBOX_UNITS)

    assert shared.has_more(bob)
    assert not shared.has_more(cho)
    assert shared.take(cho, 0)
    assert (ann.ended, bob.has_sandbox) == ([], False)


def test_for_lack_of_memory_a_process_that_waits_is_ended_and_then_its_sandbox() -> None:
    ann, bob, cho = Bot(1, {5: NOW}), Bot(1), Bot(0, has_sandbox=False)
    shared = room(100, ann, bob, cho, units=2 + 2 * SANDBOX_UNITS)

    assert not shared.take(cho, 1)
    assert (ann.ended, ann.has_sandbox) == ([5], True)
    ann.processes = 0
    assert shared.take(cho, 1)
    assert not ann.has_sandbox


def test_bots_share_the_places_of_a_host_and_each_has_a_process_that_waits() -> None:
    assert places(256, inf, apart=4, together=0) == 63
    assert places(256, 4 * SANDBOX_UNITS + 40, apart=4, together=0) == 9


def test_bots_with_one_process_for_all_matches_take_no_more_than_that() -> None:
    assert places(256, inf, apart=4, together=6) == (256 - 2 * 6) // 4 - 1


def test_every_bot_has_a_place_however_many_there_are() -> None:
    assert places(256, inf, apart=1000, together=0) == 1
    assert places(256, inf, apart=0, together=6) >= 1
