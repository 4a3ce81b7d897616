"""Which jail this machine has for hosted bots, and why not a better one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.base.errors import ArenaError
from arena.hosting.sandbox.find import check, kinds
from arena.hosting.sandbox.jail import Jail
from arena.service.health.finding import Finding, fine, unknown

ABOUT = "jail"


def examine_jail(
    found: Sequence[Jail] | None = None, attempt: Callable[[Jail], None] = check
) -> Finding:
    """The best of the kinds that works here, which is tried. It is not wrong to have none: only a
    machine that runs hosts needs one."""
    lacks: dict[str, None] = {}  # in order, each sentence once
    for jail in kinds() if found is None else found:
        try:
            attempt(jail)
        except (ArenaError, OSError) as error:
            lacks[f"{jail.name}: {error}"] = None
        else:
            why = f" Not better, since {' '.join(lacks)}" if lacks else ""
            return fine(
                ABOUT, f"{jail.name} holds here, so `arena host` can play hosted bots.{why}"
            )
    return unknown(ABOUT, f"There is none here, so `arena host` does not start. {' '.join(lacks)}")
