"""The queue of batches, on a real Redis: who gets the next free worker."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import redis

from arena.service.live import keys, ready
from arena.service.live.ready import Claimed, TournamentQueue
from workers.playing.lease import HELD_S, Lease


@pytest.fixture
def client(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url)


def add(
    client: redis.Redis, tournament: int, *numbers: int, matches: int = 10, weight: float = 1
) -> int:
    return ready.add(client, tournament, numbers, matches=matches, weight=weight)


def claim(
    client: redis.Redis, room: int = 1, *excluded: int, holder: str = "run"
) -> list[tuple[int, int]]:
    found = ready.claim(client, holder, HELD_S, room, excluded)
    return [(each.tournament, each.number) for each in found]


def test_batches_are_claimed_once_each_and_in_order(client: redis.Redis) -> None:
    assert add(client, 1, 2, 0, 1) == 3

    claimed = [claim(client) for _ in range(4)]

    assert claimed == [[(1, 0)], [(1, 1)], [(1, 2)], []]
    assert client.get(keys.batch(1, 0)) == b"run"
    assert 0 < client.ttl(keys.batch(1, 0)) <= HELD_S


def test_waiting_and_playing_batches_are_not_added_again(client: redis.Redis) -> None:
    add(client, 1, 0, 1)
    claim(client)

    assert add(client, 1, 0, 1) == 1
    assert claim(client) == [(1, 1)]
    assert claim(client) == []


def test_a_batch_that_was_released_can_be_added_again(client: redis.Redis) -> None:
    add(client, 1, 0)
    claim(client)
    Lease(client, 1, 0, "run").release()

    assert add(client, 1, 0) == 1
    assert claim(client) == [(1, 0)]


def test_a_tournament_that_comes_later_does_not_wait_for_the_end_of_a_large_one(
    client: redis.Redis,
) -> None:
    add(client, 1, *range(30))
    for _ in range(10):
        claim(client)
    add(client, 2, *range(4))

    next_eight = [claim(client)[0] for _ in range(8)]

    assert Counter(tournament for tournament, _ in next_eight) == {1: 4, 2: 4}


def test_idle_tournament_does_not_save_up_a_share(client: redis.Redis) -> None:
    add(client, 1, 0)
    claim(client)
    add(client, 2, *range(100))
    for _ in range(50):
        claim(client)
    add(client, 1, *range(1, 11))

    next_eight = Counter(claim(client)[0][0] for _ in range(8))

    assert 3 <= next_eight[1] <= 5


def test_shares_follow_weights_and_count_matches(client: redis.Redis) -> None:
    add(client, 1, *range(90), matches=10, weight=4)
    add(client, 2, *range(90), matches=10, weight=1)
    add(client, 3, *range(90), matches=40, weight=4)

    claimed = Counter(claim(client)[0][0] for _ in range(60))

    assert claimed[1] == pytest.approx(4 * claimed[2], abs=4)
    assert claimed[3] == pytest.approx(claimed[2], abs=2)


def test_a_run_claims_for_all_its_room_but_leaves_half_to_idle_workers(
    client: redis.Redis,
) -> None:
    add(client, 1, *range(8), matches=10)

    assert len(claim(client, 1000)) == 4
    assert len(claim(client, 15)) == 2  # 20 matches
    assert len(claim(client, 1000)) == 1
    assert len(claim(client, 1000)) == 1


def test_excluded_tournaments_are_passed_over(client: redis.Redis) -> None:
    add(client, 1, 0, 1)
    add(client, 2, 0, 1)

    assert claim(client, 1, 1) == [(2, 0)]
    assert claim(client, 1, 1, 2) == []
    assert claim(client, 1, 2) == [(1, 0)]


def test_batches_in_play_are_skipped(client: redis.Redis) -> None:
    add(client, 1, 0, 1)
    assert Lease(client, 1, 0, "somebody else").take()

    assert claim(client) == [(1, 1)]


def test_batches_neither_waiting_nor_in_play_are_missing(client: redis.Redis) -> None:
    add(client, 1, 0, 1)
    claim(client)

    assert ready.missing(client, [(1, 0), (1, 1), (1, 2), (7, 0)]) == [(1, 2), (7, 0)]
    assert ready.missing(client, []) == []


def test_a_run_that_comes_back_finds_what_it_held(client: redis.Redis) -> None:
    add(client, 1, 0, 1)
    add(client, 2, 0)
    claim(client, holder="dead")
    claim(client, holder="other")

    assert ready.held_by(client, "dead") == [Claimed(1, 0)]
    assert ready.held_by(client, "nobody") == []


@pytest.mark.parametrize("end", [Lease.release, Lease.fail])
def test_released_batches_do_not_count_as_played(
    client: redis.Redis, end: Callable[[Lease], object]
) -> None:
    add(client, 1, 0)
    claim(client)
    assert client.zcard(keys.PLAYING) == 1

    end(Lease(client, 1, 0, "run"))

    assert client.zcard(keys.PLAYING) == 0


def test_how_much_waits(client: redis.Redis) -> None:
    assert ready.waiting(client) == 0
    add(client, 1, 0, 1)
    assert ready.waiting(client) == 2


def test_an_idle_queue_leaves_little_behind(client: redis.Redis) -> None:
    for tournament in range(1, 21):
        add(client, tournament, 0)
    while claim(client):
        pass
    add(client, 99, 0)
    claim(client)

    left: Any = client.keys("arena:ready*")
    assert {key.decode() for key in left} == {keys.READY_CLOCK, keys.READY_SHARES}
    assert 0 < client.ttl(keys.READY_SHARES) <= ready.SHARES_TTL_S


# Who is in line


def test_a_tournament_is_in_line_until_a_worker_plays_it(client: redis.Redis) -> None:
    add(client, 1, 0, 1)
    add(client, 2, 0)
    add(client, 3, 0)
    claim(client)  # a batch of the first, of which another one waits
    ready.note_queued(client, 1000.0)

    assert ready.line(client, 1001.0).queued == {}  # not yet: it may be its turn in a moment
    assert ready.line(client, 1010.0) == TournamentQueue({2: 1000.0, 3: 1000.0}, frozenset({1}))

    claim(client, 1, 1)
    assert ready.note_queued(client, 1012.0) == {2: 12.0}
    assert ready.note_queued(client, 1013.0) == {}
    assert ready.line(client, 1013.0) == TournamentQueue({3: 1000.0}, frozenset({1, 2}))


def test_tournament_with_a_worker_at_once_is_not_queued(client: redis.Redis) -> None:
    add(client, 1, 0)
    ready.note_queued(client, 1000.0)
    claim(client)

    assert ready.note_queued(client, 1001.0) == {}
    assert ready.line(client, 1010.0).queued == {}
