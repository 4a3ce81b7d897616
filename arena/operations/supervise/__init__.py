"""Start, watch, restart and reliably stop the arena's processes on one machine.

Only `stack`, `machine` and the house bots know about the arena; the rest supervises any process.

child          one process, and keeping its log small
fork           processes without the cost of their imports
parent_death   the wrapper script that ends a process with its parent
signals        SIGINT, SIGTERM and SIGHUP, handled only where it is safe
supervisor     all processes together
ports          choosing free ports
stack          the processes of an arena
machine        a whole arena on this machine
house          the house bots
"""
