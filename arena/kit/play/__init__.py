"""`arena play`: play bots against each other on this machine, without an arena.

options     the command line           plan        players and schedule
session     one run of the command     pool        the processes; each runs worker
observed    a match with timings       standing    its state in shared memory
sandboxed   bots in sandboxes          job         limits, portions and outcomes
programs    programs as bots           link        a program, its gateway and session
compare     round-robin                sequential  the test of two versions
fault_log   faults of the bots
"""
