"""Bots that the arena runs itself: in a sandbox, a process for each match, on their own CPU time.

`inside` is what runs in sandboxes, `building` makes of an upload what is played; everything else is
on the host's side of a sandbox in which a bot plays.
"""
