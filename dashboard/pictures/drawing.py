"""Drawing pictures as PNG. It is slow, so it is rate-limited, serialised and cached."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from arena.base.errors import Unavailable
from dashboard.pictures.canvas import ACCENT, HEIGHT, SHEET, SOFT, WASH, WIDTH, Canvas
from dashboard.pictures.cards import Picture, Portrait, ResultTable, Welcome

KEPT = 128  # pictures of about 60 kB each
WAIT_S = 2.0
OFTEN = RateLimitItemPerMinute(60)  # for all visitors together
LEFT, RIGHT = 72, WIDTH - 72

TOO_MANY = "Too many pictures are being drawn. Try again shortly."


class Pen:
    """Draws pictures. Thread-safe."""

    def __init__(self) -> None:
        self.busy = Lock()
        self._often = MovingWindowRateLimiter(MemoryStorage())
        self._kept: OrderedDict[Picture, bytes] = OrderedDict()

    def kept(self, picture: Picture) -> bytes | None:
        """Return the picture if it is cached."""
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
