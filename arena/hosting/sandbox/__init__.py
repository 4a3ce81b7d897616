"""Jails for programs that nobody vouches for.

    jail = find_jail()          # the best that this machine has; Unavailable if it has none
    process = start(jail, Inmate(main="package.module", arguments={}, folder=folder))

`seccomp` and `landlock` are the kernel's means, `bubblewrap` and `confined` the kinds of jail that
are made of them, `enter` what runs inside first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.hosting.sandbox.find import find_jail
    from arena.hosting.sandbox.jail import Inmate, Jail, Limits, start

__all__ = ["Inmate", "Jail", "Limits", "find_jail", "start"]


def __getattr__(name: str) -> Any:
    # Not before it is asked for: what runs inside needs neither, and each jail would keep it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.hosting.sandbox import find, jail

    return getattr(find if name == "find_jail" else jail, name)
