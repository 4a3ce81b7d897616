"""Loads the scripts in docs/generators, which is not a package."""

import importlib
import sys
from types import ModuleType

from tests.docs.blocks import ROOT

FOLDER = ROOT / "docs" / "generators"


def generator(name: str) -> ModuleType:
    """A script, as a module."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module(name)
