"""`python -m arena.cli`, with which the arena starts its own processes."""

from arena.cli import main

if __name__ == "__main__":
    main()
