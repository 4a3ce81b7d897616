"""Reduces the memory of a process with many threads."""

from __future__ import annotations

import ctypes
import gc

M_ARENA_MAX = -8  # of glibc's malloc.h
ARENAS = 2


def keep_small() -> None:
    """Call this before the process forks or starts threads.

    By default, glibc uses up to eight memory pools per core. Python threads rarely allocate in
    parallel, so two pools are enough. Freezing the garbage collector keeps imported objects shared
    between the fork and its parent.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, ARENAS)
    gc.collect()
    gc.freeze()
