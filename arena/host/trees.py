"""The files of hosted versions in the host's folder, one folder for each tree, by its digest."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import shutil
from pathlib import Path

from arena.submission import tree

FOLDER_MODE, FILE_MODE, PROGRAM_MODE = 0o755, 0o644, 0o755


class Trees:
    """The folder in which they are. What is in it can be deleted while no host runs."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder, and makes sure that bots' processes may look into it. Raises
        OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(FOLDER_MODE)
        self._folder = folder.resolve()
        for begun in self._folder.glob("*.part"):
            shutil.rmtree(begun)

    def place(self, content: bytes) -> Path:
        """The folder with the files of this tree. Raises InvalidRequest for a damaged one,
        OSError."""
        folder = self._folder / hashlib.sha256(content).hexdigest()[:32]
        if not folder.is_dir():
            begun = self._folder / f"{secrets.token_hex(8)}.part"
            begun.mkdir()
            try:
                tree.extract(io.BytesIO(content), begun)
                _open_to_all(begun)
                begun.rename(folder)
            finally:
                shutil.rmtree(begun, ignore_errors=True)
        return folder


def _open_to_all(folder: Path) -> None:
    """A bot's process is another user's than this one."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(FOLDER_MODE)
        for name in names:
            file = Path(place, name)
            file.chmod(PROGRAM_MODE if file.stat().st_mode & 0o100 else FILE_MODE)
