"""`arena new NAME`: write a folder with a bot, its test and its README."""

import argparse
import shlex
from pathlib import Path

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.kit.new.languages import LANGUAGES, files, hosted_of, renamed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write a starter bot.\n\n"
        "The new folder has a small working program, its test and its README."
    )
    parser.epilog = "Example:\n  arena new mybot --language node"
    parser.add_argument(
        "folder", metavar="NAME", type=Path, help="name of the bot and of its new folder"
    )
    parser.add_argument(
        "--language",
        choices=tuple(LANGUAGES),
        default="python",
        help="programming language (default: python)",
    )
    parser.add_argument(
        "--hosted",
        action="store_true",
        help="write a bot that the arena can host, for `arena bot submit` (python, node, cpp)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the folder and print the next steps. Raises AlreadyExists, InvalidRequest."""
    language, folder = LANGUAGES[args.language], args.folder
    contents = files(language, folder.name, hosted=args.hosted)
    try:
        folder.mkdir(parents=True)
        for name, text in contents.items():
            (folder / name).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise AlreadyExists(f"{folder} already exists. Choose another name.") from None
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
