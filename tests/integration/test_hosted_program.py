"""A program that is no Python bot of the SDK: it speaks the contract on descriptor 3 by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.host.programs import program_of
from arena.host.validation import validated
from arena.hosted.inside.frames import framed
from arena.hosted.jailed import Fault, JailedBot
from arena.hosted.program import Allowance
from arena.jail import Limits, find_jail, python
from arena.protocol.v1 import play_pb2 as pb
from arena.submission.manifest import Manifest

# It reads protobuf's wire format by hand, as far as it needs that: whoever has no library can.
PROGRAM = """
import os, socket, threading

assert os.environ["DEPTH"] == "3"
threading.Thread(target=len, args=[()]).start()  # programs may have threads
connection = socket.socket(fileno=3)
stream = connection.makefile("rb")
print("begun", flush=True)


def number(read):
    value = shift = 0
    while True:
        byte = read(1)[0]
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value


def fields(message):
    at = 0

    def read(count):
        nonlocal at
        at += count
        return message[at - count : at]

    while at < len(message):
        key = number(read)
        kind = key & 7
        if kind == 0:
            yield key >> 3, number(read)
        else:
            yield key >> 3, read({1: 8, 5: 4}.get(kind) or number(read))


connection.sendall(HELLO)
while length := stream.read(1):
    shift, size = 7, length[0] & 127
    while length[0] > 127:
        length = stream.read(1)
        size |= (length[0] & 127) << shift
        shift += 7
    for kind, batch in fields(stream.read(size)):
        for what, decision in fields(batch) if kind == 2 else ():
            if what != 5:
                continue
            found = dict(fields(decision))
            first = next(value for name, value in fields(found[3]) if name == 18)
            choice = bytes([9]) + found[1] + bytes([0x1a, len(first)]) + first
            choices = bytes([0x0a, len(choice)]) + choice
            answer = bytes([0x12, len(choices)]) + choices
            connection.sendall(bytes([len(answer)]) + answer)
"""
HELLO = pb.BotMessage(hello=pb.Hello(games=["lama", "dice"], protocol=1))


def test_any_program_may_be_hosted(open_folder: Path) -> None:
    home = open_folder / "program"
    home.mkdir(mode=0o755)
    hello = framed(HELLO.SerializeToString())
    (home / "main.py").write_text(PROGRAM.replace("HELLO", repr(hello)))
    manifest = Manifest(
        language="binary",
        command=[str(python.interpreter()), "-S", "main.py"],
        environment={"DEPTH": "3"},
    )
    program = program_of(manifest, home, bytes(32), "mine", "1")

    async def tried() -> JailedBot:
        bot = JailedBot(find_jail(), program, Allowance(limits=Limits(memory_mb=512)), 5000)
        try:
            said, lines = await validated(bot)
        finally:
            bot.close()
        assert list(said.games) == ["lama", "dice"]
        assert "dice: a match without a fault against careful." in lines
        return bot

    bot = asyncio.run(tried())

    assert bot.cpu_us
    assert "begun\n" in "".join(report.output for report in bot.reports)


GREEDY = """
import mmap

def attempt(what):
    try:
        what()
    except (MemoryError, OSError) as error:
        print("contained", type(error).__name__, flush=True)
    else:
        print("THROUGH", flush=True)

mmap.mmap(-1, 1 << 36, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=0).close()
attempt(lambda: bytearray(200 << 20))
attempt(lambda: mmap.mmap(-1, 200 << 20))
attempt(lambda: mmap.mmap(-1, 200 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
raise SystemExit(7)
"""


def test_a_program_may_reserve_much_and_write_to_as_much_as_it_was_given(open_folder: Path) -> None:
    home = open_folder / "greedy"
    home.mkdir(mode=0o755)
    (home / "main.py").write_text(GREEDY)
    manifest = Manifest(language="binary", command=[str(python.interpreter()), "-S", "main.py"])
    program = program_of(manifest, home, bytes(32), "greedy", "1")

    async def tried() -> tuple[str, str]:
        bot = JailedBot(find_jail(), program, Allowance(limits=Limits(memory_mb=64)))
        with pytest.raises(Fault) as refused:
            await bot.prepare()
        bot.close()
        return "".join(report.output for report in bot.reports), str(refused.value)

    output, reason = asyncio.run(tried())

    assert output.splitlines() == [
        "contained MemoryError",
        "contained PermissionError",  # memory that is shared would not be counted
        "contained OSError",
    ]
    assert reason.startswith("The process ended with status 7.")
