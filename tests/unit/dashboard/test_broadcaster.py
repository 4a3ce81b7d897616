"""The broadcaster polls only while there are listeners, and sends each one its news."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator

import pytest

from arena.base.errors import Unavailable
from dashboard.events import broadcaster as module
from dashboard.events.broadcaster import Broadcaster, NoRoom, NoRoomForClient

PATIENCE_S = 10.0


class Arena:
    """Marks that the test sets, and how often they were looked at."""

    def __init__(self) -> None:
        self.marks = {"home": "a", "bots": "x"}
        self.asked: list[set[str]] = []
        self.broken: Exception | None = None

    def look(self, topics: Iterable[str]) -> dict[str, str]:
        wanted = set(topics)
        self.asked.append(wanted)
        if self.broken:
            raise self.broken
        return {topic: mark for topic, mark in self.marks.items() if topic in wanted}


@pytest.fixture
def arena(monkeypatch: pytest.MonkeyPatch) -> Arena:
    monkeypatch.setattr(module, "LOOK_EVERY_S", 0.02)
    return Arena()


@pytest.fixture
def broadcaster(arena: Arena) -> Iterator[Broadcaster]:
    made = Broadcaster(arena.look, most=2)
    yield made
    made.stop()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def looks() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "events"]


def test_a_listener_hears_first_how_its_topics_stand_then_what_changes(
    arena: Arena, broadcaster: Broadcaster
) -> None:
    listener = broadcaster.listen(["home", "bots"])

    assert listener.wait(PATIENCE_S) == {"home": "a", "bots": "x"}
    assert listener.wait(0.1) == {}
    arena.marks["home"] = "b"
    assert listener.wait(PATIENCE_S) == {"home": "b"}


def test_a_slow_listener_hears_the_newest_mark_only(arena: Arena, broadcaster: Broadcaster) -> None:
    quick, slow = broadcaster.listen(["home"]), broadcaster.listen(["home"])
    quick.wait(PATIENCE_S)

    for mark in "bcd":
        arena.marks["home"] = mark
        assert quick.wait(PATIENCE_S) == {"home": mark}

    assert slow.wait(PATIENCE_S) == {"home": "d"}


def test_no_checks_without_listeners(arena: Arena, broadcaster: Broadcaster) -> None:
    assert arena.asked == []
    listener = broadcaster.listen(["home"])
    listener.wait(PATIENCE_S)

    listener.close()

    until(lambda: not looks())
    count = len(arena.asked)
    again = broadcaster.listen(["bots"])
    assert again.wait(PATIENCE_S) == {"bots": "x"}
    assert all(wanted == {"bots"} for wanted in arena.asked[count:])


def test_all_listeners_are_served_by_one_look(arena: Arena, broadcaster: Broadcaster) -> None:
    listeners = [broadcaster.listen(["home"]), broadcaster.listen(["bots"])]

    for listener in listeners:
        assert listener.wait(PATIENCE_S)

    assert len(looks()) == 1


def test_there_is_room_for_so_many_and_again_when_one_leaves(broadcaster: Broadcaster) -> None:
    first, _ = broadcaster.listen(["home"]), broadcaster.listen(["home"])

    with pytest.raises(NoRoom):
        broadcaster.listen(["home"])

    first.close()
    first.close()
    broadcaster.listen(["home"])
    with pytest.raises(NoRoom):
        broadcaster.listen(["home"])


def test_a_client_has_so_many_listeners_and_leaves_room_for_others(
    broadcaster: Broadcaster,
) -> None:
    mine = {"account 1": 1, "address A": 2}
    first = broadcaster.listen(["home"], mine)

    with pytest.raises(NoRoomForClient):
        broadcaster.listen(["home"], mine)
    other = broadcaster.listen(["home"], {"account 2": 1, "address A": 2})

    first.close()
    first.close()
    broadcaster.listen(["home"], mine).close()
    with pytest.raises(NoRoomForClient):
        broadcaster.listen(["home"], {"account 2": 1})
    other.close()
    assert not broadcaster._of_client, "whoever is gone is forgotten"


def test_who_was_refused_is_not_counted(broadcaster: Broadcaster) -> None:
    full = [broadcaster.listen(["home"], {"a": 1}), broadcaster.listen(["home"], {"b": 1})]
    for _ in range(3):
        with pytest.raises(NoRoom):
            broadcaster.listen(["home"], {"c": 1})

    full[0].close()

    assert broadcaster.listen(["home"], {"c": 1})


@pytest.mark.parametrize("error", [Unavailable("No database."), RuntimeError("a mistake")])
def test_looking_goes_on_after_an_error(
    arena: Arena, broadcaster: Broadcaster, error: Exception
) -> None:
    arena.broken = error
    listener = broadcaster.listen(["home"])
    until(lambda: len(arena.asked) > 2)
    assert listener.wait(0) == {}

    arena.broken = None

    assert listener.wait(PATIENCE_S) == {"home": "a"}


def test_stopping_ends_every_stream_at_once(broadcaster: Broadcaster) -> None:
    listener = broadcaster.listen(["home"])
    listener.wait(PATIENCE_S)
    ended: list[object] = []
    waiting = threading.Thread(target=lambda: ended.append(listener.wait(PATIENCE_S)))
    waiting.start()

    broadcaster.stop()

    waiting.join(PATIENCE_S)
    assert ended == [None]
    with pytest.raises(NoRoom):
        broadcaster.listen(["home"])
    until(lambda: not looks())
