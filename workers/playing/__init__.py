"""Plays matches: the loops around `workers.schedule`, leases, checkpoints, spectators."""
