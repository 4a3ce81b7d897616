"""Run a few processes until stopped.

There is no thread and no event loop: the caller must call `tend` or `pause` often.

    with Supervisor(logs) as supervisor:
        supervisor.start(redis)
        supervisor.await_ready("redis")
        ...
        while True:
            supervisor.pause(0.5)       # raises Interrupted on Ctrl-C
    # every process has ended here
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from arena.base import reaper
from arena.base.errors import Unavailable
from arena.operations.supervise.child import Child, ChildSpec, rotate_logs
from arena.operations.supervise.signals import StopSignals

POLL_S = 0.05
# The last process ends little more than STOP_S + STOP_LAST_S after Ctrl-C.
STOP_S = 6.0
STOP_LAST_S = 1.5
# A process that dies is restarted after 0.2 s, then 0.4 s, ... at most 10 s;
# running for STEADY_S resets the backoff.
BACKOFF_S = 0.2
BACKOFF_MOST_S = 10.0
STEADY_S = 20.0
DEATHS = 8  # in a row, after which it gives up if processes cannot run on this machine
ROTATE_S = 1.0


class Supervisor:
    """Starts, watches and stops processes. A context manager, for the main thread only."""

    def __init__(
        self,
        logs: Path,
        tell: Callable[[str], None] = lambda sentence: None,
        *,
        give_up_after: int | None = None,
        keep_open: Sequence[int] = (),
        problem: Callable[[], str] | None = None,
    ) -> None:
        """Call `tell` with a sentence for each event. `tend` raises Unavailable when a process dies
        `give_up_after` times in a row.

        `problem` returns why processes cannot run on this machine, or "". With it, the limit is
        `DEATHS`. Without a problem, optional processes and those that report an error, such as an
        unavailable database, are restarted forever.

        The reaper inherits the descriptors in `keep_open`, such as a lock, and holds them until the
        last process is gone, even if this one is killed."""
        self._logs = logs
        self._tell = tell
        self._give_up_after = give_up_after
        self._problem = problem
        self._keep_open = tuple(keep_open)
        self._children: dict[str, Child] = {}
        self._deaths: dict[str, int] = {}
        self._due: dict[str, float] = {}  # when to restart a dead child
        self._rotation_due = 0.0
        self._signals = StopSignals(self._kill_all)
        self._reaper: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Supervisor:
        self._signals.__enter__()
        self._reaper = self._start_reaper()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.stop()
        finally:
            self._dismiss_reaper()
            self._signals.__exit__(*error)

    # Starting

    def start(self, spec: ChildSpec) -> None:
        """Start a process, and restart it whenever it dies."""
        child = Child(spec, self._logs / f"{spec.name}.log")
        self._children[spec.name] = child
        self._deaths[spec.name] = 0
        self._launch(child)

    def _launch(self, child: Child) -> None:
        try:
            self._note("+", child.start())
        except OSError as error:  # of its log
            raise Unavailable(f"{child.spec.name} cannot be started: {error}.") from error
        self._due.pop(child.spec.name, None)

    def await_ready(self, *names: str, within_s: float = 60.0) -> None:
        """Wait until these processes are ready. Raises Unavailable with the end of the log if one
        is not ready in time or dies three times before."""
        deadline = time.monotonic() + within_s
        for name in names:
            self._await_ready(self._children[name], deadline, within_s)

    def _await_ready(self, child: Child, deadline: float, within_s: float) -> None:
        while not self._is_ready(child):
            if self._deaths[child.spec.name] >= 3:
                raise self._gone_for_good(child)
            if time.monotonic() > deadline:
                raise Unavailable(
                    f"{child.spec.name} was not ready within {within_s:g} s. "
                    f"The end of its log, {child.log}:\n{child.last_words()}"
                )
            self.pause(POLL_S)

    @staticmethod
    def _is_ready(child: Child) -> bool:
        return child.running and (child.spec.ready is None or child.spec.ready())

    # Watching

    def tend(self) -> None:
        """Restart dead processes and rotate long logs. Raises Interrupted after a stop signal, and
        Unavailable if a process keeps dying."""
        self._signals.check()
        if time.monotonic() >= self._rotation_due:
            rotate_logs(self._logs)
            self._rotation_due = time.monotonic() + ROTATE_S
        for child in self._children.values():
            if child.spec.name in self._due:
                if time.monotonic() >= self._due[child.spec.name]:
                    self._launch(child)
            elif not child.running:
                self._bury(child)

    def pause(self, seconds: float) -> None:
        """Wait this long and call `tend` meanwhile, at least once."""
        end = time.monotonic() + seconds
        self.tend()
        while (left := end - time.monotonic()) > 0:
            due = min([self._rotation_due, *self._due.values()]) - time.monotonic()
            self._signals.wait(max(0.0, min(left, due)))
            self.tend()

    def _bury(self, child: Child) -> None:
        name = child.spec.name
        child.clear_up()
        self._note("-", child.group)
        steady = time.monotonic() - child.started > STEADY_S
        self._deaths[name] = 1 if steady else self._deaths[name] + 1
        problem = self._problem() if self._problem is not None else ""
        if self._gives_up(child, problem):
            raise self._gone_for_good(child, problem)
        delay = min(BACKOFF_S * 2 ** (self._deaths[name] - 1), BACKOFF_MOST_S)
        self._due[name] = time.monotonic() + delay
        last = child.last_error()
        why = problem or (f"Last line of its log: {last}" if last else "")
        sentence = f"{name} {child.how_it_ended()}; restarting it in {delay:g} s"
        self._tell(f"{sentence}. {why}" if why else sentence)

    def _gives_up(self, child: Child, problem: str) -> bool:
        deaths = self._deaths[child.spec.name]
        if self._give_up_after is not None:
            return deaths >= self._give_up_after
        if self._problem is None or child.spec.optional or deaths < DEATHS:
            return False
        return bool(problem) or not child.reported

    def _gone_for_good(self, child: Child, problem: str = "") -> Unavailable:
        times = self._deaths[child.spec.name]
        return Unavailable(
            f"{child.spec.name} {child.how_it_ended()}, {times} times in a row. "
            + (problem or f"The end of its log, {child.log}:\n{child.last_words()}")
        )

    @property
    def names(self) -> list[str]:
        return list(self._children)

    def pid(self, name: str) -> int:
        """Return the id of a started process, which is also its process group."""
        return self._children[name].group

    def last_words(self, name: str, lines: int = 8) -> str:
        """Return the last lines of a process's log."""
        return self._children[name].last_words(lines)

    # Stopping

    def stop(self) -> None:
        """End all processes: signal, wait, kill. Idempotent."""
        last = [child for child in self._children.values() if child.spec.stops_last]
        first = [child for child in self._children.values() if not child.spec.stops_last]
        self._end(first, STOP_S)
        self._end(last, STOP_LAST_S)
        self._children.clear()

    def end(self, name: str) -> ChildSpec:
        """End one process and its children without a restart. Returns its specification."""
        child = self._children.pop(name)
        self._end([child], STOP_S)
        return child.spec

    def _end(self, children: Sequence[Child], within_s: float) -> None:
        for child in children:
            child.ask_to_stop()
        deadline = time.monotonic() + within_s
        while any(child.running for child in children) and time.monotonic() < deadline:
            time.sleep(POLL_S)
        for child in children:
            child.clear_up()
            self._note("-", child.group)
            self._due.pop(child.spec.name, None)

    def _kill_all(self) -> None:
        for child in self._children.values():
            child.kill()

    # The reaper

    def _start_reaper(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own script
            [sys.executable, "-I", "-S", reaper.__file__],
            stdin=subprocess.PIPE,
            # Not the terminal or pipe of this process: the reaper may outlive its reader.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=self._keep_open,
            start_new_session=True,
        )

    def _note(self, sign: str, group: int) -> None:
        """Tell the reaper about a process group, and replace a reaper that was killed."""
        try:
            self._write(f"{sign}{group}\n")
        except BrokenPipeError:
            self._dismiss_reaper()
            self._reaper = self._start_reaper()
            alive = [child.group for child in self._children.values() if child.running]
            self._write("".join(f"+{group}\n" for group in alive))

    def _write(self, text: str) -> None:
        pipe = self._pipe()
        pipe.write(text.encode())
        pipe.flush()

    def _pipe(self) -> IO[bytes]:
        if self._reaper is None or self._reaper.stdin is None:
            raise RuntimeError("enter the Supervisor before starting a process")
        return self._reaper.stdin

    def _dismiss_reaper(self) -> None:
        if self._reaper is None:
            return
        with suppress(BrokenPipeError):  # it was killed
            self._pipe().close()
        self._reaper.wait()
        self._reaper = None
