"""Measurements of this code on this machine. Machines are noisy: compare within one run."""
