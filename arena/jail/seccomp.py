"""Which system calls a process may make: filters for seccomp, as the kernel's BPF programs.

A filter lists what is allowed. Everything else fails with EPERM, so that a bot gets an ordinary
PermissionError; `clone3`, whose flags a filter cannot see, fails with ENOSYS, upon which the C
library takes `clone`. A filter stays for good, also over fork and exec; a second one can only take
more away. See man 2 seccomp.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.jail.syscalls import Architecture, of_this_machine

# Of a BPF instruction: what it does, and with what.
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06

ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000

# Where the kernel puts things: struct seccomp_data.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16

PR_SET_NO_NEW_PRIVS, SET_MODE_FILTER = 38, 1


@dataclass(frozen=True, slots=True)
class If:
    """Holds if an argument, as far as `mask` has it, is one of these values."""

    argument: int  # from 0
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF  # of its low 32 bits
    high: bool = False  # its high 32 bits have to be 0 as well


# Files are those that are open, or that the jail shows, read-only.
FILES = (
    *("read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "lseek"),
    *("close", "close_range", "fstat", "stat", "lstat", "newfstatat", "statx", "access"),
    *("faccessat", "faccessat2", "open", "openat", "readlink", "readlinkat", "getdents64"),
    *("getcwd", "dup", "dup2", "dup3", "pipe", "pipe2"),
)
WAITING = (
    *("poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl"),
    *("epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd2", "timerfd_create"),
    *("timerfd_settime", "timerfd_gettime", "nanosleep", "clock_nanosleep", "restart_syscall"),
)
MEMORY = ("mmap", "munmap", "mremap", "mprotect", "madvise", "brk", "membarrier")
ITSELF = (
    *("set_robust_list", "get_robust_list", "rseq", "set_tid_address", "arch_prctl"),
    *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "sched_yield"),
    *("sched_getaffinity", "getpid", "gettid", "getppid", "getpgrp", "getpgid", "getuid"),
    *("geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "getrlimit"),
    *("getrusage", "times", "uname", "sysinfo", "getrandom", "exit", "exit_group"),
    *("clock_gettime", "clock_getres", "gettimeofday", "time"),
)
# Of the sockets that it was given: it cannot make one that leads anywhere.
SOCKETS = (
    *("recvfrom", "sendto", "recvmsg", "sendmsg", "shutdown"),
    *("getsockopt", "setsockopt", "getsockname", "getpeername"),
)

AF_UNIX, SOCK_STREAM, KIND_OF_SOCKET = 1, 1, 0xF
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
TCGETS, FIONREAD, FIONBIO, FIOCLEX = 0x5401, 0x541B, 0x5421, 0x5451
PR_SET_NAME, PR_GET_NAME = 15, 16
FUTEX_WAIT, FUTEX_WAIT_BITSET, PRIVATE, COMMANDS, REALTIME = 0, 9, 0x80, 14, 0x100
CLONE_THREAD = 0x00010000
MAP_SHARED, MAP_PRIVATE = 1, 2
NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, …, NEWTIME

PROGRAMS_FUTEXES = (FUTEX_WAIT, FUTEX_WAIT_BITSET, *range(PRIVATE, PRIVATE + COMMANDS))

ON_CONDITION: Mapping[str, Sequence[If]] = {
    "ioctl": (If(1, (TCGETS, FIONREAD, FIONBIO, FIOCLEX)),),
    # asyncio wakes itself with a pair. Datagrams could be sent to any other socket that has a name.
    "socketpair": (If(0, (AF_UNIX,)), If(1, (SOCK_STREAM,), KIND_OF_SOCKET)),
    # F_SETOWN and F_SETSIG would have the kernel send signals to others for it, and locks be seen
    # by all who have the same file open.
    "fcntl": (If(1, (F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC)),),
    # Futexes in files that all can read, such as libraries, would be seen by other processes.
    "futex": (If(1, (PRIVATE,), PRIVATE),),
    "prctl": (If(0, (PR_SET_NAME, PR_GET_NAME)),),
    "prlimit64": (If(2, (0,), high=True),),  # to read limits, not to set them
}


@dataclass(frozen=True, slots=True)
class Allowed:
    """The system calls of a filter; those `on_condition` if all conditions of them hold."""

    always: frozenset[str]
    on_condition: Mapping[str, Sequence[If]]

    def program(self, architecture: Architecture) -> bytes:
        """The BPF program, 8 bytes for each instruction."""
        return b"".join(_program(self, architecture))


# What a bot may do while it plays.
BOT: Final = Allowed(frozenset((*FILES, *WAITING, *MEMORY, *ITSELF, *SOCKETS)), ON_CONDITION)

# The same for a program of its own, which has to be executed, and may have threads.
PROGRAM: Final = Allowed(
    (BOT.always - {"mmap"})
    | {"execve", "sched_getparam", "sched_getscheduler"}
    | {"pkey_alloc", "pkey_free", "pkey_mprotect"},
    {
        **ON_CONDITION,
        "clone": (If(0, (CLONE_THREAD,), CLONE_THREAD | NEW_NAMESPACES),),
        # Memory that is shared does not count against the limit of its memory.
        "mmap": (If(3, (MAP_PRIVATE,), MAP_SHARED | MAP_PRIVATE),),
        # The C library waits for a thread's end by one that is not private.
        "futex": (If(1, PROGRAMS_FUTEXES, 0xFFFFFFFF & ~REALTIME),),
    },
)


def program_of(process: int) -> Allowed:
    """PROGRAM, and signals to the threads of this process, which has the number `process`."""
    signals = {"tgkill": (If(0, (process,)),)}
    return Allowed(PROGRAM.always, {**PROGRAM.on_condition, **signals})


# What bots' processes are forked from; nothing that a bot's author wrote runs in it.
FORK_SERVER: Final = Allowed(
    PROGRAM.always
    | {"mmap", "fork", "vfork", "tgkill", "fcntl", "futex", "wait4", "waitid", "prctl", "seccomp"}
    | {"setrlimit", "prlimit64", "setpriority", "sched_setscheduler", "chdir", "umask"},
    {
        "ioctl": ON_CONDITION["ioctl"],
        "socketpair": ON_CONDITION["socketpair"],
        "clone": (If(0, (0,), NEW_NAMESPACES),),
    },
)


def _program(allowed: Allowed, architecture: Architecture) -> Sequence[bytes]:
    numbers = architecture.numbers
    program = [
        _statement(LOAD, ARCHITECTURE),
        _jump(JUMP_EQUAL, architecture.audit, 1, 0),
        _statement(RETURN, KILL),
        _statement(LOAD, NUMBER),
    ]
    if architecture.other_abi is not None:
        program += [_jump(JUMP_AT_LEAST, architecture.other_abi, 0, 1), _statement(RETURN, KILL)]
    for name in sorted(allowed.always & numbers.keys(), key=numbers.__getitem__):
        program += [_jump(JUMP_EQUAL, numbers[name], 0, 1), _statement(RETURN, ALLOW)]
    for name, conditions in allowed.on_condition.items():
        checks = [part for condition in conditions for part in _check(condition)]
        checks.append(_statement(RETURN, ALLOW))
        program += [_jump(JUMP_EQUAL, numbers[name], 0, len(checks)), *checks]
    program += [
        _jump(JUMP_EQUAL, numbers["clone3"], 0, 1),
        _statement(RETURN, REFUSE | errno.ENOSYS),
        _statement(RETURN, REFUSE | errno.EPERM),
    ]
    return program


def _check(condition: If) -> list[bytes]:
    """Looks at an argument; where it may not be that, the program ends."""
    low = ARGUMENTS + 8 * condition.argument  # the low half comes first on both machines
    check = [_statement(LOAD, low), _statement(AND, condition.mask)]
    count = len(condition.values)
    for place, value in enumerate(condition.values):
        # To what is after the refusal that follows the values.
        check.append(_jump(JUMP_EQUAL, value, count - place, 0))
    refusal = _statement(RETURN, REFUSE | errno.EPERM)
    check.append(refusal)
    if condition.high:
        check += [_statement(LOAD, low + 4), _jump(JUMP_EQUAL, 0, 1, 0), refusal]
    return check


def _statement(code: int, value: int) -> bytes:
    return _jump(code, value, 0, 0)


def _jump(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


class Filter:
    """A filter, ready to be installed: this allocates nothing any more that a fork could lose."""

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    def __init__(self, allowed: Allowed) -> None:
        """Raises Unavailable on a machine of which the system calls are not known."""
        architecture = of_this_machine()
        code = allowed.program(architecture)
        self._program = self._Program(len(code) // 8, code)
        self._call = architecture.numbers["seccomp"]
        self._libc = ctypes.CDLL(None, use_errno=True)

    def install(self) -> None:
        """From now on this process and its children may do what is allowed, and no more. Raises
        OSError."""
        if self._libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "The kernel refuses no_new_privs.")
        if self._libc.syscall(self._call, SET_MODE_FILTER, 0, ctypes.byref(self._program)):
            number = ctypes.get_errno()
            raise OSError(number, f"The kernel takes no seccomp filter: {os.strerror(number)}")
