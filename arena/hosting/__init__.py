"""Bots that the arena runs: what authors upload, the sandbox, and the programs in it."""
