"""The shapes of the SVG files in `static` as polygons; supports only the features they use."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dashboard.assets import FOLDER

Point = tuple[float, float]

SVG = "{http://www.w3.org/2000/svg}"
TOKEN = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)")
TAKES = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "s": 4, "a": 7, "z": 0}
STEPS = 12  # pieces of a curve
ROUND = 28  # corners of a circle


@dataclass(frozen=True)
class Shape:
    """A polygon or a line, in the units of its file. Colours are as in SVG; "" is inherited."""

    points: tuple[Point, ...]
    fill: str
    stroke: str
    width: float


@lru_cache(maxsize=64)
def symbol(name: str) -> tuple[Shape, ...]:
    return tuple(_within(_symbols()[name], {}))


@lru_cache(maxsize=1)
def llama() -> tuple[Shape, ...]:
    return tuple(_within(_root("llama.svg"), {}))


@lru_cache(maxsize=1)
def _symbols() -> dict[str, ET.Element]:
    return {each.get("id", ""): each for each in _root("faces.svg").iter(f"{SVG}symbol")}


def _root(file: str) -> ET.Element:
    return ET.fromstring(Path(FOLDER, file).read_text())  # noqa: S314, it is ours


def _within(parent: ET.Element, inherited: dict[str, str]) -> Iterator[Shape]:
    for child in parent:
        style = {**inherited, **{k: v for k, v in child.attrib.items() if k in _STYLES}}
        if child.tag == f"{SVG}g":
            yield from _within(child, style)
        for points in _outlines(child):
            width = float(style.get("stroke-width", "1"))
            yield Shape(points, style.get("fill", ""), style.get("stroke", "none"), width)


_STYLES = ("fill", "stroke", "stroke-width")


def _outlines(child: ET.Element) -> list[tuple[Point, ...]]:
    number = {key: float(child.get(key, 0)) for key in ("cx", "cy", "r", "rx", "ry", "x", "y")}
    if child.tag == f"{SVG}circle":
        return [_ellipse(number["cx"], number["cy"], number["r"], number["r"])]
    if child.tag == f"{SVG}ellipse":
        return [_ellipse(number["cx"], number["cy"], number["rx"], number["ry"])]
    if child.tag == f"{SVG}rect":  # the small ones have round ends
        width, height = float(child.get("width", 0)), float(child.get("height", 0))
        x, y = number["x"] + width / 2, number["y"] + height / 2
        return [_ellipse(x, y, width / 2, height / 2)]
    return path(child.get("d", "")) if child.tag == f"{SVG}path" else []


def _ellipse(x: float, y: float, across: float, down: float) -> tuple[Point, ...]:
    turns = [2 * math.pi * step / ROUND for step in range(ROUND)]
    return tuple((x + across * math.cos(turn), y + down * math.sin(turn)) for turn in turns)


def path(text: str) -> list[tuple[Point, ...]]:
    """Return the outlines of a path; closed ones repeat their first point at the end."""
    found: list[list[Point]] = []
    here, handle = (0.0, 0.0), (0.0, 0.0)
    for command, numbers in _commands(text):
        kind, (ox, oy) = command.lower(), here if command.islower() else (0.0, 0.0)
        if kind == "z":
            found[-1].append(found[-1][0])
            here = handle = found[-1][0]
            continue
        if kind == "m":
            found.append([(ox + numbers[0], oy + numbers[1])])
        elif kind == "h":
            found[-1].append((ox + numbers[0], here[1]))
        elif kind == "v":
            found[-1].append((here[0], oy + numbers[0]))
        elif kind == "l":
            found[-1].append((ox + numbers[0], oy + numbers[1]))
        elif kind == "a":
            end = ox + numbers[5], oy + numbers[6]
            found[-1] += _arc(here, end, numbers[0], clockwise=bool(numbers[4]))
        else:
            corners = [(ox + x, oy + y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
            first = (2 * here[0] - handle[0], 2 * here[1] - handle[1])
            a, b, end = corners if kind == "c" else (first, *corners)
            found[-1] += [_bezier(here, a, b, end, step / STEPS) for step in range(1, STEPS + 1)]
            here, handle = end, b
            continue
        here = handle = found[-1][-1]
    return [tuple(points) for points in found]


def _commands(text: str) -> Iterator[tuple[str, list[float]]]:
    """Yield each command with its numbers, including repeated commands without a letter."""
    tokens = TOKEN.findall(text)
    at, command = 0, ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        count = TAKES[command.lower()]
        yield command, [float(token) for token in tokens[at : at + count]]
        at += count
        command = {"m": "l", "M": "L"}.get(command, command)


def _bezier(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    u = 1 - t
    shares = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
    points = (a, b, c, d)
    return (
        sum(share * point[0] for share, point in zip(shares, points, strict=True)),
        sum(share * point[1] for share, point in zip(shares, points, strict=True)),
    )


def _arc(start: Point, end: Point, radius: float, *, clockwise: bool) -> list[Point]:
    """Return a half circle between two points, the only kind of arc in these files."""
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    begin = math.atan2(start[1] - y, start[0] - x)
    turn = math.pi if clockwise else -math.pi
    turns = [begin + turn * step / STEPS for step in range(1, STEPS + 1)]
    return [(x + radius * math.cos(at), y + radius * math.sin(at)) for at in turns]
