"""Values made from the database, kept while they are true."""

import threading
from collections.abc import Callable

import pytest

from arena.store import cache
from arena.store.cache import Cache

LIMIT_S = 10.0


class Data:
    """Something that changes, and of which it is noted when its value is made."""

    def __init__(self) -> None:
        self.version = 1
        self.made: list[int] = []
        self.there = threading.Condition()

    def make(self) -> str:
        with self.there:
            self.made.append(self.version)
            self.there.notify_all()
        return f"value {self.version}"

    def again(self) -> tuple[int, str]:
        return self.version, self.make()

    def wait_for(self, count: int) -> None:
        with self.there:
            assert self.there.wait_for(lambda: len(self.made) >= count, LIMIT_S)


@pytest.fixture
def data() -> Data:
    return Data()


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is made counts as having taken long, and has rested."""
    monkeypatch.setattr(cache, "QUICK_S", -1.0)
    monkeypatch.setattr(cache, "REST", -1)


def get(values: Cache[str], data: Data) -> str:
    return values.get("key", data.version, data.make, data.again)


def until(values: Cache[str], data: Data, expected: str) -> None:
    for _ in range(1000):
        if get(values, data) == expected:
            return
        threading.Event().wait(0.01)
    raise AssertionError(get(values, data))


def test_a_value_is_made_once_for_each_version(data: Data) -> None:
    values = Cache[str](2)

    found = [get(values, data), get(values, data)]
    data.version = 2
    found += [get(values, data), get(values, data)]

    assert found == ["value 1", "value 1", "value 2", "value 2"]
    assert data.made == [1, 2]


@pytest.mark.usefixtures("slowly")
def test_the_old_value_is_returned_while_a_slow_one_is_recomputed(data: Data) -> None:
    values = Cache[str](2)
    get(values, data)
    data.version = 2

    assert get(values, data) == "value 1"
    data.wait_for(2)
    until(values, data, "value 2")
    assert data.made == [1, 2]


@pytest.mark.usefixtures("slowly")
def test_it_is_not_made_again_before_it_has_rested(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "REST", 1e12)
    values = Cache[str](2)
    get(values, data)
    data.version = 2

    assert [get(values, data) for _ in range(3)] == ["value 1"] * 3
    assert data.made == [1]


@pytest.mark.usefixtures("slowly")
def test_a_value_computed_during_clearing_is_cleared_too(data: Data) -> None:
    values, begun, go_on = Cache[str](2), threading.Event(), threading.Event()

    def again() -> tuple[int, str]:
        begun.set()
        assert go_on.wait(LIMIT_S)
        return data.again()

    get(values, data)
    data.version = 2
    values.get("key", data.version, data.make, again)
    assert begun.wait(LIMIT_S)
    forgetting = threading.Thread(target=values.forget)
    forgetting.start()
    forgetting.join(0.05)
    assert forgetting.is_alive()
    go_on.set()
    forgetting.join(LIMIT_S)

    assert get(values, data) == "value 2"
    assert data.made == [1, 2, 2]


@pytest.mark.usefixtures("slowly")
def test_values_older_than_a_minute_are_not_returned(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = Cache[str](2)
    get(values, data)
    data.version = 2
    monkeypatch.setattr(cache, "OLD_S", -1.0)

    assert get(values, data) == "value 2"


@pytest.mark.usefixtures("slowly")
def test_a_caller_without_background_computation_waits(data: Data) -> None:
    values = Cache[str](2)
    values.get("key", 1, data.make)
    data.version = 2

    assert values.get("key", 2, data.make) == "value 2"


def test_simultaneous_requests_share_one_computation(data: Data) -> None:
    values = Cache[str](2)
    open_ = threading.Event()

    def slow() -> str:
        assert open_.wait(LIMIT_S)
        return data.make()

    found: list[str] = []
    ask: Callable[[], None] = lambda: found.append(values.get("key", 1, slow))  # noqa: E731
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    open_.set()
    for thread in threads:
        thread.join(LIMIT_S)

    assert found == ["value 1"] * 4
    assert data.made == [1]


def test_only_so_many_are_kept_and_the_least_wanted_goes_first(data: Data) -> None:
    values = Cache[str](2)
    for key in ("a", "b", "a", "c", "a"):
        values.get(key, 1, data.make)
    assert len(data.made) == 3

    values.get("b", 1, data.make)

    assert len(data.made) == 4


@pytest.mark.long
@pytest.mark.usefixtures("slowly")
@pytest.mark.filterwarnings("error")
def test_a_failure_leaves_the_old_value_and_another_attempt(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "AGAIN_S", 0.1)
    values = Cache[str](2)
    get(values, data)
    data.version = 2
    failed = threading.Event()

    def fail() -> tuple[int, str]:
        failed.set()
        raise OSError("the database is away")

    assert values.get("key", 2, data.make, fail) == "value 1"
    assert failed.wait(LIMIT_S)
    until(values, data, "value 2")


def test_a_failure_reaches_only_its_own_caller(data: Data) -> None:
    values = Cache[str](2)

    def fail() -> str:
        raise OSError("the database is away")

    with pytest.raises(OSError, match="away"):
        values.get("key", 1, fail)
    assert get(values, data) == "value 1"


def test_slow_values_are_recognised(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    values = Cache[str](2)
    assert not values.slow("key")
    get(values, data)
    assert not values.slow("key")
    monkeypatch.setattr(cache, "QUICK_S", -1.0)
    assert values.slow("key")
