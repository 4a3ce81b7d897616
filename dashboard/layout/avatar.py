"""Avatars of bots and authors: llamas derived from the name.

The parts are in `static/faces.svg`, which browsers cache. An avatar only references them, so that
long lists stay small.
"""

import hashlib
from functools import lru_cache
from typing import NamedTuple

from flask import request, url_for
from markupsafe import Markup

# Colours of the background, the wool, and the clothes.
GROUNDS = (
    *("#bfe3d6", "#cfe0f7", "#f9d9c4", "#e5d8f5", "#f7e3a8"),
    *("#d4e8b8", "#f6ccd5", "#bfe3ea", "#e2d6c4", "#c9d2e8"),
)
WOOLS = ("#fbf3e4", "#d9b48a", "#a87850", "#6f4e3b", "#8d8a92", "#e7cfa4", "#c98f62")
WORN = ("#c0392b", "#1d6a54", "#2b5fb3", "#7b3fa0", "#c2570c", "#0f7480", "#b03074")
# Number of variants of each part, from back to front.
PARTS = (("e", 3), ("h", 3), ("t", 4), ("m", 4), ("y", 5), ("w", 8))


class Avatar(NamedTuple):
    """The colours of the background, the wool and the clothes, and the symbols of the parts."""

    ground: str
    wool: str
    worn: str
    parts: tuple[str, ...]


@lru_cache(maxsize=4096)
def avatar_of(name: str) -> Avatar:
    """Return the avatar of a bot or an author, ignoring case."""
    digest = hashlib.sha256(b"face/1 " + name.lower().encode()).digest()
    ground, wool, worn, *choices = digest[: 3 + len(PARTS)]
    return Avatar(
        GROUNDS[ground % len(GROUNDS)],
        WOOLS[wool % len(WOOLS)],
        WORN[worn % len(WORN)],
        tuple(
            f"{part}{choice % count}" for (part, count), choice in zip(PARTS, choices, strict=True)
        ),
    )


def avatar(name: str, kind: str = "") -> Markup:
    """Return the avatar as SVG, hidden from screen readers; `kind` is "", "large" or "huge"."""
    return _drawn(name.partition("@")[0], kind, _sheet(request.script_root))


@lru_cache(maxsize=16)
def _sheet(root: str) -> str:  # cached by the path prefix of the request
    return url_for("static", filename="faces.svg")


@lru_cache(maxsize=4096)  # lists have hundreds of avatars of a few bots
def _drawn(name: str, kind: str, sheet: str) -> Markup:
    found = avatar_of(name)
    uses = [Markup('<use href="{}#{}"/>').format(sheet, part) for part in found.parts]
    return Markup(
        '<svg class="face{}" viewBox="0 0 32 32" fill="{}" color="{}" aria-hidden="true">'
        '<rect width="32" height="32" rx="8" fill="{}"/>{}</svg>'
    ).format(
        f" {kind}" if kind else "", found.wool, found.worn, found.ground, Markup("").join(uses)
    )
