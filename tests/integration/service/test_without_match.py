"""For how long no match has ended, while there is something to play."""

import redis
from sqlalchemy import update

from arena.service.health.facts import stored
from arena.store import Store
from arena.store.tables import tournaments
from tests.integration.worker_world import FakeGateway, World


def test_silence_counts_from_the_start_of_the_tournament(
    sqlite_store: Store, redis_client: redis.Redis, gateway: FakeGateway
) -> None:
    world = World(sqlite_store, redis_client)
    first = world.tournament()
    gateway.connect(*first.players)
    world.play_all(first)
    second = world.tournament(("d", "e", "f"))
    row = tournaments.c

    def silence(at: float) -> float:
        with sqlite_store.read() as conn:
            return stored(conn, at).silence

    with sqlite_store.read() as conn:
        last = stored(conn, 0.0).numbers["last_match"]
    assert silence(last + 500) == 0  # nothing is running

    with sqlite_store.write() as conn:
        running = update(tournaments).where(row.id == second.id)
        conn.execute(running.values(state="running", started=last + 400, waiting_since=last + 350))
    assert round(silence(last + 500)) == 100

    with sqlite_store.write() as conn:
        conn.execute(running.values(waiting_since=last + 450))  # resumed
    assert round(silence(last + 500)) == 50
