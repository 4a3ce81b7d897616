"""Builds of uploads on a host."""

import asyncio
import io
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.hosted.building.build import Build, BuildLimits, compiled
from arena.hosting.hosted.building.step import StepOutput
from arena.hosting.hosted.inside.compiler import byte_code
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.sandboxed import Fault, SandboxedBot
from arena.hosting.sandbox.kinds import find_sandbox
from arena.hosting.sandbox.sandbox import Sandbox
from arena.hosting.submission import artifact
from arena.hosting.submission.files import File, built
from arena.service.host.artifacts import ArtifactCache
from tests.made_uploads import BOT, upload

ALLOWED = BuildLimits(limits=built(64))
CODE = f"__pycache__/mybot.{sys.implementation.cache_tag}.pyc"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return find_sandbox()


Built = tuple[dict[str, File], str]


def build(sandbox: Sandbox, source: bytes, allowed: BuildLimits = ALLOWED) -> Built:
    """The files that are played, by name, and the log."""

    async def built() -> Built:
        found = Build(sandbox, allowed)
        unpacked = await found.unpack(source)
        stream, log = await found.finish(unpacked)
        files = {file.name: file for file in artifact.read(io.BytesIO(stream))}
        return files, unpacked.log + log

    return asyncio.run(built())


def games_of(sandbox: Sandbox, files: Mapping[str, File], folder: Path) -> list[str]:
    """Return the games that the built bot announces, as soon as its process has started. Raises
    Fault."""
    place = ArtifactCache(folder / "hosted").place(b"".join(artifact.write(files.values())))

    async def games() -> list[str]:
        bot = SandboxedBot(sandbox, Program(place, entry="mybot.py", key=bytes(32)), Allowance())
        try:
            await bot.prepare()
            return list(bot.hello.games)
        finally:
            bot.close()

    return asyncio.run(games())


# Byte code


def test_build_compiles_python_files(sandbox: Sandbox, open_folder: Path) -> None:
    files, log = build(sandbox, upload(files={"mine/inner.py": "DEPTH = 3\n"}))

    tag = sys.implementation.cache_tag
    assert {CODE, f"mine/__pycache__/inner.{tag}.pyc"} < files.keys()
    assert "Compiled: 2 of 2 Python files.\n" in log
    # A process takes the byte code: if it said something else than the source, that would count.
    other = File(CODE, byte_code(File("mybot.py", BOT.replace("lama", "dice").encode())))
    assert games_of(sandbox, files, open_folder) == ["lama"]
    assert games_of(sandbox, {**files, CODE: other}, open_folder) == ["dice"]


def test_a_host_with_another_python_compiles_by_itself(sandbox: Sandbox, open_folder: Path) -> None:
    files, _ = build(sandbox, upload())
    foreign = replace(files.pop(CODE), name="__pycache__/mybot.cpython-399.pyc")

    assert games_of(sandbox, {**files, foreign.name: foreign}, open_folder) == ["lama"]


def test_byte_code_of_the_author_is_not_played(sandbox: Sandbox, open_folder: Path) -> None:
    theirs = byte_code(File("mybot.py", BOT.replace("lama", "dice").encode()))
    files, log = build(sandbox, upload(files={CODE: theirs, "hidden.pyc": theirs}))

    assert "Left out: 2 byte code files" in log
    assert "hidden.pyc" not in files
    assert games_of(sandbox, files, open_folder) == ["lama"]


BROKEN = {
    "no Python": ("x = (\n", "line 1, SyntaxError: "),
    "a zero byte": ("x = 1\0\n", "SyntaxError: source code string cannot contain null bytes|"
                                "ValueError: source code string cannot contain null bytes"),
    "an unknown encoding": ("# coding: of-mine\n", "SyntaxError: "),
    "nested brackets": ("(" * 5000 + ")" * 5000, "SyntaxError: too many nested|MemoryError"),
    "nested operators": ("-" * 200_000 + "1", "RecursionError|MemoryError|SyntaxError|survive"),
}  # fmt: skip


def test_a_file_that_does_not_compile_is_told_and_is_no_reason_to_refuse(
    sandbox: Sandbox, open_folder: Path
) -> None:
    broken = {f"z{number}.py": text for number, (text, _) in enumerate(BROKEN.values())}
    files, log = build(sandbox, upload(files=broken))

    assert games_of(sandbox, files, open_folder) == ["lama"]
    assert CODE in files
    for _, sentence in BROKEN.values():
        assert any(each in log for each in sentence.split("|")), log


def test_a_compiler_that_takes_too_long_or_does_not_survive_loses_the_rest(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = "x = [" + "1.5, " * 1_000_000 + "]\n"
    monkeypatch.setattr("arena.hosting.hosted.building.build.COMPILING_S", 0.3)
    files, log = build(sandbox, upload(files={"late.py": late}))
    assert "late.py" in files
    assert "The others are compiled when they are imported: 0.3 s were not enough.\n" in log

    done = (
        b"".join(artifact.write([File(CODE, b"code")])).removesuffix(artifact.END) + b"- 99 b.pyc\n"
    )
    died = StepOutput(done, "", 128 + signal.SIGSEGV)

    async def dies(*_: object) -> StepOutput:
        return died

    monkeypatch.setattr("arena.hosting.hosted.building.build.carry_out", dies)
    sources = [File("mybot.py", BOT.encode()), File("a.py", b"")]
    kept, log = asyncio.run(compiled(sandbox, sources, ALLOWED.limits))
    assert kept == [File(CODE, b"code")]
    assert log == (
        "Compiled: 1 of 2 Python files.\n"
        "Python's compiler crashed on the next file: it ended with SIGSEGV.\n"
    )


def test_byte_code_that_would_make_the_tree_too_large_is_done_without(sandbox: Sandbox) -> None:
    large = "\n".join(f"a{number} = {number}.5" for number in range(40_000))
    files, log = build(sandbox, upload(files={"large.py": large}), BuildLimits(limits=built(1)))

    assert f"__pycache__/large.{sys.implementation.cache_tag}.pyc" not in files
    assert "the build artifact is at its size limit" in log


def test_an_author_reads_in_the_fault_what_is_wrong_with_the_source(
    sandbox: Sandbox, open_folder: Path
) -> None:
    files, log = build(sandbox, upload("x = (\n"))
    assert "mybot.py has no byte code: line 1, SyntaxError: '(' was never closed" in log
    with pytest.raises(Fault, match="SyntaxError"):
        games_of(sandbox, files, open_folder)
