"""A worker that cannot start says why, and ends with a status that shows it."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from celery.signals import celeryd_init

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.service.health import storage
from arena.store import Store
from workers.setup.app import app
from workers.setup.run import run_worker


@pytest.fixture
def settings(sqlite_store: Store, redis_url: str, tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, redis_url=redis_url, metrics_port=0)


def test_a_worker_without_shared_memory_names_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(storage, "SHARED_MEMORY", tmp_path / "shm")

    with pytest.raises(Unavailable, match=r"shm cannot be written to .* no worker can start"):
        run_worker(settings)


def test_a_worker_that_fails_ends_with_its_status(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: list[str]) -> None:
        celeryd_init.send(sender="worker", instance=SimpleNamespace(exitcode=1))

    monkeypatch.setattr(app, "worker_main", fail)

    with pytest.raises(SystemExit) as ended:
        run_worker(settings)
    assert ended.value.code == 1
