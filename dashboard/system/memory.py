"""Keeps a process with many threads small."""

from __future__ import annotations

import ctypes
import gc

M_ARENA_MAX = -8  # of glibc's malloc.h
ARENAS = 2


def keep_small() -> None:
    """To be called before the process forks, and before it has threads.

    glibc gives threads pools of their own, eight for each core, and what one of them frees is of no
    use to the others. Threads of Python seldom allocate at the same time, so two pools will do.
    Elsewhere than on glibc nothing happens. And what is imported by now is not looked through for
    garbage any more, so that the fork shares it with its parent.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, ARENAS)
    gc.collect()
    gc.freeze()
