"""A canvas for pictures, drawn at twice the size for smooth edges."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from PIL import Image, ImageColor, ImageDraw, ImageFont

from dashboard.layout.avatar import avatar_of
from dashboard.pictures.shapes import Shape, llama, symbol

WIDTH, HEIGHT = 1200, 630  # the usual size of link previews
FINE = 2
PAPER, SHEET, INK, SOFT, LINE = "#f4f5f3", "#ffffff", "#1a231f", "#58645e", "#dfe4e0"
ACCENT, WASH = "#1d6a54", "#e6f1ec"
PRINTS = {1: "#2c7a37", 2: "#00726b", 3: "#1f5fb4", 4: "#6940b2", 5: "#a82870", 6: "#b5400c"}


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont:
    """Return Aileron (CC0), which Pillow includes."""
    font = ImageFont.load_default(size * FINE)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def plain(text: str) -> str:
    """Return the text in characters of the font: accents are dropped, others become "?"."""
    letters = unicodedata.normalize("NFKD", text.replace("\u2212", "-"))
    kept = "".join(each for each in letters if not unicodedata.combining(each))
    return "".join(each if " " <= each <= "~" or each in "±·" else "?" for each in kept)


class Canvas:
    """A picture; positions and sizes are in pixels of the finished picture."""

    def __init__(self) -> None:
        self._image = Image.new("RGB", (WIDTH * FINE, HEIGHT * FINE), PAPER)
        self._draw = ImageDraw.Draw(self._image)

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """Draw a rectangle with round corners."""
        corners = (x * FINE, y * FINE, (x + width) * FINE, (y + height) * FINE)
        self._draw.rounded_rectangle(corners, 18 * FINE, fill, LINE, FINE)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int,
        *,
        fill: str = INK,
        room: float = WIDTH,
        right: bool = False,
        smallest: int = 28,
    ) -> float:
        """Draw text on a baseline and return its width. Long text is shrunk or cut to `room`.

        With `right`, it ends at x.
        """
        words = plain(text)
        while size > smallest and _font(size).getlength(words) > room * FINE:
            size -= 2
        font = _font(size)
        while len(words) > 1 and font.getlength(words) > room * FINE:
            words = words.removesuffix("…")[:-1] + "…"
        self._draw.text((x * FINE, y * FINE), words, fill, font, anchor="rs" if right else "ls")
        return font.getlength(words) / FINE

    def avatar(self, name: str, x: float, y: float, size: float) -> None:
        """Draw the avatar of a bot."""
        ground, wool, worn, parts = avatar_of(name.partition("@")[0])
        scale = size * FINE / 32
        tile = Image.new("RGB", (round(size * FINE), round(size * FINE)), ground)
        for part in parts:
            _paint(tile, symbol(part), scale, wool, worn)
        mask = Image.new("L", tile.size, 0)
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, *tile.size), 8 * scale, 255)
        self._image.paste(tile, (round(x * FINE), round(y * FINE)), mask)

    def playing_card(self, x: float, y: float, value: int, turn: float) -> None:
        """Draw a card of the game, rotated by `turn` degrees; 10 is a llama."""
        width, height = 150 * FINE, 216 * FINE
        card = Image.new("RGBA", (width, height), (0, 0, 0, 0))
        draw = ImageDraw.Draw(card)
        ground = "#f6dd98" if value == 10 else SHEET
        draw.rounded_rectangle((0, 0, width - 1, height - 1), 20 * FINE, ground, LINE, 2 * FINE)
        if value == 10:
            tile = Image.new("RGB", (32 * 6, 32 * 6), ground)
            _paint(tile, llama(), 6.0, "#5a4206", "")
            card.paste(tile, ((width - 192) // 2, (height - 192) // 2))
        else:
            middle = (width / 2, height / 2)
            draw.text(middle, str(value), PRINTS[value], _font(110), anchor="mm")
        turned = card.rotate(turn, Image.Resampling.BICUBIC, expand=True)
        self._image.paste(turned, (round(x * FINE), round(y * FINE)), turned)

    def png(self) -> bytes:
        """Return the finished picture."""
        out = io.BytesIO()
        # Fast compression; the files are only slightly larger.
        self._image.reduce(FINE).save(out, "PNG", compress_level=1)
        return out.getvalue()


def _paint(tile: Image.Image, shapes: Iterable[Shape], scale: float, wool: str, worn: str) -> None:
    for shape in shapes:
        points = [(x * scale, y * scale) for x, y in shape.points]
        draw = ImageDraw.Draw(tile, "RGBA")
        fill, stroke = (_colour(each, wool, worn) for each in (shape.fill, shape.stroke))
        if fill and len(points) > 2:
            draw.polygon(points, fill)
        if stroke:
            draw.line(points, stroke, max(1, round(shape.width * scale)), "curve")


def _colour(name: str, wool: str, worn: str) -> tuple[int, ...] | None:
    if name == "none":
        return None
    return ImageColor.getcolor({"": wool, "currentColor": worn}.get(name, name), "RGBA")  # type: ignore[return-value]
