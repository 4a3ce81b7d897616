"""Build bots with packages, as a bot host would, before they play in sandboxes."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building.build import Allowed, Build
from arena.hosting.sandbox import find_sandbox
from arena.hosting.submission import artifact
from arena.hosting.submission.files import BUILT, File
from arena.hosting.submission.lock import ALSO, NAME, lock_of
from arena.hosting.submission.pack import pack
from arena.hosting.submission.packages import WHEELS
from arena.kit.play.job import Job

INDEX = "ARENA_HOST_INDEX"


@contextmanager
def with_packages(job: Job) -> Iterator[Job]:
    """Yield the job with the build artifacts, which exist until the context ends.

    Raises InvalidRequest if a bot cannot be built, Unavailable."""
    folders = sorted({player.home for player in job.players if player.home})
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        made = {
            folder: _built(folder, Path(place, str(number)))
            for number, folder in enumerate(folders)
            if _brings_packages(folder)
        }
        yield replace(job, built=made)


def _brings_packages(folder: Path) -> bool:
    return any((folder / WHEELS).glob("*.whl")) or _lock_of(folder) is not None


def _lock_of(folder: Path) -> Path | None:
    there = [folder / name for name in (NAME, ALSO) if (folder / name).is_file()]
    lock = lock_of([File(file.name, file.read_bytes()) for file in there])
    return folder / lock.name if lock else None


def _built(folder: Path, into: Path) -> Path:
    index = os.environ.get(INDEX, "")
    if (lock := _lock_of(folder)) is not None and not index:
        raise InvalidRequest(
            f"{lock} needs packages from an index, and {INDEX} is not set. Set it to the arena's "
            "index, such as https://pypi.org/simple."
        )
    sandbox = find_sandbox()

    async def built() -> bytes:
        build = Build(sandbox, Allowed(BUILT, index))
        return (await build.finish(await build.unpack(pack(folder).content)))[0]

    stream = asyncio.run(built())
    into.mkdir()
    into.chmod(0o755)  # regardless of the umask, because sandboxes may use other users
    artifact.extract(io.BytesIO(stream), into)
    return into
