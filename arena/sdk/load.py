"""Loads the bot class named on the command line."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from arena.base.errors import InvalidRequest
from arena.sdk.bot import Bot


def load_bot(name: str) -> type[Bot]:
    """Returns the class named by "FILE.py:CLASS" or "module:CLASS".

    ":CLASS" is optional if the file has only one bot. Raises InvalidRequest. If the author's code
    raised an exception, that is its cause.
    """
    place, _, class_name = name.rpartition(":") if ":" in name else (name, "", "")
    module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    classes = _bots_in(module)
    if not class_name and len(classes) == 1:
        return next(iter(classes.values()))
    if class_name in classes:
        return classes[class_name]
    known = f"Its bots are: {', '.join(classes)}" if classes else "It has no bots"
    problem = f"has no bot {class_name}" if class_name else "does not have exactly one bot"
    raise InvalidRequest(
        f"{place} {problem}. {known}. A bot is a class derived from arena.sdk.Bot."
    )


def _bots_in(module: ModuleType) -> dict[str, type[Bot]]:
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Bot) and value is not Bot
    }


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InvalidRequest(f"There is no file {path}. Name a bot as FILE.py:CLASS.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # As when Python runs the file, so that it can import modules next to it.
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InvalidRequest(f"{path} fails: {type(error).__name__}: {error}") from error
    return module


def _load_module(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0] and error.name != name:
            raise InvalidRequest(f"{name} fails: {error}") from error
        raise InvalidRequest(
            f"There is no module {name}. Name a bot as FILE.py:CLASS or module:CLASS."
        ) from error
    except Exception as error:
        raise InvalidRequest(f"{name} fails: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
