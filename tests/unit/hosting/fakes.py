"""A process of a hosted bot without a process: its clock, output and received messages."""

from collections.abc import Container, Iterable
from typing import cast

from arena.hosting.hosted.clock import ProcessClock
from arena.hosting.hosted.output import LogPart, Marks, When
from arena.hosting.hosted.pool import PooledProcess
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.split import Decided, Purpose
from arena.protocol.v1 import play_pb2 as pb


class FakeOutput:
    def __init__(self) -> None:
        self.text = ""
        self.marks = Marks()

    def answered(self, tickets: Container[int]) -> bool:
        self.marks.answered = tickets
        return len(self.text) > self.marks.end

    def mark(self, when: When, decided: Iterable[Decided] = ()) -> None:
        self.marks.add(len(self.text), when, decided)

    def parts(self, open_: Iterable[Decided] = ()) -> tuple[LogPart, ...]:
        return self.marks.parts(self.text.encode(), open_)


class FakeProcess:
    def __init__(self, number: int = 1) -> None:
        self.number = number
        self.clock = ProcessClock()
        self.output = FakeOutput()
        self.ready = True
        self.killed_because = ""
        self.waited_s = 0.0
        self.finished_cpu_s: float | None = None
        self.finished_at: float | None = None
        self.useless = 0
        self.last_asked = 0.0
        self.sent: list[pb.Batch] = []
        self.finished = False

    def send(self, batch: pb.Batch) -> None:
        self.sent.append(batch)

    def kill(self, because: str) -> None:
        self.killed_because = self.killed_because or because

    def finish(self) -> None:
        self.finished = True


def pooled(process: FakeProcess, purpose: Purpose | None = None) -> PooledProcess:
    return PooledProcess(purpose, cast("Process", process))


class FakeStarter:
    """Starts fake processes."""

    def __init__(self) -> None:
        self.running = False
        self.started: list[FakeProcess] = []

    def launch(self, number: int) -> Process:
        self.running = True
        self.started.append(FakeProcess(number))
        return cast("Process", self.started[-1])

    def stop(self) -> None:
        self.running = False
