"""Tunes Python's garbage collector for many imports and long-running processes."""

import atexit
import gc

# Arguments of gc.set_threshold, far above Python's defaults (700, 10, 10). Reference counting frees
# nearly all objects here, so the collector costs time and finds little.
THRESHOLDS = (100_000, 20, 50)


def begin() -> None:
    """Call this before other imports, which otherwise trigger useless collections."""
    gc.set_threshold(*THRESHOLDS)
    # Python collects again at exit, which takes up to a quarter of the time of a short command.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


def tune() -> None:
    """Call this after all imports. Existing objects are never scanned again."""
    begin()
    gc.collect()
    gc.freeze()
