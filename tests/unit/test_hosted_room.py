"""Room for processes of hosted bots on one host."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from arena.hosted.room import JAIL_UNITS, Room


@dataclass
class Bot:
    processes: int = 0
    waiting_since: list[float] = field(default_factory=list)
    ended: int = 0
    has_jail: bool = True

    def end_jail(self) -> None:
        assert not self.processes
        self.has_jail = False

    def idle_since(self) -> float:
        return min(self.waiting_since, default=inf)

    def end_idle(self) -> None:
        self.waiting_since.remove(min(self.waiting_since))
        self.ended += 1


def room(most: int, *bots: Bot) -> Room:
    shared = Room(most)
    shared.bots.extend(bots)
    return shared


def test_there_is_room_until_all_bots_together_have_so_many() -> None:
    ann, bob = Bot(2), Bot(1)
    shared = room(4, ann, bob)

    assert shared.take(ann)
    ann.processes = 3
    assert not shared.take(bob)


def test_when_it_is_full_the_process_goes_that_has_waited_longest_whosever_it_is() -> None:
    ann, bob = Bot(2, [7.0, 3.0]), Bot(1, [5.0])
    shared = room(3, ann, bob)

    assert not shared.take(bob)
    assert (ann.ended, ann.waiting_since) == (1, [7.0])
    assert not shared.take(bob)
    assert bob.ended == 1


def test_nobody_is_ended_who_works() -> None:
    ann = Bot(1)
    assert not room(1, ann).take(ann)
    assert ann.ended == 0


def test_who_waits_has_their_turn_in_order_once_there_is_room() -> None:
    ann, bob = Bot(1), Bot(0)
    shared, came = room(1, ann, bob), list[str]()

    def come(name: str) -> None:
        if shared.take(bob):
            bob.processes += 1
            came.append(name)
        else:
            shared.wait(lambda: come(name))

    for name in ("first", "second", "third"):
        come(name)
    assert not shared.has_more(ann)

    ann.processes = 0
    shared.freed()
    assert came == ["first"]
    bob.processes = 0
    shared.freed()
    bob.processes = 0
    shared.freed()
    assert came == ["first", "second", "third"]


def test_who_comes_later_ends_nobody_for_whom_the_first_one_waits() -> None:
    ann, bob = Bot(2, [1.0, 2.0]), Bot(0)
    shared = room(2, ann, bob)
    for _ in range(3):
        if not shared.take(bob):
            shared.wait(lambda: None)
    assert ann.ended == 1


def test_a_jail_takes_memory_too_and_an_empty_one_goes_first() -> None:
    ann, bob, cho = Bot(1, [1.0]), Bot(0), Bot(0, has_jail=False)
    shared = Room(100, units=3 + 2 * JAIL_UNITS)
    shared.bots.extend([ann, bob, cho])

    assert shared.has_more(bob)
    assert not shared.has_more(cho)
    assert shared.take(cho)
    assert (ann.ended, bob.has_jail) == (0, False)


def test_for_lack_of_memory_a_process_that_waits_is_ended_and_then_its_jail() -> None:
    ann, cho = Bot(1, [1.0]), Bot(0, has_jail=False)
    bob = Bot(1)
    shared = Room(100, units=2 + 2 * JAIL_UNITS)
    shared.bots.extend([ann, bob, cho])

    assert not shared.take(cho)
    assert (ann.ended, ann.has_jail) == (1, True)
    ann.processes = 0
    assert shared.take(cho)
    assert not ann.has_jail
