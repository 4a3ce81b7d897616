"""The key that signs session cookies, generated once and kept in the data folder."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from arena.base.errors import Unavailable

FILE = "secret_key"


def kept_key(data: Path) -> str:
    """The key of this data folder. The first call generates it, readable only by its owner. Raises
    Unavailable if the folder cannot be used."""
    path = data / FILE
    try:
        data.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        key = path.read_text().strip()
    except OSError as error:
        raise Unavailable(
            f"The key for session cookies cannot be kept in {path} ({error.strerror}). Choose "
            "another data folder, or set ARENA_SECRET_KEY."
        ) from error
    if not key:
        raise Unavailable(f"The key file {path} is empty. Delete it to generate a new key.")
    return key


def _make(path: Path) -> None:
    # Written to a draft and linked, so that concurrent processes get the same complete key.
    draft = path.with_name(f"{FILE}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(32))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was faster
    finally:
        draft.unlink()
