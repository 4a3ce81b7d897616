"""Has Python files compiled in a sandbox, so that no match has to do it.

A file that does not compile, or that the compiler does not survive, is no reason to refuse a bot:
it goes without byte code, and whoever imports it is told what is wrong with it.
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
from arena.hosting.submission import tree
from arena.hosting.submission.byte_code import place_of
from arena.hosting.submission.files import BUILT, File, Limits

WITHIN_S = 60.0
MEMORY_MB = 768
NO_ROOM = "The others are compiled when they are imported: the tree has no room for more.\n"


async def compiled(
    sandbox: Sandbox, files: Sequence[File], limits: Limits
) -> tuple[list[File], str]:
    """Byte code for those of these files that are Python's, as much as a tree has room for beside
    them; and what the author is told. Raises Unavailable if the sandbox does not come up."""
    sources = [file for file in files if file.name.endswith(".py")]
    if not sources:
        return [], ""
    step = Step(compiler, limits, WITHIN_S, MEMORY_MB)
    outcome = await carry_out(sandbox, step, b"".join(tree.write(sources, limits)))
    found = list(_of(sources, outcome))
    kept = list(_first(found, limits, files))
    why = NO_ROOM if outcome.flooded or len(kept) < len(found) else _why(outcome)
    return kept, f"Compiled: {len(kept):,} of {len(sources):,} Python files.\n{why}"


def _of(sources: Sequence[File], outcome: Outcome) -> Iterator[File]:
    """What came whole, and is byte code of these."""
    places = set(_places(sources))
    try:
        for file in tree.read(io.BytesIO(outcome.stream), BUILT):
            if file.name in places:
                yield replace(file, executable=False)
    except InvalidRequest:
        return  # the rest is cut off, or it is none


def _first(found: Sequence[File], limits: Limits, beside: Sequence[File]) -> Iterator[File]:
    """As many of them, from the first on, as there is room for."""
    left = limits.total_bytes - sum(len(file.content) for file in beside)
    for file in found[: limits.files - len(beside)]:
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
    """Why there is not more, as lines."""
    if outcome.late:
        return f"The others are compiled when they are imported: {WITHIN_S:g} s were over.\n"
    if outcome.stream.endswith(tree.END):
        return outcome.said
    return f"Python's compiler did not survive the next one: it ended by {_ending(outcome)}.\n"


def _ending(outcome: Outcome) -> str:
    # bwrap says by its own status what ended the process: 128 and the signal.
    number = -outcome.status if outcome.status < 0 else outcome.status - 128
    known = number in set(signal.Signals)
    return signal.Signals(number).name if known else f"status {outcome.status}"
