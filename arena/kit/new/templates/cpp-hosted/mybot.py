"""Plays the program of bot.toml on this machine.

arena play mybot.py sharp careful five
"""

from pathlib import Path

from arena.hosting.hosted import program_bot


class MyBot(program_bot.ProgramBot):
    """The program in this folder. `games` are those of its first line."""

    folder = Path(__file__).resolve().parent
    games = ("lama",)


if __name__ == "__main__":
    MyBot().run()
