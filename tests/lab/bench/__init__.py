"""Benchmarks. Machines are noisy, so compare figures only within one run."""
