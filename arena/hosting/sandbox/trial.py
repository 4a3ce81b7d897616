"""The test program of a sandbox: tries to break out."""

import os
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any


def main(arguments: Mapping[str, Any]) -> None:
    """Print "confined" if no attempt succeeds, else the names of those that do."""
    through = [name for name, attempt in ATTEMPTS.items() if _succeeds(attempt)]
    sys.stdout.write(f"open to {', '.join(through)}\n" if through else "confined\n")


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


ATTEMPTS: Mapping[str, Callable[[], object]] = {
    "files": lambda: open("/etc/passwd").close(),
    "writing": lambda: open("written", "w").close(),
    "the network": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "signals": lambda: os.kill(os.getppid(), 0),
}
