"""Runs a house bot: `python -m arena.bots NAME`, with ARENA_URL and ARENA_TOKEN."""

import sys

from arena.bots import BOTS


def main(arguments: list[str]) -> None:
    """Connects the bot named by the only argument. Raises SystemExit."""
    if len(arguments) != 1 or arguments[0] not in BOTS:
        sys.stderr.write(f"Usage: python -m arena.bots NAME, one of: {', '.join(BOTS)}\n")
        raise SystemExit(2)
    BOTS[arguments[0]]().run()


if __name__ == "__main__":
    main(sys.argv[1:])
