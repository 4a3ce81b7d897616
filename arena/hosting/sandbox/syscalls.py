"""The numbers of Linux system calls, by architecture.

From the kernel's headers: asm/unistd_64.h for x86-64, asm-generic/unistd.h for ARM.
"""

import platform
from dataclasses import dataclass
from typing import Final

from arena.base.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Architecture:
    """An architecture, as needed by a filter."""

    audit: int  # what the kernel reports in seccomp_data.arch
    numbers: dict[str, int]  # by name, without missing calls
    other_abi: int | None = None  # numbers from this on belong to another ABI


# By name, the numbers on x86-64 and on ARM64; None for a call that ARM64 lacks.
_NUMBERS: Final[dict[str, tuple[int, int | None]]] = {
    "read": (0, 63),
    "write": (1, 64),
    "open": (2, None),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "ioctl": (16, 29),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "access": (21, None),
    "pipe": (22, None),
    "select": (23, None),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "dup": (32, 23),
    "dup2": (33, None),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "socketpair": (53, 199),
    "getsockopt": (55, 209),
    "clone": (56, 220),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "exit": (60, 93),
    "wait4": (61, 260),
    "uname": (63, 160),
    "fcntl": (72, 25),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "readlink": (89, None),
    "umask": (95, 166),
    "gettimeofday": (96, 169),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "setuid": (105, 146),
    "setgid": (106, 144),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "getpgrp": (111, None),
    "setsid": (112, 157),
    "getgroups": (115, 158),
    "setgroups": (116, 159),
    "setresuid": (117, 147),
    "getresuid": (118, 148),
    "setresgid": (119, 149),
    "getresgid": (120, 150),
    "getpgid": (121, 155),
    "sigaltstack": (131, 132),
    "setpriority": (141, 140),
    "sched_getparam": (143, 121),
    "sched_setscheduler": (144, 119),
    "sched_getscheduler": (145, 120),
    "prctl": (157, 167),
    "arch_prctl": (158, None),
    "setrlimit": (160, 164),
    "gettid": (186, 178),
    "time": (201, None),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "epoll_create": (213, None),
    "getdents64": (217, 61),
    "set_tid_address": (218, 96),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "epoll_wait": (232, None),
    "epoll_ctl": (233, 21),
    "tgkill": (234, 131),
    "waitid": (247, 95),
    "openat": (257, 56),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "faccessat": (269, 48),
    "pselect6": (270, 72),
    "ppoll": (271, 73),
    "set_robust_list": (273, 99),
    "epoll_pwait": (281, 22),
    "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87),
    "eventfd2": (290, 19),
    "epoll_create1": (291, 20),
    "dup3": (292, 24),
    "pipe2": (293, 59),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "prlimit64": (302, 261),
    "seccomp": (317, 277),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "pkey_mprotect": (329, 288),
    "pkey_alloc": (330, 289),
    "pkey_free": (331, 290),
    "statx": (332, 291),
    "rseq": (334, 293),
    "clone3": (435, 435),
    "close_range": (436, 436),
    "faccessat2": (439, 439),
    "epoll_pwait2": (441, 441),
}

X86_64: Final = Architecture(
    0xC000003E, {name: number for name, (number, _) in _NUMBERS.items()}, other_abi=0x40000000
)
AARCH64: Final = Architecture(
    0xC00000B7, {name: number for name, (_, number) in _NUMBERS.items() if number is not None}
)

_BY_MACHINE: Final = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}


def of_this_machine() -> Architecture:
    """The architecture that this runs on. Raises Unavailable."""
    machine = platform.machine().lower()
    if machine not in _BY_MACHINE:
        raise Unavailable(
            f"There is no list of system calls for {machine}: bots are hosted on x86-64 and ARM64."
        )
    return _BY_MACHINE[machine]
