"""Measures when `arena status` reports a fault."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from arena.base.config import Settings
from arena.service.health.finding import Finding
from arena.service.health.state import look

LOOK_S = 0.5


class Watch:
    """Polls the status until it shows the message."""

    def __init__(self, says: str, status: Callable[[], Sequence[Finding]]) -> None:
        """`says` is a part of the message."""
        self.says, self._status = says, status
        self.shown_s: float | None = None  # seconds from the start of the fault
        self.sentence = ""  # for visitors, without host names
        self.others: set[str] = set()  # earlier messages
        self._began = time.monotonic()
        self._over = threading.Event()

    def begin(self) -> None:
        """Marks the start of the fault, which may be later than the start of the block."""
        self._began = time.monotonic()

    def run(self) -> None:
        """Waits for the message or the end."""
        while not self._over.is_set():
            for problem in self._status():
                if self.says in problem.sentence:
                    self.shown_s = time.monotonic() - self._began
                    self.sentence = problem.public or problem.sentence
                    return
                self.others.add(problem.sentence)
            self._over.wait(LOOK_S)

    def end(self) -> None:
        """Stops polling."""
        self._over.set()


@contextmanager
def watched(settings: Settings, says: str) -> Iterator[Watch]:
    """Polls the status during the block, if a message is expected."""
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
