"""Which system calls a process may make: filters for seccomp, as the kernel's BPF programs.

A filter lists what is allowed. Everything else fails with EPERM, so that a bot gets an ordinary
PermissionError; `clone3`, whose flags a filter cannot see, fails with ENOSYS, upon which the C
library takes `clone`. A filter stays for good, also over fork and exec; a second one can only take
more away. See man 2 seccomp.

Two processes of one bot must not exchange data. So a call that takes a process's number may name
the caller only, and calls that show or use up what processes have in common are refused.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.hosting.sandbox.syscalls import Architecture, of_this_machine

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
    or_whole: tuple[int, ...] = ()  # or its low 32 bits without the mask are one of these
    high: bool = False  # its high 32 bits have to be 0 as well
    error: int = errno.EPERM  # of a call for which it does not hold


# Files are those that are open, or that the sandbox shows, read-only.
FILES = (
    *("read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "lseek"),
    *("close", "close_range", "fstat", "stat", "lstat", "newfstatat", "statx", "access"),
    *("faccessat", "faccessat2", "open", "openat", "readlink", "readlinkat", "getdents64"),
    *("getcwd", "dup", "dup2", "dup3"),
)
WAITING = (
    *("poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl"),
    *("epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd2", "timerfd_create"),
    *("timerfd_settime", "timerfd_gettime", "nanosleep", "restart_syscall"),
)
MEMORY = ("munmap", "mremap", "mprotect", "brk")
ITSELF = (
    *("rseq", "set_tid_address", "arch_prctl"),
    *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "sched_yield"),
    *("getpid", "gettid", "getppid", "getpgrp", "getuid"),
    *("geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "getrlimit"),
    *("getrusage", "times", "uname", "getrandom", "exit", "exit_group"),
    *("gettimeofday", "time"),
)
# Of the sockets that it was given: it cannot make one that leads anywhere. Descriptors on their way
# (sendmsg) are counted for all processes of a user together.
SOCKETS = ("recvfrom", "sendto", "recvmsg", "shutdown", "getsockname", "getpeername")

AF_UNIX, SOCK_STREAM, KIND_OF_SOCKET = 1, 1, 0xF
SOL_SOCKET, SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN = 1, 3, 4, 38, 39
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
TCGETS, FIONREAD, FIONBIO, FIOCLEX = 0x5401, 0x541B, 0x5421, 0x5451
PR_SET_NAME, PR_GET_NAME = 15, 16
FUTEX_WAIT, FUTEX_WAIT_BITSET, PRIVATE, REALTIME = 0, 9, 0x80, 0x100
# WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET and WAKE_BITSET. The others (priority
# inheritance) name the thread that holds a lock, which may be another process's.
OWN_FUTEXES = tuple(PRIVATE | operation for operation in (0, 1, 3, 4, 5, 9, 10))
CLONE_THREAD, CLONE_VFORK = 0x00010000, 0x00004000
MAP_SHARED, MAP_PRIVATE, MAP_HUGETLB = 1, 2, 0x40000
NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, …, NEWTIME
# All but MADV_MERGEABLE, COLD, PAGEOUT, HWPOISON and SOFT_OFFLINE: they change pages that other
# processes have, too.
ADVICE = (*range(12), *range(13, 20), *range(22, 26), 102, 103)
# MEMBARRIER_CMD_GLOBAL and both of GLOBAL_EXPEDITED interrupt other processes.
BARRIERS_OF_ALL = 0b111
# The clock of a process or thread is a negative number. With this bit it is a thread's, and the
# kernel shows it to the thread's own process only. What is not negative is fixed, or the caller's.
NEGATIVE, OF_A_THREAD, SCHEDULED = 0x80000000, 4, 2

CLOCKS = ("clock_gettime", "clock_getres", "clock_nanosleep")

# Datagrams could be sent to any other socket that has a name.
PAIR = (If(0, (AF_UNIX,)), If(1, (SOCK_STREAM,), KIND_OF_SOCKET))

# For the fork server as well.
MADE_AND_SEEN: Mapping[str, Sequence[If]] = {
    "ioctl": (If(1, (TCGETS, FIONREAD, FIONBIO, FIOCLEX)),),
    # SO_COOKIE counts the sockets of the machine.
    "getsockopt": (If(1, (SOL_SOCKET,)), If(2, (SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN))),
    # There are only so many huge pages, for all.
    "mmap": (If(3, (MAP_PRIVATE, MAP_SHARED), MAP_PRIVATE | MAP_SHARED | MAP_HUGETLB),),
    "madvise": (If(2, ADVICE),),
    "membarrier": (If(0, (0,), BARRIERS_OF_ALL),),
}


def on_condition(process: int = 0) -> Mapping[str, Sequence[If]]:
    """What a bot may do on condition; `process` is its number, by which it may name itself."""
    itself = tuple({0, process})
    clocks = tuple((~one << 3 | SCHEDULED) & 0xFFFFFFFF for one in itself)
    not_anothers = (0, OF_A_THREAD, NEGATIVE | OF_A_THREAD)
    return {
        **MADE_AND_SEEN,
        **dict.fromkeys(CLOCKS, (If(0, not_anothers, NEGATIVE | OF_A_THREAD, clocks),)),
        # F_SETOWN and F_SETSIG would have the kernel send signals to others for it, and locks be
        # seen by all who have the same file open.
        "fcntl": (If(1, (F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC)),),
        # Futexes in files that all can read, such as libraries, would be seen by other processes.
        "futex": (If(1, OWN_FUTEXES, 0xFFFFFFFF & ~REALTIME),),
        "prctl": (If(0, (PR_SET_NAME, PR_GET_NAME)),),
        "prlimit64": (If(0, itself), If(2, (0,), high=True)),  # to read limits, not to set them
        "getpgid": (If(0, itself),),
        # pthread_getattr_np asks for those of a thread; with ENOSYS it does without.
        "sched_getaffinity": (If(0, itself, error=errno.ENOSYS),),
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
BOT: Final = Allowed(frozenset((*FILES, *WAITING, *MEMORY, *ITSELF, *SOCKETS)), on_condition())


def program_of(process: int) -> Allowed:
    """The same for a program of its own, which has to be executed, and may have threads; `process`
    is its number."""
    itself = tuple({0, process})
    return Allowed(
        BOT.always
        | {"execve", "set_robust_list", "pkey_alloc", "pkey_free", "pkey_mprotect"}
        | {"pipe", "pipe2", "sysinfo"},
        {
            **on_condition(process),
            # CLONE_VFORK would let a thread sleep as if it waited for a disk, at no cost.
            "clone": (If(0, (CLONE_THREAD,), CLONE_THREAD | CLONE_VFORK | NEW_NAMESPACES),),
            # Memory that is shared does not count against the limit of its memory.
            "mmap": (If(3, (MAP_PRIVATE,), MAP_PRIVATE | MAP_SHARED | MAP_HUGETLB),),
            # The C library waits for a thread's end by one that is not private.
            "futex": (
                If(1, (FUTEX_WAIT, FUTEX_WAIT_BITSET, *OWN_FUTEXES), 0xFFFFFFFF & ~REALTIME),
            ),
            "socketpair": PAIR,
            "sched_getparam": (If(0, itself),),
            "sched_getscheduler": (If(0, itself),),
            "tgkill": (If(0, (process,)),),
        },
    )


PROGRAM: Final = program_of(0)

# What bots' processes are forked from; nothing that a bot's author wrote runs in it. What it may
# not do, they may not do either.
FORK_SERVER: Final = Allowed(
    PROGRAM.always
    | (PROGRAM.on_condition.keys() - MADE_AND_SEEN.keys() - {"clone", "socketpair"})
    | {"fork", "vfork", "wait4", "waitid", "seccomp"}
    | {"setrlimit", "setpriority", "sched_setscheduler", "chdir", "umask"},
    {**MADE_AND_SEEN, "socketpair": PAIR, "clone": (If(0, (0,), NEW_NAMESPACES),)},
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
    check = [_statement(LOAD, low)]
    steps = (*condition.or_whole, None, *condition.values)
    for place, value in enumerate(steps):
        if value is None:
            check.append(_statement(AND, condition.mask))
        else:  # to what is after the refusal that follows
            check.append(_jump(JUMP_EQUAL, value, len(steps) - place, 0))
    refusal = _statement(RETURN, REFUSE | condition.error)
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
