"""The echo of a gateway goes on for ever, so it must not cost anything that stays."""

import asyncio
import ctypes
import platform

import grpc.aio
import pytest

from arena.service.gateway import echo as echoing
from arena.service.gateway.echo import Echo
from tests.integration.gateway_world import scenario, until

WARM, ECHOES = 1000, 3000
NUMBERS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in NUMBERS.split()]


def allocated() -> int:
    """Bytes that this process has allocated, as glibc counts them: what gRPC's core takes too."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Mallinfo
    found = mallinfo()
    return int(found.uordblks + found.hblkhd)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc how much is allocated")
@scenario
async def test_echoes_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(echoing, "ECHO_S", 0.0)
    sent: list[float] = []
    echo, server = Echo(sent.append), grpc.aio.server()
    echo.listen(server)
    await server.start()
    going_on = asyncio.create_task(echo.run())

    await until(lambda: len(sent) >= WARM)
    before = allocated()
    await until(lambda: len(sent) >= WARM + ECHOES)
    grown = allocated() - before

    going_on.cancel()
    await server.stop(None)
    echo.close()
    assert grown < 100 * ECHOES
    assert sent == sorted(sent)
