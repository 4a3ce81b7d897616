"""Builds an upload into the artifact that is played."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building.compiling import compiled
from arena.hosting.hosted.building.fetching import fetched
from arena.hosting.hosted.building.installing import installed
from arena.hosting.hosted.building.step import Step, carry_out
from arena.hosting.hosted.inside import unpacker
from arena.hosting.sandbox import Sandbox
from arena.hosting.submission import artifact, packages
from arena.hosting.submission import lock as locks
from arena.hosting.submission import manifest as manifests
from arena.hosting.submission.byte_code import is_byte_code
from arena.hosting.submission.files import UPLOADED, File, Limits, size_text
from arena.hosting.submission.manifest import Manifest

UNPACKING_S = 60.0
UNPACKING_MB = 512
NOT_USED = (
    f"{locks.ALSO} has no hashes, so its packages are not installed. {locks.HOW}, or upload"
    " wheels.\n"
)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a build may use on this host."""

    limits: Limits  # of the build artifact
    index: str = ""  # URL of a package index, for lockfiles; empty: none


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of an upload, and its manifest."""

    files: Sequence[File]
    manifest: Manifest
    log: str


class Build:
    """Builds one upload, step by step in sandboxes like this one."""

    def __init__(self, sandbox: Sandbox, allowed: Allowed) -> None:
        self._sandbox, self._allowed = sandbox, allowed

    async def unpack(self, source: bytes) -> Unpacked:
        """Return the files that the author wrote. Raises InvalidRequest with a sentence for the
        author, and Unavailable if the host failed."""
        found = await _unpacked(self._sandbox, source)
        manifest = manifests.of_files(found)
        files = [file for file in found if not _is_foreign(file, manifest)]
        log = f"Unpacked: {_count(files)}.\n"
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


def _is_foreign(file: File, manifest: Manifest) -> bool:
    return manifest.language == "python" and is_byte_code(file.name)


def _count(files: Sequence[File]) -> str:
    what = "file" if len(files) == 1 else "files"
    return f"{len(files):,} {what}, {size_text(sum(len(file.content) for file in files))}"


async def _unpacked(sandbox: Sandbox, source: bytes) -> list[File]:
    step = Step(unpacker, UPLOADED, UNPACKING_S, UNPACKING_MB)
    outcome = await carry_out(sandbox, step, source)
    stream = outcome.whole(
        f"Unpacking took longer than {UNPACKING_S:g} s. Submit a smaller upload.",
        "The unpacked upload exceeds the size limit of a bot.",
    )
    return list(artifact.read(io.BytesIO(stream), UPLOADED))
