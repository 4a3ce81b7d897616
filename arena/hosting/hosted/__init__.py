"""Bots that the arena runs itself: in a jail, a process for each match, on their own CPU time.

`inside` is what runs in jails, `building` makes of an upload what is played; everything else is on
the host's side of a jail in which a bot plays.
"""
