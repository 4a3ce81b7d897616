"""Text on the colours of the heat maps can be read: contrast of at least 4.5 (WCAG AA)."""

import re
from pathlib import Path

import pytest

SHEET = (Path(__file__).parents[3] / "dashboard/static/arena.css").read_text()
PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{3,6}), (#[0-9a-f]{3,6})\)")
THEMES = ("light", "dark")


def colours(theme: str) -> dict[str, str]:
    pairs = PAIR.findall(SHEET)
    return {name: light if theme == "light" else dark for name, light, dark in pairs}


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_on_a_heat_map_can_be_read(theme: str) -> None:
    found = colours(theme)
    heats = {name: colour for name, colour in found.items() if name.startswith("heat-")}

    assert len(heats) == 8
    for name, colour in heats.items():
        assert contrast(found["ink"], colour) >= 4.5, name


@pytest.mark.parametrize("theme", THEMES)
def test_quiet_text_and_links_can_be_read(theme: str) -> None:
    found = colours(theme)

    for text in ("soft", "accent"):
        for ground in ("sheet", "paper", "accent-wash"):
            assert contrast(found[text], found[ground]) >= 4.5, (text, ground)
