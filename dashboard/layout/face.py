"""The face of a bot: a llama that follows from the name, the same on every page and for ever.

The parts are drawn in `static/faces.svg`, which a browser fetches once; a face on a page is a few
references to them, so that a list of two hundred weighs next to nothing.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import NamedTuple

from flask import request, url_for
from markupsafe import Markup

# Behind the llama, its wool, and what it wears: soft, warm, and a strong one.
GROUNDS = (
    *("#bfe3d6", "#cfe0f7", "#f9d9c4", "#e5d8f5", "#f7e3a8"),
    *("#d4e8b8", "#f6ccd5", "#bfe3ea", "#e2d6c4", "#c9d2e8"),
)
WOOLS = ("#fbf3e4", "#d9b48a", "#a87850", "#6f4e3b", "#8d8a92", "#e7cfa4", "#c98f62")
WORN = ("#c0392b", "#1d6a54", "#2b5fb3", "#7b3fa0", "#c2570c", "#0f7480", "#b03074")
# How many there are of each part, from behind to in front.
PARTS = (("e", 3), ("h", 3), ("t", 4), ("m", 4), ("y", 5), ("w", 8))


class Face(NamedTuple):
    """What a name comes to: colours, and a symbol of each part."""

    ground: str
    wool: str
    worn: str
    parts: tuple[str, ...]


@lru_cache(maxsize=4096)
def face_of(name: str) -> Face:
    """The face of a bot or an author; names that differ by case only are one and the same."""
    digest = hashlib.sha256(b"face/1 " + name.lower().encode()).digest()
    ground, wool, worn, *choices = digest[: 3 + len(PARTS)]
    parts = tuple(
        f"{part}{choice % count}" for (part, count), choice in zip(PARTS, choices, strict=True)
    )
    return Face(
        GROUNDS[ground % len(GROUNDS)], WOOLS[wool % len(WOOLS)], WORN[worn % len(WORN)], parts
    )


def face(name: str, kind: str = "") -> Markup:
    """The face as part of a page. It says nothing that the name beside it does not; `kind` may be
    "large" or "huge"."""
    return _drawn(name.partition("@")[0], kind, _sheet(request.script_root))


@lru_cache(maxsize=16)
def _sheet(root: str) -> str:  # for each address that a proxy serves the arena under
    return url_for("static", filename="faces.svg")


@lru_cache(maxsize=4096)  # a list shows hundreds, of a few bots
def _drawn(name: str, kind: str, sheet: str) -> Markup:
    ground, wool, worn, parts = face_of(name)
    uses = Markup("").join(Markup('<use href="{}#{}"/>').format(sheet, part) for part in parts)
    return Markup(
        '<svg class="face{}" viewBox="0 0 32 32" fill="{}" color="{}" aria-hidden="true">'
        '<rect width="32" height="32" rx="8" fill="{}"/>{}</svg>'
    ).format(f" {kind}" if kind else "", wool, worn, ground, uses)
