"""Tools for training and search, in addition to `arena.games.batch`. Most need the extra `learn`.

environment         the games as PettingZoo AEC environments, drawn as text
text_environment    the games as text, with TextArena's interface; needs no extra
selfplay            batches of matches between bots, recorded as arrays
parquet             writes these arrays to a file
"""
