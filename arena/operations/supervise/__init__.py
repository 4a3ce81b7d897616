"""Runs the arena's processes on one machine: starts, watches, restarts and reliably stops them.

Only `stack`, `machine` and the house bots know about the arena; the rest supervises any process.

child          one process: starting it and ending it
parent_death   the wrapper script that makes a process end when its parent dies
signals        SIGINT, SIGTERM and SIGHUP, handled only where it is safe
supervisor     all processes together
log_rotation   keeping the processes' logs small
ports          choosing free ports
stack          the processes of an arena
machine        a whole arena on this machine
house          the house bots
house_process  the same as a process of its own
"""
