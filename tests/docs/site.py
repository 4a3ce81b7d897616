"""The modules that make the documentation's site, which are no package."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from tests.docs.blocks import ROOT

FOLDER = ROOT / "docs" / "site"


def site_module(name: str) -> ModuleType:
    """A module of docs/site, without MkDocs. It imports its neighbours by their bare names."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module(name)


def site_hooks() -> ModuleType:
    """docs/site/hooks.py."""
    return site_module("hooks")
