"""Bots that the arena runs: in a sandbox, with a process for each match and a CPU time limit.

`inside` runs in sandboxes, and `building` builds uploads. Everything else is the host's side of a
sandbox in which a bot plays.
"""
