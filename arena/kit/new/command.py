"""`arena new NAME`: writes a folder with a bot, its test and its README."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.kit.new.languages import LANGUAGES, files, hosted_of, renamed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A name, perhaps with the folder it is to be in, and a language."""
    parser.description = (
        "Write a small, working bot to start with: a folder with the program, its test and its\n"
        "README."
    )
    parser.epilog = "Example:\n  arena new mybot --language node"
    parser.add_argument("folder", metavar="NAME", type=Path, help="the bot's name; a new folder")
    parser.add_argument(
        "--language",
        choices=tuple(LANGUAGES),
        default="python",
        help="the language of the bot (default: python)",
    )
    parser.add_argument(
        "--hosted",
        action="store_true",
        help="a bot for `arena bot submit`, which the arena's hosts play (python, node, cpp)",
    )


def run(args: argparse.Namespace) -> int:
    """Writes it, and says what to do next. Raises AlreadyExists, InvalidRequest."""
    language, folder = LANGUAGES[args.language], args.folder
    contents = files(language, folder.name, hosted=args.hosted)
    try:
        folder.mkdir(parents=True)
        for name, text in contents.items():
            (folder / name).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise AlreadyExists(f"{folder} exists already. Choose another name.") from None
    except OSError as error:
        raise InvalidRequest(f"{folder} cannot be written: {error.strerror}.") from None
    written = hosted_of(language) if args.hosted else language
    main, *begin = (renamed(text, folder.name) for text in (written.main, *written.begin))
    print(f"{folder / main} is your bot. To try it:")
    print("\n".join(f"  {command}" for command in (f"cd {shlex.quote(str(folder))}", *begin)))
    if args.hosted:
        print("To have the arena play it:\n  arena bot submit .")
    print(f"{folder / 'README.md'} describes the next steps.")
    return 0
