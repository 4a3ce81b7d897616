"""The host's side of a fork server: starts it in a sandbox, and orders processes."""

import asyncio
import json
import logging
import os
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from arena.hosting.hosted.cpu_clock import mapped_bytes
from arena.hosting.sandbox.control_group import ControlGroup
from arena.hosting.sandbox.sandbox import MB, ProcessSpec, Sandbox, SandboxLimits, start

log = logging.getLogger(__name__)

MAIN = "arena.hosting.hosted.inside.fork_server"
LARGEST_MESSAGE = 4096
CREDENTIALS = struct.Struct("3i")  # process, user, group

FILES_OF_A_PROCESS = 32


@dataclass(frozen=True, slots=True)
class Began:
    """A process has started."""

    number: int  # of the order
    process: int  # its number outside the sandbox


@dataclass(frozen=True, slots=True)
class Ended:
    """A process has ended."""

    number: int
    status: int  # as of waitpid
    cpu_s: float
    memory_kb: int  # maximum
    reason: str = ""  # why it could not start, if it did not


class ForkServer:
    """A sandbox with a fork server. `tell` gets the start and end of processes. `gone` is called
    once, when the sandbox has ended."""

    def __init__(
        self,
        sandbox: Sandbox,
        spec: ProcessSpec,
        limits: SandboxLimits,
        tell: Callable[[Began | Ended], None],
        gone: Callable[[], None],
        group: ControlGroup | None = None,
    ) -> None:
        """Start it. The socket for orders is added to `spec`. Its processes join `group`. Raises
        Unavailable, OSError."""
        self._tell, self._gone, self._group = tell, gone, group
        self._limits = limits
        self._address_space = 0  # of the idle server
        self._waiting: list[tuple[int, Sequence[int]]] = []  # orders that came before it was ready
        self._server: int | None = None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            ours.setblocking(False)
            self._control = ours
            descriptor = theirs.fileno()
            arguments = {**spec.arguments, "control": descriptor}
            spec = replace(
                spec, main=MAIN, arguments=arguments, descriptors=(descriptor,), limits=limits
            )
            self.errors, errors = os.pipe()
            try:
                self._sandbox = start(sandbox, spec, stdout=errors, stderr=errors)
            except BaseException:
                os.close(self.errors)
                ours.close()
                raise
            finally:
                os.close(errors)
        os.set_blocking(self.errors, False)
        asyncio.get_running_loop().add_reader(ours, self._hear)

    @property
    def ready(self) -> bool:
        """Whether it accepts orders."""
        return self._server is not None

    def last_words(self) -> str:
        """Return the output of the server itself; "" unless it failed."""
        with suppress(BlockingIOError, OSError):
            return os.read(self.errors, 1 << 16).decode(errors="replace").strip()
        return ""

    def order(self, number: int, descriptors: Sequence[int]) -> None:
        """Order a process with copies of these descriptors: a connection and an output."""
        if self.ready:
            self._order(number, descriptors)
        else:
            self._waiting.append((number, [os.dup(one) for one in descriptors]))

    def _order(self, number: int, descriptors: Sequence[int]) -> None:
        order = {
            "number": number,
            "address_space": self._address_space + self._limits.memory_mb * MB,
            "files": FILES_OF_A_PROCESS,
        }
        socket.send_fds(self._control, [json.dumps(order).encode()], list(descriptors))

    def _hear(self) -> None:
        try:
            while True:
                data, ancillary, _, _ = self._control.recvmsg(
                    LARGEST_MESSAGE, socket.CMSG_SPACE(CREDENTIALS.size)
                )
                if not data:
                    break
                self._heard(json.loads(data), CREDENTIALS.unpack(ancillary[0][2])[0])
        except BlockingIOError:
            return
        except OSError:
            pass
        self.close()

    def _heard(self, message: dict[str, Any], sender: int) -> None:
        if "ready" in message:
            self._server = sender
            self._join_group(sender)
            self._address_space = mapped_bytes(sender)
            waiting, self._waiting = self._waiting, []
            for number, descriptors in waiting:
                self._order(number, descriptors)
                _close(descriptors)
        elif "began" in message:
            self._tell(Began(message["began"], sender))
        elif "failed" in message:
            self._tell(Ended(message["failed"], 0, 0.0, 0, message["reason"]))
        else:
            self._tell(
                Ended(message["ended"], message["status"], message["cpu_s"], message["memory_kb"])
            )

    def _join_group(self, server: int) -> None:
        if self._group is None:
            return
        try:
            self._group.add(server)
        except OSError as error:  # the limits of each process still hold
            log.warning("a sandbox is not in the control group: %s", error)

    def close(self) -> None:
        """End the sandbox and all its processes. May be called twice."""
        if self._control.fileno() < 0:
            return
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        self._sandbox.kill()
        self._sandbox.wait()
        for _, descriptors in self._waiting:
            _close(descriptors)
        self._waiting.clear()
        self._gone()
        os.close(self.errors)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
