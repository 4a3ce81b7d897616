"""What `help` shows of the SDK in a terminal."""

import inspect
import pydoc
import re

import pytest

from arena.sdk import Bot, View, play

DERIVED = ("seats", "alone", "history", "discards", "text()", "rng()", "sample_states(n)")


def shown(thing: object) -> str:
    return pydoc.plain(pydoc.render_doc(thing))


def test_help_describes_every_field_of_a_view() -> None:
    """Once in the text at the top, and once where `help` lists the field."""
    told = View.__doc__ or ""

    for field in View._fields:
        assert re.search(rf"^ {{4}}{field} {{2,}}\S", told, re.MULTILINE), field
        about = str(getattr(View, field).__doc__)
        assert "Alias" not in about
        assert len(about) > 10, field
    assert str(View.ask.__doc__).endswith('in Kadabra "show" and "give"')


def test_help_of_a_view_begins_with_an_example_and_fits_in_a_terminal() -> None:
    # Python 3.13 writes each argument of the class on its own line.
    text = re.sub(r"^( \|  View\().*?(\)\n \| *\n)", r"\1...\2", shown(View), flags=re.M | re.S)
    top = text.partition("Method resolution order")[0].splitlines()[1:]

    assert "ForwardRef" not in "\n".join(top)
    assert "def choose(self, view):" in "\n".join(top[:15])
    assert all(len(line) <= 100 for line in top if not re.match(r"^ \|  View\(", line))
    for name in DERIVED:
        assert any(line.startswith(f" |      {name}") for line in top), name


@pytest.mark.parametrize(
    "name", ["games", "min_seats", "max_seats", "max_in_flight", "max_matches"]
)
def test_help_of_bot_describes_class_attributes(name: str) -> None:
    assert re.search(rf"^ {{4}}{name} {{2,}}the \w+", inspect.cleandoc(Bot.__doc__ or ""), re.M)
    assert str(getattr(Bot, name)).replace("'", '"') in (Bot.__doc__ or "")


def test_help_of_play_describes_its_arguments() -> None:
    text = shown(play)

    assert all(f"`{name}`" in text for name in ("seed", "match", "options", "fault_limit"))
