"""`python -m arena.kit`, the same as `arena`."""

from arena.kit.main import main

if __name__ == "__main__":
    main()
