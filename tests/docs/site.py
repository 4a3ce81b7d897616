"""The hooks of the documentation's site, which is no package."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from tests.docs.blocks import ROOT


def site_hooks() -> ModuleType:
    """docs/site/hooks.py, without MkDocs."""
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "site" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
