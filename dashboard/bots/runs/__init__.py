"""The runs (processes) of the user's own hosted bot.

index     the list, with charts of CPU time and memory
detail    one run, with its output by decision
"""
