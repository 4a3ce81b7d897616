"""Seccomp filters, as BPF programs: the system calls that a process may make.

A filter is an allow list. Other calls fail with EPERM, so that a bot gets a PermissionError.
`clone3` fails with ENOSYS, since a filter cannot see its flags; the C library then uses `clone`. A
filter is permanent, including over fork and exec, and a second one can only restrict further. See
man 2 seccomp.

Two processes of a bot must not exchange data. So a call with a process number may name only the
caller, and calls that show or consume shared resources are refused.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.hosting.sandbox.syscalls import Architecture, of_this_machine

# Operations of BPF instructions.
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06

ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000

# Offsets in struct seccomp_data.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16

PR_SET_NO_NEW_PRIVS, SET_MODE_FILTER = 38, 1


@dataclass(frozen=True, slots=True)
class If:
    """True if an argument, masked by `mask`, is one of these values."""

    argument: int  # from 0
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF  # for its low 32 bits
    or_whole: tuple[int, ...] = ()  # or its unmasked low 32 bits are one of these
    high: bool = False  # its high 32 bits must be 0, too
    error: int = errno.EPERM  # of a call for which it is false


# For open files, and those that the sandbox shows read-only.
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
# For inherited sockets; it cannot create one that leads anywhere. No sendmsg: the kernel counts
# descriptors in transit for all processes of a user together.
SOCKETS = ("recvfrom", "sendto", "recvmsg", "shutdown", "getsockname", "getpeername")

AF_UNIX, SOCK_STREAM, KIND_OF_SOCKET = 1, 1, 0xF
SOL_SOCKET, SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN = 1, 3, 4, 38, 39
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
TCGETS, FIONREAD, FIONBIO, FIOCLEX = 0x5401, 0x541B, 0x5421, 0x5451
PR_SET_NAME, PR_GET_NAME = 15, 16
FUTEX_WAIT, FUTEX_WAIT_BITSET, PRIVATE, REALTIME = 0, 9, 0x80, 0x100
# WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET and WAKE_BITSET. The others (priority
# inheritance) name the thread that holds a lock, which may belong to another process.
OWN_FUTEXES = tuple(PRIVATE | operation for operation in (0, 1, 3, 4, 5, 9, 10))
CLONE_THREAD, CLONE_VFORK = 0x00010000, 0x00004000
MAP_SHARED, MAP_PRIVATE, MAP_HUGETLB = 1, 2, 0x40000
NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, …, NEWTIME
# All but MADV_MERGEABLE, COLD, PAGEOUT, HWPOISON and SOFT_OFFLINE, which affect shared pages.
ADVICE = (*range(12), *range(13, 20), *range(22, 26), 102, 103)
# MEMBARRIER_CMD_GLOBAL and both of GLOBAL_EXPEDITED interrupt other processes.
BARRIERS_OF_ALL = 0b111
# The clocks of processes and threads are negative numbers. With OF_A_THREAD it is a thread's, which
# only its own process can read. Other clocks are fixed, or the caller's.
NEGATIVE, OF_A_THREAD, SCHEDULED = 0x80000000, 4, 2

CLOCKS = ("clock_gettime", "clock_getres", "clock_nanosleep")

# Streams only: datagrams can be sent to any named socket.
PAIR = (If(0, (AF_UNIX,)), If(1, (SOCK_STREAM,), KIND_OF_SOCKET))

# Also for the fork server.
MADE_AND_SEEN: Mapping[str, Sequence[If]] = {
    "ioctl": (If(1, (TCGETS, FIONREAD, FIONBIO, FIOCLEX)),),
    # SO_COOKIE counts the sockets of the machine.
    "getsockopt": (If(1, (SOL_SOCKET,)), If(2, (SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN))),
    # The machine has a limited number of huge pages.
    "mmap": (If(3, (MAP_PRIVATE, MAP_SHARED), MAP_PRIVATE | MAP_SHARED | MAP_HUGETLB),),
    "madvise": (If(2, ADVICE),),
    "membarrier": (If(0, (0,), BARRIERS_OF_ALL),),
}


def on_condition(process: int = 0) -> Mapping[str, Sequence[If]]:
    """Return the conditional system calls of a bot; `process` is its own number."""
    itself = tuple({0, process})
    clocks = tuple((~one << 3 | SCHEDULED) & 0xFFFFFFFF for one in itself)
    not_anothers = (0, OF_A_THREAD, NEGATIVE | OF_A_THREAD)
    return {
        **MADE_AND_SEEN,
        **dict.fromkeys(CLOCKS, (If(0, not_anothers, NEGATIVE | OF_A_THREAD, clocks),)),
        # F_SETOWN and F_SETSIG would let the kernel send signals to others, and locks are visible
        # to all processes with the same file open.
        "fcntl": (If(1, (F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC)),),
        # Futexes in shared files, such as libraries, would be visible to other processes.
        "futex": (If(1, OWN_FUTEXES, 0xFFFFFFFF & ~REALTIME),),
        "prctl": (If(0, (PR_SET_NAME, PR_GET_NAME)),),
        "prlimit64": (If(0, itself), If(2, (0,), high=True)),  # to read limits only
        "getpgid": (If(0, itself),),
        # pthread_getattr_np calls it for a thread, and accepts ENOSYS.
        "sched_getaffinity": (If(0, itself, error=errno.ENOSYS),),
    }


@dataclass(frozen=True, slots=True)
class AllowList:
    """The allow list of a filter. Calls `on_condition` need all their conditions."""

    always: frozenset[str]
    on_condition: Mapping[str, Sequence[If]]

    def program(self, architecture: Architecture) -> bytes:
        """Return the BPF program, 8 bytes per instruction."""
        numbers = architecture.numbers
        program = [
            _statement(LOAD, ARCHITECTURE),
            _jump(JUMP_EQUAL, architecture.audit, 1, 0),
            _statement(RETURN, KILL),
            _statement(LOAD, NUMBER),
        ]
        if architecture.other_abi is not None:
            other = _jump(JUMP_AT_LEAST, architecture.other_abi, 0, 1)
            program += [other, _statement(RETURN, KILL)]
        for name in sorted(self.always & numbers.keys(), key=numbers.__getitem__):
            program += [_jump(JUMP_EQUAL, numbers[name], 0, 1), _statement(RETURN, ALLOW)]
        for name, conditions in self.on_condition.items():
            checks = [part for condition in conditions for part in _check(condition)]
            checks.append(_statement(RETURN, ALLOW))
            program += [_jump(JUMP_EQUAL, numbers[name], 0, len(checks)), *checks]
        program += [
            _jump(JUMP_EQUAL, numbers["clone3"], 0, 1),
            _statement(RETURN, REFUSE | errno.ENOSYS),
            _statement(RETURN, REFUSE | errno.EPERM),
        ]
        return b"".join(program)


# For Python bots.
BOT: Final = AllowList(frozenset((*FILES, *WAITING, *MEMORY, *ITSELF, *SOCKETS)), on_condition())


def program_of(process: int) -> AllowList:
    """Return the allow list of a program with this process number. In addition it may be executed
    and have threads."""
    itself = tuple({0, process})
    return AllowList(
        BOT.always
        | {"execve", "set_robust_list", "pkey_alloc", "pkey_free", "pkey_mprotect"}
        | {"pipe", "pipe2", "sysinfo"},
        {
            **on_condition(process),
            # With CLONE_VFORK a thread could sleep as if it waited for a disk, uncharged.
            "clone": (If(0, (CLONE_THREAD,), CLONE_THREAD | CLONE_VFORK | NEW_NAMESPACES),),
            # Shared memory does not count towards the memory limit.
            "mmap": (If(3, (MAP_PRIVATE,), MAP_PRIVATE | MAP_SHARED | MAP_HUGETLB),),
            # The C library waits for the end of a thread by a futex that is not private.
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

# For the fork server, which runs no code of authors. Its children inherit the filter.
FORK_SERVER: Final = AllowList(
    PROGRAM.always
    | (PROGRAM.on_condition.keys() - MADE_AND_SEEN.keys() - {"clone", "socketpair"})
    | {"fork", "vfork", "wait4", "waitid", "seccomp"}
    | {"setrlimit", "setpriority", "sched_setscheduler", "chdir", "umask"},
    {**MADE_AND_SEEN, "socketpair": PAIR, "clone": (If(0, (0,), NEW_NAMESPACES),)},
)


def _check(condition: If) -> list[bytes]:
    """Return instructions that refuse the call if the condition is false."""
    low = ARGUMENTS + 8 * condition.argument  # the low half comes first on both machines
    check = [_statement(LOAD, low)]
    steps = (*condition.or_whole, None, *condition.values)
    for place, value in enumerate(steps):
        if value is None:
            check.append(_statement(AND, condition.mask))
        else:  # to after the refusal below
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


class SeccompFilter:
    """A filter that is ready to be installed after a fork, without allocating memory."""

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    def __init__(self, allowed: AllowList) -> None:
        """Raises Unavailable on a machine whose system calls are not known."""
        architecture = of_this_machine()
        code = allowed.program(architecture)
        self._program = self._Program(len(code) // 8, code)
        self._call = architecture.numbers["seccomp"]
        self._libc = ctypes.CDLL(None, use_errno=True)

    def install(self) -> None:
        """Restrict this process and its children to the allow list. Raises OSError."""
        if self._libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "The kernel refuses no_new_privs.")
        if self._libc.syscall(self._call, SET_MODE_FILTER, 0, ctypes.byref(self._program)):
            number = ctypes.get_errno()
            raise OSError(number, f"The kernel rejects the seccomp filter: {os.strerror(number)}")
