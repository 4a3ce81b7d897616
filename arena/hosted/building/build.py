"""From an upload to the tree that is played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.hosted.building.compiling import compiled
from arena.hosted.building.installing import installed
from arena.hosted.building.unpacking import unpacked
from arena.jail import Jail
from arena.submission import manifest as manifests
from arena.submission import packages, tree
from arena.submission.byte_code import is_byte_code
from arena.submission.files import File, Limits, size_text
from arena.submission.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Allowed:
    """What an organiser lets a build have."""

    tree: Limits  # the most that is played


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of an upload, and what its manifest says."""

    files: Sequence[File]
    manifest: Manifest
    log: str


class Build:
    """Builds one upload; `jail` makes the jail for each step, `allowed` is what it may have."""

    def __init__(self, jail: Callable[[], Jail], allowed: Allowed) -> None:
        self._jail, self._allowed = jail, allowed

    async def unpack(self, source: bytes) -> Unpacked:
        """What the author wrote. Raises InvalidRequest with a sentence for the author, Unavailable
        if it is ours that failed."""
        found = await unpacked(self._jail(), source)
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
            code, told = await compiled(self._jail(), files, self._allowed.tree)
            files, log = [*files, *code], log + told
        return b"".join(tree.write(files, self._allowed.tree)), log

    async def _with_packages(self, files: Sequence[File]) -> tuple[list[File], str]:
        """The files with what is installed instead of the wheels."""
        wheels = packages.wheels_of(files)
        if not wheels:
            return list(files), ""
        found, log = await installed(self._jail(), wheels, self._allowed.tree)
        rest = [file for file in files if file not in wheels]
        for name in packages.hidden([*rest, *found]):
            log += f"{name} of the bot's folder hides the installed {name}.\n"
        return [*rest, *found], log


def _is_foreign(file: File, manifest: Manifest) -> bool:
    return manifest.language == "python" and is_byte_code(file.name)


def _count(files: Sequence[File]) -> str:
    return f"{len(files):,} files, {size_text(sum(len(file.content) for file in files))}"
