"""Installs wheels in a sandbox, below site-packages/."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache

from arena.base.extras import missing
from arena.hosting.hosted.building.step import Step, carry_out
from arena.hosting.hosted.program import installed as of_this_machine
from arena.hosting.sandbox.sandbox import MB, Sandbox
from arena.hosting.submission import artifact, packages
from arena.hosting.submission.files import BUILT, File, FileLimits

WITHIN_S = 60.0
NEEDS = ("installer", "packaging")
IDLE_MB = 256  # of address space, in addition to the packages


async def installed(
    sandbox: Sandbox, wheels: Sequence[File], limits: FileLimits
) -> tuple[list[File], str]:
    """Return the files of these wheels, and the log for the author. Raises InvalidRequest with a
    sentence for the author, and Unavailable if the host failed."""
    step = _step(limits)
    outcome = await carry_out(sandbox, step, b"".join(artifact.write(wheels, BUILT)))
    stream = outcome.whole(
        f"Installing the wheels took longer than {WITHIN_S:g} s. Use fewer or smaller wheels.",
        "The installed wheels exceed the size limit of a bot on this arena.",
    )
    found = artifact.read(io.BytesIO(stream), limits)
    return [file for file in found if file.name.startswith(f"{packages.FOLDER}/")], outcome.said


def _step(limits: FileLimits) -> Step:
    tags = fitting()  # first, since it reports missing packages
    from arena.hosting.hosted.inside import wheel_installer

    return Step(
        wheel_installer,
        limits,
        WITHIN_S,
        IDLE_MB + 4 * limits.total_bytes // MB,
        {"tags": tags, "files": limits.files, "bytes": limits.total_bytes},
        tuple(part for name in NEEDS for part in of_this_machine(name)),
    )


@cache
def fitting() -> tuple[str, ...]:
    """Return the wheel tags that fit this Python and machine, the best first. Raises Unavailable if
    the package that computes them is missing."""
    try:
        import installer  # noqa: F401
        from packaging import tags
    except ModuleNotFoundError as error:
        raise missing("Installing a bot's packages", error) from None
    return tuple(str(tag) for tag in tags.sys_tags())
