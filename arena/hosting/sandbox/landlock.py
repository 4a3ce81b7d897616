"""Landlock: a process restricts itself to some files, without network.

For machines without user namespaces. Processes and the names of files stay visible. The seccomp
filter handles dangerous system calls. See man 7 landlock.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from typing import Final

# The same on all machines.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION, PATH_BENEATH = 1, 1
PR_SET_NO_NEW_PRIVS = 38

EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3

# Numbers of rights, by version of the kernel's interface.
FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
TCP_SINCE, TCP_RIGHTS = 4, 0b11
SCOPES_SINCE, SCOPES = 6, 0b11  # abstract sockets and signals


def version() -> int:
    """Return the version of Landlock in the kernel; 0 for none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(CREATE_RULESET, None, 0, VERSION)))


def restrict(readable: Iterable[str]) -> None:
    """Let this process and its children read and execute only these files, and files in these
    folders. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    known = version()
    handled = (1 << FILE_RIGHTS[min(known, max(FILE_RIGHTS))]) - 1 if known else 0
    attributes = struct.pack("<Q", handled)
    if known >= TCP_SINCE:
        attributes += struct.pack("<Q", TCP_RIGHTS)
    if known >= SCOPES_SINCE:
        attributes += struct.pack("<Q", SCOPES)
    ruleset = _checked(libc.syscall(CREATE_RULESET, attributes, len(attributes), 0))
    for path in readable:
        _allow(libc, ruleset, path)
    _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(libc.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str) -> None:
    rights = EXECUTE | READ_FILE | (READ_DIR if os.path.isdir(path) else 0)
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("<Qi", rights, folder)
        _checked(libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0))
    finally:
        os.close(folder)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return result
