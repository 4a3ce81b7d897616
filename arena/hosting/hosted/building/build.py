"""From an upload to the tree that is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building.compiling import compiled
from arena.hosting.hosted.building.fetching import fetched
from arena.hosting.hosted.building.installing import installed
from arena.hosting.hosted.building.unpacking import unpacked
from arena.hosting.sandbox import Sandbox
from arena.hosting.submission import lock as locks
from arena.hosting.submission import manifest as manifests
from arena.hosting.submission import packages, tree
from arena.hosting.submission.byte_code import is_byte_code
from arena.hosting.submission.files import File, Limits, size_text
from arena.hosting.submission.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Allowed:
    """What an organiser lets a build have."""

    tree: Limits  # the most that is played
    index: str = ""  # the address of a package index, for locks; empty: none


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of an upload, and what its manifest says."""

    files: Sequence[File]
    manifest: Manifest
    log: str


class Build:
    """Builds one upload: one step after the other in sandboxes like this one. `allowed` is what it
    may have."""

    def __init__(self, sandbox: Sandbox, allowed: Allowed) -> None:
        self._sandbox, self._allowed = sandbox, allowed

    async def unpack(self, source: bytes) -> Unpacked:
        """What the author wrote. Raises InvalidRequest with a sentence for the author, Unavailable
        if it is ours that failed."""
        found = await unpacked(self._sandbox, source)
        manifest = manifests.of_files(found)
        files = [file for file in found if not _is_foreign(file, manifest)]
        log = f"Unpacked: {_count(files)}.\n"
        if left_out := len(found) - len(files):
            log += f"Left out: {left_out:,} files of byte code, which is made here.\n"
        return Unpacked(files, manifest, log)

    async def finish(self, upload: Unpacked) -> tuple[bytes, str]:
        """The tree that is played, as a stream, and what its author is told. Raises as `unpack`
        does."""
        files, log = list(upload.files), ""
        if upload.manifest.language == "python":
            files, log = await self._with_packages(files)
            code, told = await compiled(self._sandbox, files, self._allowed.tree)
            files, log = [*files, *code], log + told
        return b"".join(tree.write(files, self._allowed.tree)), log

    async def _with_packages(self, files: Sequence[File]) -> tuple[list[File], str]:
        """The files with what is installed instead of the wheels."""
        brought = packages.wheels_of(files)
        ordered, log = await self._fetched(files)
        if not brought and not ordered:
            return list(files), log
        wheels = sorted([*brought, *ordered], key=lambda file: file.name)
        found, told = await installed(self._sandbox, wheels, self._allowed.tree)
        log += told
        rest = [file for file in files if file not in brought]
        for name in packages.hidden([*rest, *found]):
            log += f"{name} of the bot's folder hides the installed {name}.\n"
        return [*rest, *found], log

    async def _fetched(self, files: Sequence[File]) -> tuple[list[File], str]:
        """The wheels of the lock, if there is one. Raises InvalidRequest where none may be."""
        lock = locks.lock_of(files)
        if lock is None:
            return [], ""
        pins = locks.parse(lock)
        if not self._allowed.index:
            raise InvalidRequest(
                f"{lock.name} is a lock, and this arena lets no build fetch packages: put them "
                "there as wheels (`pip download --only-binary :all: --dest wheels --requirement "
                f"{lock.name}`) and name {lock.name} in .botignore."
            )
        packages.check_free(files)
        return await fetched(self._sandbox, pins, self._allowed.index, self._allowed.tree)


def _is_foreign(file: File, manifest: Manifest) -> bool:
    return manifest.language == "python" and is_byte_code(file.name)


def _count(files: Sequence[File]) -> str:
    what = "file" if len(files) == 1 else "files"
    return f"{len(files):,} {what}, {size_text(sum(len(file.content) for file in files))}"
