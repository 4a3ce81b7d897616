"""Tools for learners and searchers, next to `arena.games.batch`. They need the extra `learn`.

environment    the games as PettingZoo AEC environments (drawn by rendering), and rewards
selfplay       many matches between bots, each decision a row of arrays (rows)
parquet        those rows as a file
"""
