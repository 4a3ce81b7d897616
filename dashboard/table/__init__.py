"""Texts that every table shows, in games, live matches and replays.

texts  how to win, each game in one minute, and the legend: signs with their meanings
parts  the template of the legend and the lesson
"""
