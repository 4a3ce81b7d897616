"""However a command of the kit ends, none of its processes is left."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from arena.sdk import Bot, play

# It starts another program, as an engine would be, and then thinks for ever.
ENDLESS = """
import os, signal, subprocess, sys, time
from arena.sdk import Bot

class Endless(Bot):
    def choose(self, view):
        if "deaf" in __file__:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "1000"])
        with open("pids.part", "w") as file:
            file.write(f"{os.getpid()} {child.pid}")
        os.rename("pids.part", "pids")
        while True:
            time.sleep(1)

if __name__ == "__main__":
    Endless().run()
"""
PROGRAM = shlex.join([sys.executable, "endless.py"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    for name in ("endless", "deaf"):
        (tmp_path / f"{name}.py").write_text(ENDLESS)
    return tmp_path


def thinking(folder: Path, command: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes of a bot that has begun to think."""
    deadline = time.monotonic() + 60
    while not (folder / "pids").exists():
        assert command.poll() is None, "the command has ended"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return [psutil.Process(int(pid)) for pid in (folder / "pids").read_text().split()]


def is_gone(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (["play", "deaf.py", "sharp", "--jobs", "1"], signal.SIGKILL),
        (["play", "--versus", PROGRAM, "sharp", "--jobs", "1"], signal.SIGTERM),
        (["selfplay", "endless.py", "sharp", "--jobs", "1", "--out", "x"], signal.SIGKILL),
        (["check", "endless.py", "--move-time", "1000"], signal.SIGKILL),
        (["debug", "played.jsonl", "--bot", PROGRAM], signal.SIGKILL),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value.name,
)
def test_a_command_that_is_killed_leaves_no_process(
    folder: Path, words: list[str], number: signal.Signals
) -> None:
    (folder / "played.jsonl").write_text(json.dumps(play([Bot(), Bot()], seed=1)))
    command = subprocess.Popen(
        [sys.executable, "-m", "arena.kit", *words],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with command:
        family = thinking(folder, command)
        family += psutil.Process(command.pid).children(recursive=True)
        os.kill(command.pid, number)
        command.wait(30)

    deadline = time.monotonic() + 60
    while left := [each for each in family if not is_gone(each)]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
