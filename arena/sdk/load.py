"""Loads the bot class named on the command line."""

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
    before, Bot.loading = Bot.loading, place
    try:
        module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    finally:
        Bot.loading = before
    classes = _bots_in(module)
    if not class_name and len(classes) == 1:
        return next(iter(classes.values()))
    if class_name in classes:
        return classes[class_name]
    raise InvalidRequest(f"{place} {_problem(place, class_name, list(classes))}")


def _problem(place: str, class_name: str, classes: list[str]) -> str:
    if not classes:
        return "has no bot. A bot is a class derived from arena.sdk.Bot."
    named = f"{place}:{classes[0]}"
    if not class_name:
        return f"has several bots: {', '.join(classes)}. Name one, for example {named}."
    if len(classes) == 1:
        return f"has no bot {class_name}. Its bot is {classes[0]}; name it as {named}."
    return f"has no bot {class_name}. Its bots are: {', '.join(classes)}. Name one, as {named}."


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
    except InvalidRequest:
        raise
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
    except InvalidRequest:
        raise
    except Exception as error:
        raise InvalidRequest(f"{name} fails: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
