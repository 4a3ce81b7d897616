"""`arena new NAME`: writes a folder with a bot, its test, its README and its Dockerfile."""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.errors import AlreadyExists, InvalidRequest
from arena.kit.new.languages import LANGUAGES, files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A name, perhaps with the folder it is to be in, and a language."""
    parser.description = (
        "Write a small, working bot to begin with: a folder with the program, its test, its\n"
        "README and its Dockerfile."
    )
    parser.epilog = "Example:\n  arena new mybot --language node"
    parser.add_argument("folder", metavar="NAME", type=Path, help="the bot's name; a new folder")
    parser.add_argument(
        "--language",
        choices=tuple(LANGUAGES),
        default="python",
        help="what to write it in (default: python)",
    )
    parser.add_argument(
        "--hosted",
        action="store_true",
        help="with what `arena bot submit` needs, for an arena that plays it (Python)",
    )


def run(args: argparse.Namespace) -> int:
    """Writes it, and says what to do next. Raises AlreadyExists, InvalidRequest."""
    language, folder = LANGUAGES[args.language], args.folder
    contents = files(language, folder.name, hosted=args.hosted)
    try:
        folder.mkdir(parents=True)
        for name, text in contents.items():
            (folder / name).write_text(text)
    except FileExistsError:
        raise AlreadyExists(f"{folder} is there already: choose another name.") from None
    except OSError as error:
        raise InvalidRequest(f"{folder} cannot be written: {error.strerror}.") from None
    main = language.main.replace("mybot", folder.name)
    begin = [command.replace("mybot", folder.name) for command in language.begin]
    print(f"{folder / main} is your bot. To try it:")
    print("\n".join(f"  {command}" for command in (f"cd {folder}", *begin)))
    if args.hosted:
        print("To have the arena play it:\n  arena bot submit .")
    print(f"{folder / 'README.md'} says how it is connected.")
    return 0
