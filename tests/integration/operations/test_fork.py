"""Programs that run in a fork: as good as those that start from scratch, and sooner there."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

PROGRAM = """
import atexit, json, os, signal, sys, threading, time
from pathlib import Path

def at_the_end():
    print("at the end", flush=True)

atexit.register(at_the_end)
threading.Thread(target=lambda: (time.sleep(0.3), print("thread done"))).start()
said = {
    "name": __name__,
    "arguments": sys.argv[1:],
    "variable": os.environ.get("ARENA_TRIED"),
    "session": os.getsid(0) == os.getpid(),
    "descriptors": sorted({
        os.readlink(file)
        for file in Path("/proc/self/fd").iterdir()
        if int(file.name) > 2 and file.exists()
    }),
    "input": sys.stdin.read(),
    "term": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
    "threads": len(os.listdir("/proc/self/task")),
    "title": Path("/proc/self/cmdline").read_bytes().rstrip(b"\\0").decode(),
}
print(json.dumps(said))
if sys.argv[1] == "raise":
    raise ValueError("this went wrong")
if sys.argv[1] == "exit":
    sys.exit(3)
if sys.argv[1] == "say":
    sys.exit("this is why")
if sys.argv[1] == "stay":
    time.sleep(60)
"""

PARENT = """
import atexit, os, signal, sys
from pathlib import Path
from arena.operations.supervise.fork import can_fork, fork

assert can_fork()
atexit.register(lambda: print("the parent ends", flush=True))
signal.signal(signal.SIGTERM, lambda *_: None)
secret = open("/etc/passwd")
with open("log", "ab") as log:
    command = ("python", "-m", "program", sys.argv[1])
    child = fork(command, {"ARENA_TRIED": "yes"}, log.fileno())
print(child.pid, flush=True)
if sys.argv[1] == "stay":
    sys.stdin.read()
print(child.wait())
"""

Run = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    (tmp_path / "program.py").write_text(PROGRAM)

    def run(how: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(PARENT), how],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    return run


def log(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text().splitlines()


def test_a_program_finds_all_as_in_a_process_of_its_own(run: Run, tmp_path: Path) -> None:
    parent = run("good")
    out, _ = parent.communicate(timeout=30)

    assert parent.returncode == 0
    assert out.splitlines()[1:] == ["0", "the parent ends"]  # and not of the fork
    said, *rest = log(tmp_path)
    assert json.loads(said) == {
        "name": "__main__",
        "arguments": ["good"],
        "variable": "yes",
        "session": True,
        "descriptors": ["/dev/null"],
        "input": "",
        "term": True,
        "threads": 2,
        "title": "python -m program good",
    }
    assert rest == ["thread done", "at the end"]


LEFT = """
import os, socket

connection, other = socket.socketpair()

def give_up():
    connection.close()
"""

PROGRAM_WITH_PIPES = """
import os
import left

pipes = [os.pipe() for _ in range(20)]
left.give_up()
for reading, writing in pipes:
    os.write(writing, b"x")
    assert os.read(reading, 1) == b"x"
print("all work")
"""


def test_objects_of_the_parent_close_no_files_of_the_program(run: Run, tmp_path: Path) -> None:
    """As pools of connections do, that are reset when a process forks."""
    (tmp_path / "left.py").write_text(LEFT)
    (tmp_path / "program.py").write_text(PROGRAM_WITH_PIPES)
    code = f"import sys; sys.path.insert(0, '')\nimport left\n{PARENT}"
    subprocess.run([sys.executable, "-c", code, "good"], cwd=tmp_path, check=True, timeout=30)

    assert log(tmp_path) == ["all work"]


@pytest.mark.parametrize(
    ("how", "status", "last"),
    [
        ("exit", 3, None),
        ("say", 1, "this is why"),
        ("raise", 1, "ValueError: this went wrong"),
    ],
)
def test_its_status_and_what_it_says_are_those_of_a_program(
    run: Run, tmp_path: Path, how: str, status: int, last: str | None
) -> None:
    out, _ = run(how).communicate(timeout=30)

    assert out.splitlines()[1] == str(status)
    assert last is None or last in log(tmp_path)


def test_it_ends_with_its_parent_and_by_a_signal(run: Run, tmp_path: Path) -> None:
    parent = run("stay")
    assert parent.stdout
    child = psutil.Process(int(parent.stdout.readline()))
    wait_for(lambda: (tmp_path / "log").exists() and len(log(tmp_path)) >= 2)

    parent.kill()
    parent.wait()

    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
    parent.communicate()

    other = run("stay")
    assert other.stdout
    pid = int(other.stdout.readline())
    os.kill(pid, signal.SIGKILL)
    out, _ = other.communicate(timeout=30)
    assert out.splitlines()[0] == "-9"


def test_a_signal_that_comes_at_once_ends_it(tmp_path: Path) -> None:
    """Also one that comes while it still has its parent's handlers."""
    code = f"""
        import os, signal
        from arena.operations.supervise import fork
        signal.signal(signal.SIGTERM, lambda *_: None)
        forget = fork._forget_parent
        def slowly(log):
            os.write(ready, b"x")
            import time
            time.sleep(0.3)
            forget(log)
        fork._forget_parent = slowly
        begun, ready = os.pipe()
        with open("{tmp_path}/log", "ab") as log:
            child = fork.fork(("python", "-m", "http.server", "0"), {{}}, log.fileno())
        os.read(begun, 1)
        child.send_signal(signal.SIGTERM)
        print(child.wait())
    """
    assert ran(code) == "-15"


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


PARENT_OF_TWO = """
import sys, time
from pathlib import Path
from arena.operations.supervise.child import Child, ChildSpec

here = (sys.executable, "-m", "program", "good")
elsewhere = ("env", "ARENA_TRIED=elsewhere", *here)
for name, command in (("here", here), ("elsewhere", elsewhere)):
    child = Child(ChildSpec(name, command, {"ARENA_TRIED": "here"}, forks=True), Path(name))
    child.start()
    while child.running:
        time.sleep(0.01)
"""


def test_a_command_that_begins_with_another_program_is_that_program(
    run: Run, tmp_path: Path
) -> None:
    """As the one that enters another network: a fork would run the module in this one."""
    command = [sys.executable, "-c", PARENT_OF_TWO]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=30)

    for name in ("here", "elsewhere"):
        said = json.loads((tmp_path / name).read_text().splitlines()[0])
        assert said["variable"] == name


def test_a_process_with_threads_does_not_fork() -> None:
    code = """
        import threading
        from arena.operations.supervise.fork import can_fork
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        print(can_fork())
    """
    assert ran(code) == "False"


def test_a_process_that_has_a_database_open_forks_only_what_opens_none(tmp_path: Path) -> None:
    code = f"""
        from arena.store import upgrade_store
        from arena.operations.supervise.fork import can_fork
        store = upgrade_store("sqlite:///{tmp_path}/arena.db")
        with store.read():
            print(can_fork(), can_fork(database=False), end=" ")
        store.dispose()
        print(can_fork())
    """
    assert ran(code) == "False True True"


def test_preloaded_modules_leave_no_trace() -> None:
    """Neither threads nor files; and it does not settle what the variables of a fork decide."""
    code = """
        import os, sys
        from arena.cli.up import up
        from arena.operations.supervise import house, machine
        before = sorted(os.listdir("/proc/self/fd"))
        from arena.operations.supervise.fork import can_fork
        from arena.operations.supervise.fork import preload
        preload()
        print(can_fork(), sorted(os.listdir("/proc/self/fd")) == before)
        print([name for name in ("prometheus_client", "workers.setup.app", "dashboard.app")
               if name in sys.modules])
    """
    assert ran(code) == "True True\n[]"


def ran(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
