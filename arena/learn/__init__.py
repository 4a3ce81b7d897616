"""Tools for training and search, in addition to `arena.games.batch`. They need the extra `learn`.

environment    the games as PettingZoo AEC environments (drawn by rendering), and rewards
selfplay       batches of matches between bots, recorded as arrays (rows)
parquet        writes these rows to a file
"""
