"""The filter's program, run as the kernel would run it."""

from __future__ import annotations

import errno
import struct
from itertools import count

import pytest

from arena.jail import seccomp
from arena.jail.seccomp import ALLOW, BOT, FORK_SERVER, KILL, PROGRAM, REFUSE, Allowed
from arena.jail.syscalls import AARCH64, X86_64, Architecture

EPERM, ENOSYS = REFUSE | errno.EPERM, REFUSE | errno.ENOSYS


def verdict(
    allowed: Allowed, architecture: Architecture, number: int, *arguments: int, audit: int = 0
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


def test_what_is_not_listed_is_refused(machine: Architecture) -> None:
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


def test_a_bot_has_sockets_to_itself_only(machine: Architecture) -> None:
    pair = machine.numbers["socketpair"]
    assert verdict(BOT, machine, pair, 1, 1) == ALLOW
    assert verdict(BOT, machine, pair, 2, 1) == EPERM
    assert "socket" not in BOT.always | BOT.on_condition.keys()


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
