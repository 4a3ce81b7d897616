"""Checks the keys of bot.toml, whose values may be of any type.

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
    """Check that the language is one of LANGUAGES."""
    if language not in LANGUAGES:
        raise InvalidRequest(
            f'language in {FILE} is "{shown(str(language))}". It must be one of: '
            f"{', '.join(LANGUAGES)}."
        )


def check_start(language: str, entry: Any, command: Any) -> None:
    """Check that a Python bot has an entry, and any other a command."""
    if language == "python":
        if command:
            raise InvalidRequest(f"A Python bot has no command in {FILE}. Set entry, its class.")
        _check_entry(entry)
        return
    if entry:
        raise InvalidRequest(f"Only a Python bot has an entry in {FILE}. Set command.")
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
    """Check that it is a number of megabytes. `Manifest.check_allowed` checks the maximum."""
    if type(memory_mb) is not int or memory_mb < LEAST_MEMORY_MB:
        raise InvalidRequest(
            f"memory_mb in {FILE} must be a number of megabytes, {LEAST_MEMORY_MB} or more."
        )


def check_dependencies(names: Any) -> None:
    """Check that these are names of packages."""
    fits = _are_texts(names, MOST_DEPENDENCIES, LONGEST_WORD)
    if not fits or not all(_DEPENDENCY.fullmatch(name) for name in names):
        raise InvalidRequest(
            f'dependencies in {FILE} must be a list of names such as ["numpy"], without versions, '
            f"at most {MOST_DEPENDENCIES}."
        )


def check_version(version: Any) -> None:
    """Check that it is a label for a version, or empty."""
    if not isinstance(version, str) or (version and not _VERSION.fullmatch(version)):
        raise InvalidRequest(
            f'version in {FILE} must consist of 1 to 40 letters, digits, ".", "_", "+" and "-", '
            "starting with a letter or digit."
        )


def check_environment(variables: Any) -> None:
    """Check that these are strings by name, and that no name is reserved."""
    fits = isinstance(variables, Mapping)
    if not fits or not _are_texts(list(variables.values()), MOST_VARIABLES, LONGEST_VALUE):
        raise InvalidRequest(
            f"environment in {FILE} must be a table of at most {MOST_VARIABLES} strings, with "
            f"at most {LONGEST_VALUE:,} characters each."
        )
    for name in variables:
        if not _VARIABLE.fullmatch(name) or name.startswith(OUR_VARIABLES):
            raise InvalidRequest(
                f'"{shown(name)}" cannot be a variable in {FILE}. Use letters, digits and "_". The'
                f" prefix {OUR_VARIABLES} is reserved."
            )


def _are_texts(values: Any, most: int, longest: int) -> bool:
    """Return whether it is a list of at most `most` printable strings."""
    return (
        isinstance(values, (list, tuple))
        and len(values) <= most
        and all(isinstance(each, str) and len(each) <= longest for each in values)
        and all(each.isprintable() for each in values)
    )
