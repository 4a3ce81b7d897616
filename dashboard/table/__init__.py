"""Texts that every table shows, in games, live matches and replays.

goal     how to win and when the match ends, in a sentence
symbols  the legend: the signs on cards and tokens with their meanings
lessons  each game in one minute
parts    the template of the legend and the lesson
"""
