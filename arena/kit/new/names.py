"""Valid names of new bots. A name becomes a file, a class, a module or a program."""

import keyword
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import packages_distributions
from typing import Final

from arena.base.errors import InvalidRequest

NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")

# Targets that CMake and the templates have, and folders in `build`.
_CPP: Final = """
    all clean contract depend edit_cache help install list_install_components package
    package_source preinstall rebuild_cache test testing
""".split()  # noqa: SIM905  (which are easier to read than quoted)
_GO_LIBRARY: Final = """
    archive bufio builtin bytes cmd cmp compress container context crypto database debug embed
    encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime
    net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall
    testing text time unicode unique unsafe vendor weak
""".split()  # noqa: SIM905
# A Go file with such an ending is built for one system only; see `go tool dist list`.
_GO_SYSTEMS: Final = """
    aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1
    windows unix 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64
    s390x wasm
""".split()  # noqa: SIM905


def check_name(name: str, language: str, title: str) -> None:
    """Raise InvalidRequest, with a better name, if a bot in this language cannot have it."""
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name!r} cannot be the name of a bot. A name has up to 40 letters, digits and"
            " underscores, and starts with a letter. Choose another name, such as mybot."
        )
    if reason := REASONS[language](name):
        raise InvalidRequest(
            f"{name!r} cannot be the name of a bot in {title}: {reason}. Choose another name, such"
            f" as {_other(name, language)}."
        )


def class_name(name: str) -> str:
    """FastOne for fast_one."""
    return "".join(part[0].upper() + part[1:] for part in name.split("_") if part)


def _other(name: str, language: str) -> str:
    candidates = (f"my_{name}", f"{name}_bot", "mybot")
    return next(one for one in candidates if len(one) <= 40 and not REASONS[language](one))


def _python(name: str) -> str:
    if keyword.iskeyword(name) or keyword.iskeyword(class_name(name)):
        return f"{name} or its class {class_name(name)} is a keyword"
    if name.lower().startswith("test_"):
        return "unittest treats files that start with test_ as tests"
    if name.lower() in {*sys.stdlib_module_names, "test"}:
        return f"the file {name}.py would hide a module of Python's library"
    if name.lower() in _installed():
        return f"the file {name}.py would hide an installed package"
    return ""


@cache
def _installed() -> frozenset[str]:
    return frozenset(each.lower() for each in packages_distributions())


def _llm(name: str) -> str:
    return "the bot has a file of this name" if name.lower() == "chat" else _python(name)


def _node(name: str) -> str:
    if name == "choose":
        return "the bot has a file of this name"
    if name == "test" or name.endswith("_test") or name == "node_modules":
        return "Node.js treats files of this name as tests or packages"
    return ""


def _cpp(name: str) -> str:
    if name.lower() in _CPP:
        return "the build has a target or a folder of this name"
    return ""


def _go(name: str) -> str:
    ending = name.rpartition("_")[2] if "_" in name else ""
    if name in _GO_LIBRARY or name == "main":
        return "Go's library has a package of this name"
    if name in ("choose", "contract"):
        return "the bot has a file or a folder of this name"
    if ending == "test" or ending in _GO_SYSTEMS:
        return f"Go builds files that end in _{ending} only for tests or one platform"
    return ""


REASONS: Final[dict[str, Callable[[str], str]]] = {
    "python": _python,
    "llm": _llm,
    "node": _node,
    "cpp": _cpp,
    "go": _go,
}
