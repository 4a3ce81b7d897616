"""An arena with a real worker and Redis, a dashboard, answering bots, and players."""

import itertools
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.base.config import Settings
from arena.games.rules import GAMES
from arena.service.bootstrap import environment
from arena.service.live.connect import connect
from arena.service.live.dispatch import _producer
from arena.service.live.queues import ADVANCE
from arena.store import Store, open_store, upgrade_store
from arena.store.registry import bots
from dashboard import create_app
from tests import nursery
from tests.integration.worker_world import FakeGateway
from tests.servers import redis_server

BOTS = ("ada", "bob", "cyd", "dot", "eve")
GRACE_S = 0.5


@dataclass
class PlayWorld:
    settings: Settings
    store: Store
    client: redis.Redis
    gateway: FakeGateway
    app: Flask
    players: dict[str, int] = field(default_factory=dict)

    def all_here(self) -> None:
        """Marks all bots as connected for the next minute."""
        self.gateway.beat()
        self.gateway.connect(*self.players.values(), games=tuple(GAMES))

    def sweep(self) -> None:
        """Does the scheduler's work of each second."""
        _producer(self.settings.redis_url).send_task("arena.sweep", queue=ADVANCE)


@contextmanager
def play_world(folder: Path) -> Iterator[PlayWorld]:
    """Starts the arena and stops it after the block."""
    with redis_server() as url, connect(url) as client:
        settings = Settings(
            data=folder,
            database_url=f"sqlite:///{folder / 'arena.db'}",
            redis_url=url,
            grace_s=GRACE_S,
            secret_key="for tests",
        )
        store = upgrade_store(settings.database)
        # One connection, so that nested connections fail.
        own = open_store(settings.database, connections=1, wait_s=2.0)
        with FakeGateway(client) as gateway, worker(settings):
            made = PlayWorld(settings, store, client, gateway, create_app(settings, own, client))
            with store.write() as conn:
                for name in BOTS:
                    made.players[name] = bots.register(conn, name, kind="house")[0].player
            made.all_here()
            yield made
        own.dispose()
        store.dispose()


@contextmanager
def worker(settings: Settings) -> Iterator[None]:
    with (settings.data / "worker.log").open("wb") as log:
        process = nursery.start(
            "arena.cli", "worker", "--prompt", env=environment(settings), output=log
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(20)


def until(condition: Callable[[], object], limit_s: float = 30.0) -> None:
    limit = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < limit, "the condition did not hold in time"
        time.sleep(0.03)


addresses = itertools.count(1)


class Person:
    """A player with a browser without JavaScript, at a separate IP address."""

    def __init__(self, world: PlayWorld, browser: FlaskClient | None = None) -> None:
        self.world = world
        self.browser = browser or world.app.test_client()
        number = next(addresses)
        self.browser.environ_base["REMOTE_ADDR"] = f"10.0.{number // 250}.{number % 250 + 1}"
        self.number = 0
        self.text = ""

    @property
    def path(self) -> str:
        return f"/play/{self.number}"

    def send(self, path: str, form: str, **fields: object) -> TestResponse:
        return self.post(path, self.browser.get(form).text, **fields)

    def post(self, path: str, page: str, **fields: object) -> TestResponse:
        """Sends a form of this page."""
        (token,) = set(re.findall(r'name="csrf_token" value="([^"]+)"', page))
        return self.browser.post(path, data={**fields, "csrf_token": token})

    def wish(
        self, game: str = "lama", *against: str, length: str = "", **more: str
    ) -> TestResponse:
        wanted = {"game": game, "length": length, "with": list(against)}
        return self.send("/play", "/play", **wanted, **more)

    def sit(self, game: str = "lama", *against: str, length: str = "", **more: str) -> None:
        """Starts a game and waits for the first question."""
        answer = self.wish(game, *(against or BOTS[:2]), length=length, **more)
        assert answer.status_code == 303, answer.text
        self.number = int(answer.location.rpartition("/")[2])
        self.wait()

    def look(self) -> str:
        """The turn on the page: mine, others, over."""
        answer = self.browser.get(self.path)
        assert answer.status_code == 200, answer.text
        self.text = answer.text
        return self.turn

    @property
    def turn(self) -> str:
        """The turn on the page as it was last looked at."""
        return self.part(r'data-turn="(\w+)"')

    def wait(self) -> str:
        """Waits for the player's turn or the end."""
        until(lambda: self.look() in ("mine", "over"))
        return self.turn

    def part(self, pattern: str) -> str:
        found = re.search(pattern, self.text, re.DOTALL)
        assert found, (pattern, self.text)
        return found[1]

    @property
    def ticket(self) -> str:
        return self.part(r'name="ticket" value="(\d+)"')

    @property
    def choices(self) -> list[str]:
        """The values of all buttons; quitting the round comes last."""
        return re.findall(r'<button name="choice" value="(\d+)"', self.text)

    def press(self, choice: str, ticket: str = "") -> TestResponse:
        return self.post(self.path, self.text, ticket=ticket or self.ticket, choice=choice)
