"""The best sandbox for hosted bots on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.base.errors import ArenaError
from arena.hosting.sandbox.find import check, kinds
from arena.hosting.sandbox.sandbox import Sandbox
from arena.service.health.finding import Finding, fine, unknown

ABOUT = "sandbox"


def examine_sandbox(
    found: Sequence[Sandbox] | None = None, attempt: Callable[[Sandbox], None] = check
) -> Finding:
    """Try the kinds of sandboxes, best first. Only machines with bot hosts need one."""
    lacks: dict[str, None] = {}  # ordered, without duplicates
    for sandbox in kinds() if found is None else found:
        try:
            attempt(sandbox)
        except (ArenaError, OSError) as error:
            lacks[f"{sandbox.name}: {error}"] = None
        else:
            why = f" Better ones do not work: {' '.join(lacks)}" if lacks else ""
            return fine(ABOUT, f"{sandbox.name} works, so `arena host` can play hosted bots.{why}")
    return unknown(ABOUT, f"None works, so `arena host` cannot start. {' '.join(lacks)}")
