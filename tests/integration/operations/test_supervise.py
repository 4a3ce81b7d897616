"""The supervisor, with small real processes."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.base import folder
from arena.base.errors import Unavailable
from arena.base.reaper import is_alive
from arena.operations.supervise import child
from arena.operations.supervise import supervisor as supervisor_module
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.signals import Interrupted, StopSignals
from arena.operations.supervise.supervisor import Supervisor

# Each process writes its id when it is up, then does what the test is about.
UP = "import os, signal, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); "
SLEEP = UP + "time.sleep(60)"
STUBBORN = UP.replace("open", "signal.signal(signal.SIGTERM, signal.SIG_IGN); open") + (
    "time.sleep(60)"
)
# A parent like a Celery worker: with a child of its own in the same process group.
WITH_CHILD = UP + "os.fork(); open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); time.sleep(60)"


@pytest.fixture
def spec(tmp_path: Path) -> Callable[..., ChildSpec]:
    def build(name: str, code: str = SLEEP, **rest: object) -> ChildSpec:
        up = tmp_path / f"{name}.up"
        rest.setdefault("ready", lambda: bool(pids(tmp_path, name)))
        return ChildSpec(name, (sys.executable, "-S", "-c", code, str(up)), **rest)  # type: ignore[arg-type]

    return build


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs") as supervisor:
        yield supervisor


def pids(tmp_path: Path, name: str) -> list[int]:
    path = tmp_path / f"{name}.up"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def wait_for(condition: Callable[[], bool], within_s: float = 10.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def tend_until(supervisor: Supervisor, condition: Callable[[], bool]) -> None:
    def tended() -> bool:
        supervisor.tend()
        return condition()

    wait_for(tended)


def gone(pid: int) -> bool:
    """Whether a process ended; one that its parent has not yet taken note of counts as such."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it ended this very moment
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def test_a_process_that_was_killed_is_started_again(
    supervisor: Supervisor, spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    supervisor.start(spec("bot"))
    supervisor.await_ready("bot")

    os.kill(pids(tmp_path, "bot")[0], signal.SIGKILL)

    deadline = time.monotonic() + 10
    while len(pids(tmp_path, "bot")) < 2 and time.monotonic() < deadline:
        supervisor.pause(0.05)
    first, second = pids(tmp_path, "bot")
    assert gone(first)
    assert not gone(second)


def test_children_of_a_dead_process_are_killed_before_its_restart(
    supervisor: Supervisor, spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    supervisor.start(spec("worker", WITH_CHILD))
    wait_for(lambda: len(pids(tmp_path, "worker")) >= 3)
    parent, child = sorted(set(pids(tmp_path, "worker")))

    os.kill(parent, signal.SIGKILL)

    def child_is_gone() -> bool:
        supervisor.pause(0.02)
        return gone(child)

    wait_for(child_is_gone)


def test_leaving_the_supervisor_ends_every_process_and_their_children(
    spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start(spec("one"))
        supervisor.start(spec("two", WITH_CHILD))
        supervisor.await_ready("one", "two")
        wait_for(lambda: len(pids(tmp_path, "two")) >= 3)

    # The kernel takes a moment to end what was killed.
    wait_for(lambda: all(gone(pid) for name in ("one", "two") for pid in pids(tmp_path, name)))


def test_the_log_of_a_process_that_writes_without_end_stays_small(
    supervisor: Supervisor,
    spec: Callable[..., ChildSpec],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "MAX_LOG_BYTES", 1000)
    monkeypatch.setattr(supervisor_module, "ROTATE_S", 0.0)
    # It waits until the log is emptied, three times over, and so shows that it is.
    code = (
        UP + "size = lambda: os.fstat(1).st_size\n"
        "for _ in range(3):\n"
        "    os.write(1, b'x' * 1001)\n"
        "    while size(): time.sleep(0.01)\n"
        "os.write(1, b'done'); time.sleep(60)"
    )
    supervisor.start(spec("noisy", code))
    log = tmp_path / "logs" / "noisy.log"

    def done() -> bool:
        supervisor.pause(0.02)
        return log.read_bytes() == b"done"

    wait_for(done)
    assert log.with_name("noisy.log.1").read_bytes() == b"x" * 1000


def test_a_process_deaf_to_sigterm_is_killed_within_the_limit(
    spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start(spec("deaf", STUBBORN))
        supervisor.await_ready("deaf")
        began = time.monotonic()

    assert time.monotonic() - began < 8
    assert gone(pids(tmp_path, "deaf")[0])


def test_process_that_stops_last_outlives_the_others(
    spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    # It listens to the signal before it says that it is up.
    slow = UP.replace(
        "open",
        "signal.signal(signal.SIGTERM, lambda *_: ("
        "time.sleep(0.3), open(sys.argv[1] + '.end', 'w').write(str(time.time())), sys.exit()));"
        "open",
        1,
    ) + ("time.sleep(60)")
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start(spec("redis", slow, stops_last=True))
        supervisor.start(spec("worker", slow))
        supervisor.await_ready("redis", "worker")

    ended = {name: float((tmp_path / f"{name}.up.end").read_text()) for name in ("redis", "worker")}
    assert ended["worker"] < ended["redis"]


def test_a_process_that_cannot_start_is_reported_with_the_end_of_its_log(
    supervisor: Supervisor, spec: Callable[..., ChildSpec]
) -> None:
    supervisor.start(spec("broken", "import sys; sys.exit('no such table')"))

    with pytest.raises(Unavailable, match=r"(?s)broken ended with status 1.*no such table"):
        supervisor.await_ready("broken")


def test_a_program_that_does_not_exist_is_named(supervisor: Supervisor) -> None:
    supervisor.start(ChildSpec("ghost", ("/nonexistent/program",), ready=lambda: False))

    with pytest.raises(Unavailable, match="cannot start /nonexistent/program"):
        supervisor.await_ready("ghost")


def test_a_process_that_never_gets_ready_is_reported_in_time(
    supervisor: Supervisor, spec: Callable[..., ChildSpec]
) -> None:
    supervisor.start(spec("lazy", ready=lambda: False))

    with pytest.raises(Unavailable, match=r"lazy was not ready within 0\.3 s"):
        supervisor.await_ready("lazy", within_s=0.3)


def test_a_supervisor_told_to_give_up_does_so_when_a_process_keeps_dying(
    spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    told: list[str] = []
    with Supervisor(tmp_path / "logs", told.append, give_up_after=3) as supervisor:
        supervisor.start(spec("broken", "raise SystemExit(3)"))

        with pytest.raises(Unavailable, match="3 times in a row"):
            supervisor.pause(10)

    assert told == [
        "broken ended with status 3; restarting it in 0.2 s",
        "broken ended with status 3; restarting it in 0.4 s",
    ]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (
            "import sys; sys.exit('Error: Redis rejects the password.')",
            "Redis rejects the password.",
        ),
        ("raise OSError(30, 'Read-only file system')", "OSError: [Errno 30] Read-only file system"),
    ],
)
def test_the_last_error_of_a_process_is_told(
    spec: Callable[..., ChildSpec], tmp_path: Path, code: str, error: str
) -> None:
    told: list[str] = []
    with Supervisor(tmp_path / "logs", told.append) as supervisor:
        supervisor.start(spec("broken", code))
        tend_until(supervisor, lambda: bool(told))

    assert (
        told[0]
        == f"broken ended with status 1; restarting it in 0.2 s. Last line of its log: {error}"
    )


READ_ONLY = "/dev/shm cannot be written to (it is read-only). Mount it writable."


@pytest.mark.parametrize(
    ("code", "problem", "gives_up"),
    [
        ("raise SystemExit(2)", READ_ONLY, READ_ONLY),
        ("raise SystemExit(3)", "", "broken ended with status 3, 2 times in a row"),
        ("raise SystemExit(2)", "", ""),  # a database that is away comes back
    ],
)
def test_a_supervisor_gives_up_what_cannot_run_on_this_machine(
    spec: Callable[..., ChildSpec],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    problem: str,
    gives_up: str,
) -> None:
    monkeypatch.setattr(supervisor_module, "DEATHS", 2)
    monkeypatch.setattr(supervisor_module, "BACKOFF_S", 0.01)
    told: list[str] = []
    with Supervisor(tmp_path / "logs", told.append, problem=lambda: problem) as supervisor:
        supervisor.start(spec("spare", "raise SystemExit(3)", optional=True))
        tend_until(supervisor, lambda: len(told) > 3)
        supervisor.start(spec("broken", code))

        def restarted() -> bool:
            return sum(line.startswith("broken") for line in told) > 3

        if gives_up:
            with pytest.raises(Unavailable, match=re.escape(gives_up)):
                tend_until(supervisor, restarted)
        else:
            tend_until(supervisor, restarted)
    assert all(problem in line for line in told)


def test_a_process_whose_log_cannot_be_opened_is_named(
    supervisor: Supervisor, spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    (tmp_path / "logs" / "worker.log").mkdir(parents=True)

    with pytest.raises(Unavailable, match=r"worker cannot be started: .*worker\.log"):
        supervisor.start(spec("worker"))


def test_ctrl_c_reaches_only_the_supervisor_which_raises_where_it_is_safe(
    supervisor: Supervisor, spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    supervisor.start(spec("bot"))
    supervisor.await_ready("bot")
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    with pytest.raises(Interrupted) as interrupted:
        supervisor.pause(10)

    assert interrupted.value.status == 130
    assert not gone(pids(tmp_path, "bot")[0])


def test_the_end_of_a_process_ends_a_wait() -> None:
    with StopSignals(lambda: None) as signals:
        subprocess.Popen([sys.executable, "-S", "-c", ""]).wait()
        assert signals.wait(60)
        assert not signals.wait(0)


def test_the_text_for_its_standard_input_arrives(
    supervisor: Supervisor, spec: Callable[..., ChildSpec], tmp_path: Path
) -> None:
    code = UP + "open(sys.argv[1] + '.in', 'w').write(sys.stdin.read()); time.sleep(60)"
    supervisor.start(spec("redis", code, stdin=b"requirepass secret\n"))

    wait_for(lambda: (tmp_path / "redis.up.in").exists())
    wait_for(lambda: (tmp_path / "redis.up.in").read_text() == "requirepass secret\n")


SUPERVISE = """
    import sys, time
    from pathlib import Path
    from arena.base import folder
    from arena.operations.supervise.child import ChildSpec
    from arena.operations.supervise.supervisor import Supervisor

    data = Path(sys.argv[1])
    with folder.lock(data) as lock, Supervisor(data / "logs", keep_open=[lock]) as supervisor:
        for name in ("deaf", "worker"):
            code = sys.argv[2 if name == "deaf" else 3]
            command = (sys.executable, "-S", "-c", code, str(data / f"{name}.up"))
            supervisor.start(ChildSpec(name, command))
        supervisor.pause(60)
"""


@pytest.fixture
def separate_supervisor(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A supervisor in a process of its own, with a deaf process and one that has a child."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SUPERVISE), tmp_path, STUBBORN, WITH_CHILD],
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: len(pids(tmp_path, "deaf")) == 1 and len(pids(tmp_path, "worker")) >= 3)
    yield process
    process.kill()
    process.wait()


def test_nothing_outlives_a_supervisor_that_was_killed(
    separate_supervisor: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    started = pids(tmp_path, "deaf") + pids(tmp_path, "worker")

    separate_supervisor.kill()

    wait_for(lambda: all(gone(pid) for pid in started), within_s=8)


def test_the_folder_stays_locked_until_the_last_process_of_a_killed_supervisor_is_gone(
    separate_supervisor: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    (deaf,) = pids(tmp_path, "deaf")
    separate_supervisor.kill()
    separate_supervisor.wait()

    with pytest.raises(Unavailable, match="already running"), folder.lock(tmp_path):
        pass

    def lockable() -> bool:
        try:
            with folder.lock(tmp_path):
                return True
        except Unavailable:
            return False

    wait_for(lockable)
    assert gone(deaf)


def test_a_second_ctrl_c_does_not_wait(
    separate_supervisor: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    (deaf,) = pids(tmp_path, "deaf")
    separate_supervisor.send_signal(signal.SIGINT)
    worker = pids(tmp_path, "worker")[0]
    wait_for(lambda: gone(worker))

    began = time.monotonic()
    separate_supervisor.send_signal(signal.SIGINT)

    assert separate_supervisor.wait(5) == 130
    wait_for(lambda: gone(deaf), within_s=4)
    assert time.monotonic() - began < 4  # the first one gives it six seconds


def test_a_group_is_alive_while_it_has_a_member() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE,
                          start_new_session=True) as process:  # fmt: skip
        assert is_alive(process.pid)
        process.kill()
    assert not is_alive(process.pid)
