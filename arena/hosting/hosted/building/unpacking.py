"""Has an upload unpacked in a sandbox."""

from __future__ import annotations

import io

from arena.hosting.hosted.building.step import Step, carry_out
from arena.hosting.hosted.inside import unpacker
from arena.hosting.sandbox import Sandbox
from arena.hosting.submission import tree
from arena.hosting.submission.files import UPLOADED, File

WITHIN_S = 60.0
MEMORY_MB = 512


async def unpacked(sandbox: Sandbox, source: bytes) -> list[File]:
    """The files of an upload. Raises InvalidRequest with a sentence for the author, Unavailable if
    it is ours that failed."""
    step = Step(unpacker, UPLOADED, WITHIN_S, MEMORY_MB)
    outcome = await carry_out(sandbox, step, source)
    stream = outcome.whole(
        f"It was not unpacked within {WITHIN_S:g} s: submit something smaller.",
        "Unpacked it is larger than a bot may be.",
    )
    return list(tree.read(io.BytesIO(stream), UPLOADED))
