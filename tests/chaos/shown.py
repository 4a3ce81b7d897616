"""When `arena status` shows the sentence on a fault."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from arena.base.config import Settings
from arena.service.health.finding import Finding
from arena.service.health.state import look

LOOK_S = 0.5


class Watch:
    """Asks for the status again and again, until it has the sentence."""

    def __init__(self, says: str, status: Callable[[], Sequence[Finding]]) -> None:
        """`says` is a part of the sentence."""
        self.says, self._status = says, status
        self.shown_s: float | None = None  # seconds after the fault began
        self.sentence = ""  # as visitors read it: without hosts
        self.others: set[str] = set()  # what it showed before
        self._began = time.monotonic()
        self._over = threading.Event()

    def begin(self) -> None:
        """The fault has begun; what led to it may have taken a while."""
        self._began = time.monotonic()

    def run(self) -> None:
        """Returns when the sentence is there, or when it is over."""
        while not self._over.is_set():
            for problem in self._status():
                if self.says in problem.sentence:
                    self.shown_s = time.monotonic() - self._began
                    self.sentence = problem.public or problem.sentence
                    return
                self.others.add(problem.sentence)
            self._over.wait(LOOK_S)

    def end(self) -> None:
        """Stops it."""
        self._over.set()


@contextmanager
def watched(settings: Settings, says: str) -> Iterator[Watch]:
    """Watches the status during the block; without a sentence nothing is asked."""
    watch = Watch(says, lambda: look(settings).wrong)
    thread = threading.Thread(target=watch.run)
    if says:
        thread.start()
    try:
        yield watch
    finally:
        watch.end()
        if says:
            thread.join()
