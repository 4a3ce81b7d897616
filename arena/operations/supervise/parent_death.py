"""A wrapper script: asks for SIGTERM when its parent dies, then execs the given command.

    python -I -S parent_death.py PARENT_PID COMMAND...

Linux can signal a process when its parent dies, but only the process itself can request that,
between fork and exec. Doing it in a separate script avoids running Python code in a forked copy
of a program that may have threads. On other systems only the reaper cleans up.

It imports nothing from the arena, because it must start within milliseconds.
"""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def ask_to_end_with_parent() -> None:
    """Make the kernel send SIGTERM to this process when its parent dies, even after exec."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def become(command: list[str]) -> None:
    """Replace this process with the command. If that fails, print the reason and exit with 127."""
    try:
        os.execvp(command[0], command)  # noqa: S606 - exec is the point of this script
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    ask_to_end_with_parent()
    if os.getppid() != int(sys.argv[1]):  # the parent died before prctl
        sys.exit(1)
    become(sys.argv[2:])
