"""Jails for programs that nobody vouches for.

    jail = find_jail()          # the best that this machine has; Unavailable if it has none
    process = start(jail, Inmate(main="package.module", arguments={}, folder=folder))

`seccomp` and `landlock` are the kernel's means, `bubblewrap` and `confined` the kinds of jail that
are made of them, `enter` what runs inside first.
"""

from arena.jail.find import find_jail
from arena.jail.jail import Inmate, Jail, Limits, start

__all__ = ["Inmate", "Jail", "Limits", "find_jail", "start"]
