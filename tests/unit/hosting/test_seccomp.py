"""The filter's program, run as the kernel would run it."""

import errno
import struct
from itertools import count

import pytest

from arena.hosting.sandbox import seccomp
from arena.hosting.sandbox.seccomp import (
    ALLOW,
    BOT,
    FORK_SERVER,
    KILL,
    PROGRAM,
    REFUSE,
    AllowList,
    program_of,
)
from arena.hosting.sandbox.syscalls import AARCH64, X86_64, Architecture

EPERM, ENOSYS = REFUSE | errno.EPERM, REFUSE | errno.ENOSYS


def verdict(
    allowed: AllowList, architecture: Architecture, number: int, *arguments: int, audit: int = 0
) -> int:
    """What the program returns for a system call."""
    data = struct.pack("<iIQ", number, audit or architecture.audit, 0)
    data += b"".join(struct.pack("<Q", one) for one in (*arguments, *[0] * 6)[:6])
    program = list(struct.iter_unpack("<HBBI", allowed.program(architecture)))
    place, accumulator = 0, 0
    for _ in count():
        code, if_true, if_false, value = program[place]
        place += 1
        if code == seccomp.RETURN:
            return int(value)
        if code == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == seccomp.AND:
            accumulator &= value
        elif code == seccomp.JUMP_EQUAL:
            place += if_true if accumulator == value else if_false
        elif code == seccomp.JUMP_AT_LEAST:
            place += if_true if accumulator >= value else if_false
    raise AssertionError


@pytest.fixture(params=[X86_64, AARCH64], ids=["x86-64", "ARM64"])
def machine(request: pytest.FixtureRequest) -> Architecture:
    architecture: Architecture = request.param
    return architecture


def test_unlisted_system_call_is_refused(machine: Architecture) -> None:
    listed = {number for name, number in machine.numbers.items() if name in BOT.always}
    conditional = {machine.numbers[name] for name in BOT.on_condition}
    for number in set(range(600)) - conditional:
        found = verdict(BOT, machine, number)
        if number in listed:
            assert found == ALLOW
        elif number == machine.numbers["clone3"]:
            assert found == ENOSYS
        else:
            assert found == EPERM, number


def test_memory_that_others_share_wakes_nobody(machine: Architecture) -> None:
    futex, private = machine.numbers["futex"], 128
    assert verdict(BOT, machine, futex, 0, private) == ALLOW
    assert verdict(BOT, machine, futex, 0, 1) == EPERM


def test_another_machines_calls_end_the_process(machine: Architecture) -> None:
    assert verdict(BOT, machine, machine.numbers["read"], audit=0x40000003) == KILL
    if machine.other_abi is not None:
        assert verdict(BOT, machine, machine.other_abi | machine.numbers["read"]) == KILL


def test_a_program_has_sockets_to_itself_only(machine: Architecture) -> None:
    pair = machine.numbers["socketpair"]
    assert verdict(PROGRAM, machine, pair, 1, 1) == ALLOW
    assert verdict(PROGRAM, machine, pair, 2, 1) == EPERM
    assert "socket" not in PROGRAM.always | PROGRAM.on_condition.keys()


def test_limits_are_read_and_not_set(machine: Architecture) -> None:
    limits = machine.numbers["prlimit64"]
    assert verdict(BOT, machine, limits, 0, 7, 0, 99) == ALLOW
    assert verdict(BOT, machine, limits, 0, 7, 0x7FFF_0000, 99) == EPERM
    assert verdict(BOT, machine, limits, 0, 7, 1 << 32, 99) == EPERM  # a pointer, its low half 0


def test_a_program_may_have_threads_and_no_processes(machine: Architecture) -> None:
    clone = machine.numbers["clone"]
    assert verdict(PROGRAM, machine, clone, 0x003D0F00) == ALLOW  # as pthread_create asks
    assert verdict(PROGRAM, machine, clone, 17) == EPERM  # as fork does
    assert verdict(PROGRAM, machine, clone, 0x10010000) == EPERM  # a thread in new namespaces
    assert verdict(PROGRAM, machine, clone, 0x003D4F00) == EPERM  # CLONE_VFORK
    assert verdict(BOT, machine, clone, 0x003D0F00) == EPERM


def test_a_programs_memory_is_its_own(machine: Architecture) -> None:
    mmap = machine.numbers["mmap"]
    assert verdict(PROGRAM, machine, mmap, 0, 4096, 3, 0x22) == ALLOW  # private, anonymous
    assert verdict(PROGRAM, machine, mmap, 0, 4096, 3, 0x21) == EPERM  # shared, anonymous
    assert verdict(PROGRAM, machine, mmap, 0, 4096, 3, 0x03) == EPERM  # shared, validated


def test_the_fork_server_forks_and_makes_no_namespaces(machine: Architecture) -> None:
    clone = machine.numbers["clone"]
    assert verdict(FORK_SERVER, machine, clone, 0x01200011) == ALLOW  # as fork asks
    for namespace in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000):
        assert verdict(FORK_SERVER, machine, clone, 17 | namespace) == EPERM
        assert verdict(FORK_SERVER, machine, clone, 17 | 0x40000000) == EPERM


ME, OTHER = 17, 16
MINE = program_of(ME)


def clock_of(number: int, kind: int) -> int:
    """The clock of a process (kind 0 to 2) or a thread (4 to 6), see man 3 clock_getcpuclockid."""
    return (~number << 3 | kind) & 0xFFFFFFFF


@pytest.mark.parametrize("call", ["clock_gettime", "clock_getres", "clock_nanosleep"])
def test_clocks_are_fixed_or_its_own(machine: Architecture, call: str) -> None:
    number = machine.numbers[call]
    for allowed in (BOT, PROGRAM, MINE):
        for fixed in range(16):
            assert verdict(allowed, machine, number, fixed) == ALLOW
        assert verdict(allowed, machine, number, clock_of(0, 2)) == ALLOW
        for kind in (4, 5, 6):  # the kernel refuses threads of other processes
            assert verdict(allowed, machine, number, clock_of(OTHER, kind)) == ALLOW
        for kind in (0, 1, 2, 3):  # 3 is a descriptor
            assert verdict(allowed, machine, number, clock_of(OTHER, kind)) == EPERM
            assert verdict(allowed, machine, number, clock_of(OTHER, kind) | 1 << 32) == EPERM
    assert verdict(MINE, machine, number, clock_of(ME, 2)) == ALLOW


OF_PROGRAMS = ("sched_getparam", "sched_getscheduler")


@pytest.mark.parametrize("call", ["sched_getaffinity", "getpgid", "prlimit64", *OF_PROGRAMS])
def test_no_process_but_itself_is_asked_about(machine: Architecture, call: str) -> None:
    number = machine.numbers[call]
    # With ENOSYS glibc's pthread_getattr_np does without the processors of a thread.
    refused = ENOSYS if call == "sched_getaffinity" else EPERM
    for allowed in (PROGRAM, MINE) if call in OF_PROGRAMS else (BOT, PROGRAM, MINE):
        assert verdict(allowed, machine, number, 0) == ALLOW
        assert verdict(allowed, machine, number, OTHER) == refused
    assert verdict(MINE, machine, number, ME) == ALLOW


def test_only_harmless_socket_options_are_readable(machine: Architecture) -> None:
    asked = machine.numbers["getsockopt"]
    for allowed in (BOT, PROGRAM, FORK_SERVER):
        options = {
            option
            for option in range(100)
            if verdict(allowed, machine, asked, 3, 1, option) == ALLOW
        }
        assert options == {3, 4, 38, 39}  # SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN
        assert verdict(allowed, machine, asked, 3, 6, 3) == EPERM  # of TCP
        assert "setsockopt" not in allowed.always | allowed.on_condition.keys()


def test_no_lock_names_the_process_that_holds_it(machine: Architecture) -> None:
    futex, private = machine.numbers["futex"], 128
    for allowed in (BOT, PROGRAM):
        operations = {
            operation
            for operation in range(16)
            if verdict(allowed, machine, futex, 0, private | operation) == ALLOW
        }
        assert operations == {0, 1, 3, 4, 5, 9, 10}  # without those of priority inheritance
        assert verdict(allowed, machine, futex, 0, private | 256 | 9) == ALLOW  # CLOCK_REALTIME


def test_memory_and_barriers_are_its_own(machine: Architecture) -> None:
    barrier, advice, mmap = (machine.numbers[name] for name in ("membarrier", "madvise", "mmap"))
    for allowed in (BOT, PROGRAM):
        for private in (0, 8, 16, 32, 64, 128, 256):
            assert verdict(allowed, machine, barrier, private) == ALLOW
        for of_all in (1, 2, 4):
            assert verdict(allowed, machine, barrier, of_all) == EPERM
        for usual in (4, 8, 10, 14, 102):  # DONTNEED, FREE, DONTFORK, HUGEPAGE, GUARD_INSTALL
            assert verdict(allowed, machine, advice, 0, 4096, usual) == ALLOW
        for shared in (12, 20, 21, 100, 101):  # MERGEABLE, COLD, PAGEOUT, HWPOISON, SOFT_OFFLINE
            assert verdict(allowed, machine, advice, 0, 4096, shared) == EPERM
        assert verdict(allowed, machine, mmap, 0, 4096, 3, 0x22) == ALLOW  # private, anonymous
        assert verdict(allowed, machine, mmap, 0, 4096, 3, 0x40022) == EPERM  # of huge pages


# By each of these two processes of one sandbox could exchange data, or one could look for the
# other.
BETWEEN_PROCESSES = {
    *("get_robust_list", "sendmsg", "sendmmsg", "timer_create", "clock_settime", "clock_adjtime"),
    *("adjtimex", "settimeofday", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"),
    *("pidfd_send_signal", "getsid", "setpgid", "getpriority", "ioprio_get", "ioprio_set"),
    *("sched_setaffinity", "sched_getattr", "sched_rr_get_interval", "kcmp", "get_mempolicy"),
    *("mbind", "migrate_pages", "move_pages", "process_vm_writev", "process_madvise"),
    *("flock", "inotify_init", "inotify_init1", "fanotify_init", "utimensat", "fchmod", "setxattr"),
    *("fsetxattr", "statfs", "fstatfs", "fadvise64", "readahead", "mincore", "cachestat"),
    *("preadv2", "mlock", "mq_open", "shmget", "shmat", "msgget", "semget", "accept", "listen"),
    *("futex_wait", "futex_waitv", "futex_wake", "splice", "vmsplice", "sync", "syslog"),
}


def test_nothing_is_allowed_that_connects_processes() -> None:
    for allowed in (BOT, PROGRAM):
        assert not (allowed.always | allowed.on_condition.keys()) & BETWEEN_PROCESSES
    # They count what all processes have, and a Python bot needs none of them.
    alike = {"sysinfo", "pipe", "pipe2", "socketpair", "set_robust_list"}
    assert not (BOT.always | BOT.on_condition.keys()) & alike


def test_nothing_is_allowed_that_leads_out(machine: Architecture) -> None:
    for allowed in (BOT, PROGRAM, FORK_SERVER):
        names = allowed.always | allowed.on_condition.keys()
        leading_out = {"socket", "connect", "bind", "ptrace", "kill", "mount", "unshare", "setns"}
        leading_out |= {"bpf", "io_uring_setup", "keyctl", "memfd_create", "process_vm_readv"}
        leading_out |= {
            "pidfd_open",
            "pidfd_getfd",
            "perf_event_open",
            "userfaultfd",
            "open_by_handle_at",
        }
        assert not names & leading_out
    assert not {"fork", "execve", "clone"} & (BOT.always | BOT.on_condition.keys())
