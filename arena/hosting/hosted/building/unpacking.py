"""Unpacks an upload in a sandbox."""

from __future__ import annotations

import io

from arena.hosting.hosted.building.step import Step, carry_out
from arena.hosting.hosted.inside import unpacker
from arena.hosting.sandbox import Sandbox
from arena.hosting.submission import artifact
from arena.hosting.submission.files import UPLOADED, File

WITHIN_S = 60.0
MEMORY_MB = 512


async def unpacked(sandbox: Sandbox, source: bytes) -> list[File]:
    """Return the files of an upload. Raises InvalidRequest with a sentence for the author, and
    Unavailable if the host failed."""
    step = Step(unpacker, UPLOADED, WITHIN_S, MEMORY_MB)
    outcome = await carry_out(sandbox, step, source)
    stream = outcome.whole(
        f"Unpacking took longer than {WITHIN_S:g} s. Submit a smaller upload.",
        "The unpacked upload exceeds the size limit of a bot.",
    )
    return list(artifact.read(io.BytesIO(stream), UPLOADED))
