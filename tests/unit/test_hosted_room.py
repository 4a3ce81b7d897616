"""Room for processes of hosted bots on one host."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from arena.hosted.room import Room


@dataclass
class Bot:
    processes: int = 0
    waiting_since: list[float] = field(default_factory=list)
    ended: int = 0

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
    ann, shared = Bot(1), room(1)
    shared.bots.append(ann)
    called: list[str] = []

    def again(name: str) -> None:
        called.append(name)
        if name == "first":
            shared.wait(lambda: again("once more"))

    shared.wait(lambda: again("first"))
    shared.wait(lambda: again("second"))
    assert not shared.has_more()

    shared.freed()
    assert called == ["first", "second"]
    shared.freed()
    assert called == ["first", "second", "once more"]
