"""Run as a script: asks to end when its parent ends, then becomes the command it was given.

    python -I -S tether.py PARENT_PID COMMAND...

Linux can signal a process when its parent dies, but only the process itself can ask for that,
between fork and exec. A script in between does it without running Python code in a forked copy
of a program that may have threads. Elsewhere the guardian alone has to do.

It imports nothing of the arena: it must start in some milliseconds.
"""

from __future__ import annotations

import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def ask_to_end_with_parent() -> None:
    """The kernel sends SIGTERM to this process (also after exec) when its parent dies."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def become(command: list[str]) -> None:
    """Replaces this process; a command that cannot be started is told on stderr, status 127."""
    try:
        os.execvp(command[0], command)  # noqa: S606 - that is what a tether is for
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    ask_to_end_with_parent()
    if os.getppid() != int(sys.argv[1]):  # it died before the kernel knew of our wish
        sys.exit(1)
    become(sys.argv[2:])
