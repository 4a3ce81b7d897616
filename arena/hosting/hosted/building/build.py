"""Builds an upload into the artifact that is played."""

import io
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from arena.base.errors import InvalidRequest
from arena.base.text import plural
from arena.hosting.hosted.building.step import Step, StepOutput, carry_out
from arena.hosting.hosted.building.wheels import fetched, installed
from arena.hosting.hosted.inside import compiler, unpacker
from arena.hosting.sandbox.sandbox import Sandbox
from arena.hosting.submission import artifact, packages
from arena.hosting.submission import lock as locks
from arena.hosting.submission import manifest as manifests
from arena.hosting.submission.files import (
    BUILT,
    UPLOADED,
    File,
    FileLimits,
    is_byte_code,
    place_of,
    size_text,
)
from arena.hosting.submission.manifest import Manifest

UNPACKING_S = 60.0
UNPACKING_MB = 512
COMPILING_S = 60.0
COMPILING_MB = 768
NO_ROOM = (
    "The others are compiled when they are imported: the build artifact is at its size limit.\n"
)
NOT_USED = (
    f"{locks.ALSO} has no hashes, so its packages are not installed. {locks.HOW}, or upload"
    " wheels.\n"
)


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """What a build may use on this host."""

    limits: FileLimits  # of the build artifact
    index: str = ""  # URL of a package index, for lockfiles; empty: none


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of an upload, and its manifest."""

    files: Sequence[File]
    manifest: Manifest
    log: str


class Build:
    """Builds one upload, step by step in sandboxes like this one."""

    def __init__(self, sandbox: Sandbox, allowed: BuildLimits) -> None:
        self._sandbox, self._allowed = sandbox, allowed

    async def unpack(self, source: bytes) -> Unpacked:
        """Return the files that the author wrote. Raises InvalidRequest with a sentence for the
        author, and Unavailable if the host failed."""
        found = await _unpacked(self._sandbox, source)
        manifest = manifests.of_files(found)
        files = list(found)
        if manifest.language == "python":
            files = [file for file in found if not is_byte_code(file.name)]
        size = size_text(sum(len(file.content) for file in files))
        log = f"Unpacked: {plural(len(files), 'file')}, {size}.\n"
        if left_out := len(found) - len(files):
            log += f"Left out: {left_out:,} byte code files. The build makes its own.\n"
        return Unpacked(files, manifest, log)

    async def finish(self, upload: Unpacked) -> tuple[bytes, str]:
        """Return the build artifact as a stream, and the log for the author. Raises as `unpack`
        does."""
        files, log = list(upload.files), ""
        if upload.manifest.language == "python":
            files, log = await self._with_packages(files)
            code, told = await compiled(self._sandbox, files, self._allowed.limits)
            files, log = [*files, *code], log + told
        return b"".join(artifact.write(files, self._allowed.limits)), log

    async def _with_packages(self, files: Sequence[File]) -> tuple[list[File], str]:
        """Return the files, with the wheels replaced by the installed packages."""
        brought = packages.wheels_of(files)
        ordered, log = await self._fetched(files)
        if not brought and not ordered:
            return list(files), log
        wheels = sorted([*brought, *ordered], key=lambda file: file.name)
        found, told = await installed(self._sandbox, wheels, self._allowed.limits)
        log += told
        rest = [file for file in files if file not in brought]
        for name in packages.hidden([*rest, *found]):
            log += f"{name} in the bot's folder hides the installed package {name}.\n"
        return [*rest, *found], log

    async def _fetched(self, files: Sequence[File]) -> tuple[list[File], str]:
        """Return the wheels of the lockfile, if there is one, and the log."""
        lock = locks.lock_of(files)
        if lock is None:
            unused = any(file.name == locks.ALSO for file in files)
            return [], NOT_USED if unused else ""
        pins = locks.parse(lock)
        if not self._allowed.index:
            raise InvalidRequest(
                f"This arena does not download packages, so it cannot use {lock.name}. Include the"
                " wheels (`pip download --only-binary :all: --dest wheels --requirement"
                f" {lock.name}`) and add {lock.name} to .botignore."
            )
        packages.check_free(files)
        return await fetched(self._sandbox, pins, self._allowed.index, self._allowed.limits)


async def _unpacked(sandbox: Sandbox, source: bytes) -> list[File]:
    step = Step(unpacker, UPLOADED, UNPACKING_S, UNPACKING_MB)
    outcome = await carry_out(sandbox, step, source)
    stream = outcome.whole(
        f"Unpacking took longer than {UNPACKING_S:g} s. Submit a smaller upload.",
        "The unpacked upload exceeds the size limit of a bot.",
    )
    return list(artifact.read(io.BytesIO(stream), UPLOADED))


# Compiling, so that no match has to do it


async def compiled(
    sandbox: Sandbox, files: Sequence[File], limits: FileLimits
) -> tuple[list[File], str]:
    """Return byte code for the Python files among these, as much as fits into the build artifact
    with them, and the log for the author. Raises Unavailable if the sandbox does not start.

    A file that does not compile, or that crashes the compiler, does not fail the build. It gets no
    byte code, and the error appears when the bot imports it."""
    sources = [file for file in files if file.name.endswith(".py")]
    if not sources:
        return [], ""
    step = Step(compiler, limits, COMPILING_S, COMPILING_MB)
    outcome = await carry_out(sandbox, step, b"".join(artifact.write(sources, limits)))
    found = list(_of(sources, outcome))
    kept = list(_first(found, limits, files))
    why = NO_ROOM if outcome.flooded or len(kept) < len(found) else _why(outcome)
    return kept, f"Compiled: {len(kept):,} of {len(sources):,} Python files.\n{why}"


def _of(sources: Sequence[File], outcome: StepOutput) -> Iterator[File]:
    """Yield the complete byte code files of these sources."""
    places = set(_places(sources))
    try:
        for file in artifact.read(io.BytesIO(outcome.stream), BUILT):
            if file.name in places:
                yield replace(file, executable=False)
    except InvalidRequest:
        return  # the rest is cut off or malformed


def _first(found: Sequence[File], limits: FileLimits, others: Sequence[File]) -> Iterator[File]:
    """Yield the first files that fit into the artifact with the others."""
    left = limits.total_bytes - sum(len(file.content) for file in others)
    for file in found[: limits.files - len(others)]:
        left -= len(file.content)
        if left < 0:
            return
        yield file


def _places(sources: Sequence[File]) -> Iterator[str]:
    for source in sources:
        with suppress(InvalidRequest):  # the name would be too long
            yield place_of(source.name)


def _why(outcome: StepOutput) -> str:
    """Return the reason why some files are missing, as lines."""
    if outcome.late:
        return (
            f"The others are compiled when they are imported: {COMPILING_S:g} s were not enough.\n"
        )
    if outcome.stream.endswith(artifact.END):
        return outcome.said
    return f"Python's compiler crashed on the next file: it ended with {_ending(outcome)}.\n"


def _ending(outcome: StepOutput) -> str:
    # The exit status of bwrap is 128 plus the signal.
    number = -outcome.status if outcome.status < 0 else outcome.status - 128
    known = number in set(signal.Signals)
    return signal.Signals(number).name if known else f"status {outcome.status}"
