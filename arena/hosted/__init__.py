"""Bots that the arena runs itself: in a jail, a process for each match, on their own CPU time.

`inside` is what runs in the jail; everything else is on the host's side of it.
"""
