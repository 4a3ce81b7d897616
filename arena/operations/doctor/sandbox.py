"""Which sandbox this machine has for hosted bots, and why not a better one."""

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
    """The best of the kinds that works here, which is tried. It is not wrong to have none: only a
    machine that runs hosts needs one."""
    lacks: dict[str, None] = {}  # in order, each sentence once
    for sandbox in kinds() if found is None else found:
        try:
            attempt(sandbox)
        except (ArenaError, OSError) as error:
            lacks[f"{sandbox.name}: {error}"] = None
        else:
            why = f" Not better, since {' '.join(lacks)}" if lacks else ""
            return fine(
                ABOUT, f"{sandbox.name} holds here, so `arena host` can play hosted bots.{why}"
            )
    return unknown(ABOUT, f"There is none here, so `arena host` does not start. {' '.join(lacks)}")
