"""`arena selfplay`: matches between bots, written down decision by decision as Parquet.

options     the command line, which needs no NumPy    playing     plays and writes
worker      a process that plays some of the matches
"""

from arena.kit.selfplay.options import add_arguments, run

__all__ = ["add_arguments", "run"]
