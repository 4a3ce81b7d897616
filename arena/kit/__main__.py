"""The same as the command `arena`, for programs that start it."""

from arena.kit.main import main

if __name__ == "__main__":
    main()
