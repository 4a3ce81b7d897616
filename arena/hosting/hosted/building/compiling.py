"""Compiles Python files in a sandbox, so that no match has to do it.

A file that does not compile, or that crashes the compiler, does not fail the build. It gets no byte
code, and the error appears when the bot imports it.
"""

from __future__ import annotations

import io
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building.step import Outcome, Step, carry_out
from arena.hosting.hosted.inside import compiler
from arena.hosting.sandbox import Sandbox
from arena.hosting.submission import artifact
from arena.hosting.submission.byte_code import place_of
from arena.hosting.submission.files import BUILT, File, Limits

WITHIN_S = 60.0
MEMORY_MB = 768
NO_ROOM = (
    "The others are compiled when they are imported: the build artifact is at its size limit.\n"
)


async def compiled(
    sandbox: Sandbox, files: Sequence[File], limits: Limits
) -> tuple[list[File], str]:
    """Return byte code for the Python files among these, as much as fits into the build artifact
    with them, and the log for the author. Raises Unavailable if the sandbox does not start."""
    sources = [file for file in files if file.name.endswith(".py")]
    if not sources:
        return [], ""
    step = Step(compiler, limits, WITHIN_S, MEMORY_MB)
    outcome = await carry_out(sandbox, step, b"".join(artifact.write(sources, limits)))
    found = list(_of(sources, outcome))
    kept = list(_first(found, limits, files))
    why = NO_ROOM if outcome.flooded or len(kept) < len(found) else _why(outcome)
    return kept, f"Compiled: {len(kept):,} of {len(sources):,} Python files.\n{why}"


def _of(sources: Sequence[File], outcome: Outcome) -> Iterator[File]:
    """Yield the complete byte code files of these sources."""
    places = set(_places(sources))
    try:
        for file in artifact.read(io.BytesIO(outcome.stream), BUILT):
            if file.name in places:
                yield replace(file, executable=False)
    except InvalidRequest:
        return  # the rest is cut off or malformed


def _first(found: Sequence[File], limits: Limits, others: Sequence[File]) -> Iterator[File]:
    """Yield the first files that fit into the artifact with the others."""
    left = limits.total_bytes - sum(len(file.content) for file in others)
    for file in found[: limits.files - len(others)]:
        left -= len(file.content)
        if left < 0:
            return
        yield file


def _places(sources: Sequence[File]) -> Iterator[str]:
    for source in sources:
        try:
            yield place_of(source.name)
        except InvalidRequest:
            continue


def _why(outcome: Outcome) -> str:
    """Return the reason why some files are missing, as lines."""
    if outcome.late:
        return f"The others are compiled when they are imported: {WITHIN_S:g} s were not enough.\n"
    if outcome.stream.endswith(artifact.END):
        return outcome.said
    return f"Python's compiler crashed on the next file: it ended with {_ending(outcome)}.\n"


def _ending(outcome: Outcome) -> str:
    # The exit status of bwrap is 128 plus the signal.
    number = -outcome.status if outcome.status < 0 else outcome.status - 128
    known = number in set(signal.Signals)
    return signal.Signals(number).name if known else f"status {outcome.status}"
