"""`arena play`: bots against each other on this machine, without an arena.

options     the command line            plan        what is to be played
pool        the processes, each runs worker, which plays observed matches
sandboxed      bots in sandboxes           building    what they bring along
programs    programs as bots        link        a program, its gateway, its session
patience    how long a bot may take
death       what is known when a bot ends its process (standing); order puts outcomes in theirs
tally       win rates and differences   fault_log   what went wrong in the bots
compare     everybody against everybody sequential  the test whether one is better
"""

from arena.kit.play.options import add_arguments, run

__all__ = ["add_arguments", "run"]
