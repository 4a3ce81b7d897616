"""What a sweep notes when a part of it fails."""

from __future__ import annotations

import pytest
import redis

from arena.base.errors import Unavailable
from arena.service.live import keys
from arena.store import Store
from workers.advancing.sweep import Sweep


def test_failing_daily_deals_are_not_taken_for_missing_sweeps(
    sqlite_store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Store) -> None:
        raise Unavailable("the table is locked")

    monkeypatch.setattr("workers.advancing.daily_deals.keep", fail)
    sweep = Sweep(sqlite_store, redis_client, advance=lambda _: None, hand_out=lambda *_: None)

    with pytest.raises(Unavailable, match="the table is locked"):
        sweep.run()

    assert redis_client.exists(keys.SWEPT)
