"""What a process gives up when it enters a sandbox: other groups, its parent's end, its limits."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
USER = 61_998
BECOME = """
import os
from arena.hosting.sandbox.enter import become
os.setgroups([1, 2])
become({user})
print(os.getresuid(), os.getresgid(), os.getgroups())
"""
DIES = """
import ctypes
from arena.hosting.sandbox.enter import dies_with_parent
libc, sent = ctypes.CDLL(None), ctypes.c_int()
dies_with_parent()
libc.prctl(2, ctypes.byref(sent), 0, 0, 0)  # PR_GET_PDEATHSIG
print(sent.value, libc.prctl(3, 0, 0, 0, 0))  # PR_GET_DUMPABLE
"""
ENTER = "from arena.hosting.sandbox.enter import enter; enter()"


def said(program: str, given: object = None) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_becomes_a_user_without_other_groups() -> None:
    if os.geteuid():
        with pytest.raises(AssertionError, match="PermissionError"):
            said(BECOME.format(user=USER))
    else:
        three = (USER,) * 3
        assert said(BECOME.format(user=USER)) == f"{three} {three} []"


def test_it_dies_with_its_parent_and_nobody_looks_into_it() -> None:
    assert said(DIES) == f"{int(signal.SIGKILL)} 0"


def test_it_runs_what_it_is_told_under_limits() -> None:
    limits = {"RLIMIT_NOFILE": 0, "RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0}
    given = {
        "own_session": False,
        "user": None,
        "landlock": None,
        "limits": {"files": 33},
        "main": "tests.unit.hosting.limits_probe",
        "arguments": limits,
    }

    found = json.loads(said(ENTER, given))

    assert found == {"RLIMIT_NOFILE": [33, 33], "RLIMIT_CORE": [0, 0], "RLIMIT_FSIZE": [0, 0]}
