"""What each key of bot.toml may say. The values are whatever an author wrote, of any type.

Each check raises InvalidRequest, with a sentence for the author.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import check_name, shown

FILE = "bot.toml"
LANGUAGES = ("python", "node", "binary")
LEAST_MEMORY_MB = 32
MOST_WORDS, LONGEST_WORD = 32, 1_000  # of a command
MOST_DEPENDENCIES = 32
MOST_VARIABLES, LONGEST_VALUE = 64, 4_096
OUR_VARIABLES = "ARENA_"

_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}", re.ASCII)
_ENTRY = re.compile(r"(?P<file>[^:]+\.py)(:[A-Za-z_]\w{0,99})?", re.ASCII)
_DEPENDENCY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)


def check_language(language: Any) -> None:
    """One of LANGUAGES."""
    if language not in LANGUAGES:
        raise InvalidRequest(
            f'language in {FILE} is "{shown(str(language))}"; it must be one of: '
            f"{', '.join(LANGUAGES)}."
        )


def check_start(language: str, entry: Any, command: Any) -> None:
    """A Python bot has an entry, any other a command."""
    if language == "python":
        if command:
            raise InvalidRequest(f"A Python bot has no command in {FILE}: say entry, its class.")
        _check_entry(entry)
        return
    if entry:
        raise InvalidRequest(f"Only a Python bot has an entry in {FILE}: say command.")
    if not _are_texts(command, MOST_WORDS, LONGEST_WORD) or not command or not command[0]:
        raise InvalidRequest(
            f'command in {FILE} must be a list of words such as ["node", "bot.js"], at most '
            f"{MOST_WORDS} of {LONGEST_WORD:,} characters."
        )


def _check_entry(entry: Any) -> None:
    found = _ENTRY.fullmatch(entry) if isinstance(entry, str) else None
    if found is None:
        raise InvalidRequest(f'entry in {FILE} must be a file and its class: "mybot.py:MyBot".')
    check_name(found["file"])


def check_memory(memory_mb: Any) -> None:
    """A number of megabytes; how many an organiser allows is another matter."""
    if type(memory_mb) is not int or memory_mb < LEAST_MEMORY_MB:
        raise InvalidRequest(
            f"memory_mb in {FILE} must be a number of megabytes, {LEAST_MEMORY_MB} or more."
        )


def check_dependencies(names: Any) -> None:
    """Names of packages."""
    fits = _are_texts(names, MOST_DEPENDENCIES, LONGEST_WORD)
    if not fits or not all(_DEPENDENCY.fullmatch(name) for name in names):
        raise InvalidRequest(
            f'dependencies in {FILE} must be a list of names such as ["numpy"], without versions, '
            f"at most {MOST_DEPENDENCIES}."
        )


def check_version(version: Any) -> None:
    """A label that a version may have, or nothing."""
    if not isinstance(version, str) or (version and not _VERSION.fullmatch(version)):
        raise InvalidRequest(
            f'version in {FILE} must be a text of 1 to 40 letters, digits, ".", "_", "+" and "-", '
            "beginning with a letter or digit."
        )


def check_environment(variables: Any) -> None:
    """Texts by name; none of the names is the arena's."""
    fits = isinstance(variables, Mapping)
    if not fits or not _are_texts(list(variables.values()), MOST_VARIABLES, LONGEST_VALUE):
        raise InvalidRequest(
            f"environment in {FILE} must be a table of at most {MOST_VARIABLES} texts, with "
            f"at most {LONGEST_VALUE:,} characters each."
        )
    for name in variables:
        if not _VARIABLE.fullmatch(name) or name.startswith(OUR_VARIABLES):
            raise InvalidRequest(
                f'"{shown(name)}" cannot be a variable in {FILE}: take letters, digits and "_", '
                f"and not {OUR_VARIABLES}, which is the arena's."
            )


def _are_texts(values: Any, most: int, longest: int) -> bool:
    """Whether it is a list of so many texts that a program can be given."""
    return (
        isinstance(values, (list, tuple))
        and len(values) <= most
        and all(isinstance(each, str) and len(each) <= longest for each in values)
        and all(each.isprintable() for each in values)
    )
