"""Drawing pictures as PNG, at twice the size for smooth edges.

It is slow, so it is rate-limited, serialised and cached.
"""

import io
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable
from functools import lru_cache
from threading import Lock

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from PIL import Image, ImageColor, ImageDraw, ImageFont

from arena.base.errors import Unavailable
from dashboard.layout.avatar import avatar_of
from dashboard.pictures.cards import Picture, Portrait, ResultTable, Welcome
from dashboard.pictures.shapes import Shape, llama, symbol

WIDTH, HEIGHT = 1200, 630  # the usual size of link previews
FINE = 2
PAPER, SHEET, INK, SOFT, LINE = "#f4f5f3", "#ffffff", "#1a231f", "#58645e", "#dfe4e0"
ACCENT, WASH = "#1d6a54", "#e6f1ec"
PRINTS = {1: "#2c7a37", 2: "#00726b", 3: "#1f5fb4", 4: "#6940b2", 5: "#a82870", 6: "#b5400c"}
KEPT = 128  # pictures of about 60 kB each
WAIT_S = 2.0
OFTEN = RateLimitItemPerMinute(60)  # for all visitors together
LEFT, RIGHT = 72, WIDTH - 72
TOO_MANY = "Too many pictures are being drawn. Try again shortly."


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
        """Draw text on a baseline and return its width. Long text is shrunk or cut to `room`. With
        `right`, it ends at x."""
        words = plain(text)
        while size > smallest and _font(size).getlength(words) > room * FINE:
            size -= 2
        font = _font(size)
        while len(words) > 1 and font.getlength(words) > room * FINE:
            words = words.removesuffix("…")[:-1] + "…"
        self._draw.text((x * FINE, y * FINE), words, fill, font, anchor="rs" if right else "ls")
        return font.getlength(words) / FINE

    def avatar(self, name: str, x: float, y: float, size: float) -> None:
        found = avatar_of(name.partition("@")[0])
        scale = size * FINE / 32
        tile = Image.new("RGB", (round(size * FINE), round(size * FINE)), found.ground)
        for part in found.parts:
            _paint(tile, symbol(part), scale, found.wool, found.worn)
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


class Pen:
    """Draws pictures. Thread-safe."""

    def __init__(self) -> None:
        self.busy = Lock()
        self._often = MovingWindowRateLimiter(MemoryStorage())
        self._kept: OrderedDict[Picture, bytes] = OrderedDict()

    def kept(self, picture: Picture) -> bytes | None:
        return self._kept.get(picture)

    def draw(self, picture: Picture) -> bytes:
        """Return the picture. Raises Unavailable if too many others are being drawn."""
        if not self.busy.acquire(timeout=WAIT_S):
            raise Unavailable(TOO_MANY)
        try:
            if picture not in self._kept:
                if not self._often.hit(OFTEN):
                    raise Unavailable(TOO_MANY)
                self._kept[picture] = _drawn(picture)
            self._kept.move_to_end(picture)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[picture]
        finally:
            self.busy.release()


pen = Pen()


def _drawn(picture: Picture) -> bytes:
    canvas = Canvas()
    if isinstance(picture, Portrait):
        _portrait(canvas, picture)
    elif isinstance(picture, ResultTable):
        _table(canvas, picture)
    else:
        _welcome(canvas, picture)
    if not isinstance(picture, Welcome):
        canvas.text(RIGHT, HEIGHT - 34, "lama-arena", 30, fill=ACCENT, right=True)
    return canvas.png()


def _portrait(canvas: Canvas, picture: Portrait) -> None:
    canvas.avatar(picture.bot, LEFT, 84, 250)
    room = RIGHT - 370
    canvas.text(370, 205, picture.bot, 96, room=room)
    canvas.text(370, 275, picture.below, 38, fill=SOFT, room=room)
    width = (RIGHT - LEFT - 24 * (len(picture.figures) - 1)) / len(picture.figures)
    for place, (figure, meaning) in enumerate(picture.figures):
        x = LEFT + place * (width + 24)
        canvas.box(x, 378, width, 172, WASH if place == 0 else SHEET)
        canvas.text(x + 28, 462, figure, 64, room=width - 56)
        canvas.text(x + 28, 520, meaning, 32, fill=SOFT, room=width - 56, smallest=22)


def _table(canvas: Canvas, picture: ResultTable) -> None:
    canvas.text(LEFT, 112, picture.title, 72, room=RIGHT - LEFT)
    canvas.text(LEFT, 170, picture.below, 34, fill=SOFT, room=RIGHT - LEFT)
    step = min(88.0, 354 / max(len(picture.lines), 1))
    for place, line in enumerate(picture.lines):
        y = 204 + place * step
        size = step - 12
        canvas.box(LEFT, y, RIGHT - LEFT, step - 8, WASH if line.leads else SHEET)
        canvas.text(LEFT + 24, y + size * 0.68, line.rank, round(size * 0.5), fill=SOFT)
        canvas.avatar(line.bot, LEFT + 84, y + 4, size - 4)
        base = y + size * 0.68
        taken = canvas.text(RIGHT - 28, base, line.figure, round(size * 0.48), right=True)
        start = LEFT + 84 + size + 16
        canvas.text(start, base, line.bot, round(size * 0.52), room=RIGHT - 60 - taken - start)
    canvas.text(LEFT, HEIGHT - 34, picture.more, 28, fill=SOFT)


def _welcome(canvas: Canvas, picture: Welcome) -> None:
    canvas.text(LEFT, 170, picture.title, 120, fill=ACCENT)
    for place, sentence in enumerate(picture.below):
        canvas.text(LEFT, 250 + 60 * place, sentence, 44)
    hand = ((1, 12, 590, 380), (3, 5, 730, 362), (5, -3, 870, 360), (10, -11, 990, 366))
    for value, turn, x, y in hand:
        canvas.playing_card(x, y, value, turn)
