"""The key that signs session cookies, made once and kept where the data is."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from arena.base.errors import Unavailable

FILE = "secret_key"


def kept_key(data: Path) -> str:
    """The key of this data folder; the first to ask makes it, readable by its owner only.

    Raises Unavailable when the folder cannot be used.
    """
    path = data / FILE
    try:
        data.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        key = path.read_text().strip()
    except OSError as error:
        raise Unavailable(
            f"The key for session cookies cannot be kept in {path} ({error.strerror}): choose "
            "another data folder, or set ARENA_SECRET_KEY."
        ) from error
    if not key:
        raise Unavailable(f"{path} is empty: delete it, and a new key is made.")
    return key


def _make(path: Path) -> None:
    # Written beside and linked into place, so that two at once end up with the same whole key.
    draft = path.with_name(f"{FILE}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(32))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another was faster; theirs it is
    finally:
        draft.unlink()
