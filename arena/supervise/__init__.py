"""Running the arena's processes on one machine: start, watch, start again, stop for certain.

Nothing here knows what a tournament is, except `stack`, which lists the arena's processes.

child        one process: how it is started, how it is ended
tether       the script between supervisor and process that ties their lives together
guardian     the script that clears up when the supervisor itself was killed
signals      Ctrl-C and its relatives, noticed where it is safe
supervisor   all of them together
folder       the data folder: one arena at a time, and where to find it
stack        the processes an arena consists of
"""
