"""Sets Python's garbage collector up for a process that serves for hours."""

import gc

# New objects that are looked through together, and how often older ones are looked at with them.
# Nearly everything here is freed as soon as nobody refers to it, without the collector; with
# Python's own numbers (700, 10, 10) a worker spends 8 % of its time looking in vain.
THRESHOLDS = (20_000, 20, 50)


def settle() -> None:
    """To be called when everything is imported: that stays, and is not looked through again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
