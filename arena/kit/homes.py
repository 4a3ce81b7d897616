"""Separate modules for the bots of each folder.

Two versions of a bot often are in two folders with a `strategy.py` in each, but Python has only one
module per name. So each folder has a Home with its modules, including those imported during a
match.
"""

from __future__ import annotations

import importlib
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import ClassVar

NOT_OWN = ("arena", "__main__", "__mp_main__")
STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


class Home:
    """The modules of one folder."""

    _inside: ClassVar[Home | None] = None

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self._modules: dict[str, ModuleType] = {}
        self._hidden: dict[str, ModuleType] = {}  # other modules of the same names
        self._count = 0  # of all modules, on entry

    def enter(self) -> None:
        """Switch imports to this folder."""
        if Home._inside is self:
            return
        if Home._inside is not None:
            Home._inside.leave()
        Home._inside = self
        sys.path.insert(0, self.folder)
        self._hidden = {name: sys.modules[name] for name in self._modules if name in sys.modules}
        sys.modules.update(self._modules)
        self._count = len(sys.modules)

    def leave(self) -> None:
        """Remove the folder's modules."""
        Home._inside = None
        sys.path.remove(self.folder)
        if len(sys.modules) != self._count:
            self._modules |= {n: m for n, m in sys.modules.items() if self._is_own(n, m)}
        for name in self._modules:
            sys.modules.pop(name, None)
        sys.modules.update(self._hidden)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Context in which modules are loaded. Restores sys.path afterwards."""
        self.enter()
        path, before = list(sys.path), dict(sys.modules)
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path[:] = path
            loaded = {
                name: module
                for name, module in sys.modules.items()
                if before.get(name) is not module and self._is_own(name, module)
            }
            self._hidden |= {name: before[name] for name in loaded if name in before}
            self._modules |= loaded

    def _is_own(self, name: str, module: ModuleType) -> bool:
        """Whether a module is in the folder, but not in a package installed there."""
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or name.partition(".")[0] in NOT_OWN:
            return False
        file = os.path.abspath(file)
        installed = f"{os.sep}site-packages{os.sep}" in file or _within(file, STANDARD_LIBRARY)
        return _within(file, self.folder) and not installed


def _within(file: str, folder: str) -> bool:
    return file.startswith(folder.rstrip(os.sep) + os.sep)
